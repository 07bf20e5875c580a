"""Readers of counters by sample and region."""
