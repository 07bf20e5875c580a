"""Exports: what is written for other tools, and read back."""
