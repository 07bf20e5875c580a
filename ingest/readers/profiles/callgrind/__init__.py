"""Reader of callgrind profiles."""
