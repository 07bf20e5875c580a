"""Warehouses that another process has open: DuckDB's Quack server, and pwh as its client."""
