"""Recording: running a program, with tools beside it that write recordings into files."""
