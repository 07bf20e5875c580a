"""Nsight Systems: the SQLite database that nsys export writes."""
