"""Training and storing of models behind `pwh fit`."""
