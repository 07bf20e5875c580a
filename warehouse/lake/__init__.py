"""Warehouses in DuckLake: Parquet files on shared storage, listed by a catalogue in PostgreSQL.

The connection is one of DuckDB in memory, with the lake attached as the database in use. Tables,
views and macros are in the lake; functions are registered as everywhere. What DuckLake (1.0, with
DuckDB 1.5) lacks is mended here: it has no enumerations, keys, checks, compression of single
columns, and no comments on macros and columns of views (`dialect`); and nothing keeps two
transactions from inserting the same row (`writers`).
"""
