"""Reports of mpiP, the profiler of MPI calls."""
