"""Readers of basic blocks and instructions."""
