"""Files in, rows out: one reader a format, one writer for all."""
