"""Plain tables: the way in for every tool that has no reader."""
