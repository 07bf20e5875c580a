"""Asking: the rows of a query in sql/queries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from warehouse import sqlfiles

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_NUMBER = count()


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was put to the warehouse: its name, SQL and parameters."""

    name: str
    sql: str
    params: dict[str, Any]


_REMEMBERED: ContextVar[list[Asked] | None] = ContextVar("_REMEMBERED", default=None)


@contextmanager
def remembering() -> Iterator[list[Asked]]:
    """Give a list that takes up every question asked inside, for those who show them."""
    asked: list[Asked] = []
    token = _REMEMBERED.set(asked)
    try:
        yield asked
    finally:
        _REMEMBERED.reset(token)


def ask(con: DuckDBPyConnection, name: str, /, **params: Any) -> DuckDBPyRelation:
    """Give the rows of `sql/queries/<name>.sql`, computed now.

    They are kept in a temporary table: DuckDB's `sql` with parameters holds Python's lock while
    it computes, for which a function of Python in another thread would wait for ever.
    """
    return _kept(con, name, sqlfiles.read(f"queries/{name}"), params)


def ask_page(
    con: DuckDBPyConnection, name: str, /, limit: int, offset: int, **params: Any
) -> DuckDBPyRelation:
    """Give `limit` rows of a query from row `offset` on, and never compute more of it than that.

    Parameters of the query may not be named limit or offset.
    """
    query = f"FROM (\n{_inner(name)}\n)\nLIMIT $limit OFFSET $offset"
    return _kept(con, name, query, {**params, "limit": limit, "offset": offset})


def ask_count(con: DuckDBPyConnection, name: str, /, **params: Any) -> int:
    """Give the number of rows that a query has."""
    query = f"SELECT count(*) AS rows\nFROM (\n{_inner(name)}\n)"
    row = _kept(con, name, query, params).fetchone()
    return int(row[0]) if row else 0


def _inner(name: str) -> str:
    return sqlfiles.read(f"queries/{name}").strip().removesuffix(";")


def _kept(
    con: DuckDBPyConnection, name: str, query: str, params: dict[str, Any]
) -> DuckDBPyRelation:
    remembered = _REMEMBERED.get()
    if remembered is not None:
        remembered.append(Asked(name, query, params))
    table = f"_asked_{next(_NUMBER)}"
    con.execute(f"CREATE TEMP TABLE {table} AS {query}", params or None)
    return con.table(table)
