"""The version of pwh, kept apart so that the build reads it without importing anything."""

__version__ = "0.1.0"
