"""Readers of machines, their devices and their jobs."""
