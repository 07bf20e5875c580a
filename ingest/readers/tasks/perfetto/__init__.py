"""Perfetto's own traces, asked through its trace processor."""
