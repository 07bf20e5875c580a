"""Shared by readers of basic blocks: fields of text lines, counts by key, dependences, tables."""
