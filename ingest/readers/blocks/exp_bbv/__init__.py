"""Basic-block vectors of valgrind exp-bbv, SimPoint and gem5."""
