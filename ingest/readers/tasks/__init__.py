"""Readers of tasks, and of what they wait for."""
