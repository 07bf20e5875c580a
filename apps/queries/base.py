"""Asking: the rows of a query in sql/queries."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from warehouse import sqlfiles

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_NUMBER = count()


def ask(con: DuckDBPyConnection, name: str, /, **params: Any) -> DuckDBPyRelation:
    """Give the rows of `sql/queries/<name>.sql`, computed now.

    They are kept in a temporary table: DuckDB's `sql` with parameters holds Python's lock while
    it computes, for which a function of Python in another thread would wait for ever.
    """
    table = f"_asked_{next(_NUMBER)}"
    query = sqlfiles.read(f"queries/{name}")
    con.execute(f"CREATE TEMP TABLE {table} AS {query}", params or None)
    return con.table(table)
