"""Output: rows in formats, tables, text, numbers, and progress."""
