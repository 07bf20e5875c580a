"""Dask: cluster dumps."""
