"""What to measure next, and when to stop: for commands that measure, not for SQL."""
