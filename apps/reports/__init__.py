"""Sentences and tables of each topic: no SQL, no printing."""
