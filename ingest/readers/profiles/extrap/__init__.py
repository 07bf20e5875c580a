"""Extra-P's input formats."""
