"""Sentences and tables in words, by topic: no SQL, no printing."""
