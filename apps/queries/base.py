"""Asking: the rows of a query in sql/queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warehouse import sqlfiles

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def ask(con: DuckDBPyConnection, name: str, /, **params: Any) -> DuckDBPyRelation:
    """Give the rows of `sql/queries/<name>.sql`."""
    return con.sql(sqlfiles.read(f"queries/{name}"), params=params or None)
