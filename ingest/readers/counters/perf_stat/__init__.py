"""Linux perf stat, in all its machine-readable forms and as text."""
