"""Readers of times and costs by function."""
