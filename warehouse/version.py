"""The version of pwh, kept apart so that the build reads it without importing anything."""

__version__ = "1.0.0"
