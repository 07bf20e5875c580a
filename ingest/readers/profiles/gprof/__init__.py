"""gprof: its text, and the raw profile that it makes text of."""
