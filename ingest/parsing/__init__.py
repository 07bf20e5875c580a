"""Shared by readers: lines, numbers, tables of counters, call paths."""
