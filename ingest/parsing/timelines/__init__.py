"""Timelines: slices of threads and of GPU streams, and the tasks and call paths they make."""
