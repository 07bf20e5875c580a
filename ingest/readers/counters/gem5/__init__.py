"""gem5 statistics."""
