"""Choice of what to measure next, and when to stop: for commands, not for SQL."""
