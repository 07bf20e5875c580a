"""Databases of HPCToolkit."""
