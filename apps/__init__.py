"""The command line and the app."""
