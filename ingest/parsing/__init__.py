"""What readers share: lines, numbers, tables of counters, call paths."""
