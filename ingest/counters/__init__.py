"""Tables of counters and metrics: PerfSpect, LIKWID, PAPI, Nsight Compute."""
