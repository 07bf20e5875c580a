"""Score-P profiles: the cubes of Cube 4."""
