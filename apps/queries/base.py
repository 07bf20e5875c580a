"""Asking: the rows of a query in sql/queries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from warehouse import sqlfiles

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_NUMBER = count()
# Rows of a table that are copied for the questions of a page or command; about 150 bytes each.
MOST_HELD = 2_000_000
# How questions name what may be held: query_table($of || 'bottlenecks'), _scaling_models_of($of).
_OF = (
    (re.compile(r"query_table\(\$of \|\| '(\w+)'\)"), r"\1"),
    (re.compile(r"\b_(\w+)_of\(\$of\)"), r"\1"),
    (re.compile(r"\b_(\w+)_of\(\$of, "), r"\1("),
)


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


@dataclass(slots=True)
class Held:
    """What questions over one connection share; it is to be thrown away with the connection.

    `names` are the beginnings of temporary tables' names by the parameters of what they hold,
    `tables` those tables, and `answers` the tables of answers by question and parameters.
    """

    names: dict[str, str] = field(default_factory=dict)
    tables: set[str] = field(default_factory=set)
    answers: dict[tuple[str, str], str] = field(default_factory=dict)


_HELD: ContextVar[Held | None] = ContextVar("_HELD", default=None)


@contextmanager
def holding(held: Held) -> Iterator[None]:
    """Let the questions asked inside over one connection share what they stand on."""
    token = _HELD.set(held)
    try:
        yield
    finally:
        _HELD.reset(token)


def hold(
    con: DuckDBPyConnection, views: Mapping[str, str], *, most: int | None = None, **params: Any
) -> str:
    """Give the parameter `of` of questions: what stands before the names of `views` there.

    Inside `holding` that is the beginning of the names of temporary tables, each with the rows of
    `sql/queries/<views[name]>.sql` and computed once; elsewhere it is empty, and questions go to
    the views. So it is where the first of these has more than `most` rows, for rows that are held
    take memory. $view, where that query has it, is the name.
    """
    held = _HELD.get()
    if held is None:
        return ""
    known = repr(params)
    for view, name in views.items():
        query = _inner(name)
        given = {"view": view, **params} if "$view" in query else params
        if known not in held.names:
            is_small = most is None or _rows_of(con, query, given) <= most
            held.names[known] = f"_held_{next(_NUMBER)}_" if is_small else ""
        if not held.names[known]:
            return ""
        if (table := held.names[known] + view) not in held.tables:
            con.execute(f"CREATE TEMP TABLE {table} AS {query}", given or None)
            held.tables.add(table)
    return held.names[known]


def _rows_of(con: DuckDBPyConnection, query: str, params: dict[str, Any]) -> int:
    row = con.execute(f"SELECT count(*) FROM ({query})", params or None).fetchone()
    return int(row[0]) if row else 0


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
        remembered.append(_as_public(name, query, params))
    answers = held.answers if (held := _HELD.get()) is not None else {}
    table = answers.get((query, repr(params)))
    if table is None:
        table = f"_asked_{next(_NUMBER)}"
        con.execute(f"CREATE TEMP TABLE {table} AS {query}", params or None)
        answers[query, repr(params)] = table
    return con.table(table)


def _as_public(name: str, query: str, params: dict[str, Any]) -> Asked:
    """Give a question as it is put to the views, whatever was held."""
    for pattern, public in _OF:
        query = pattern.sub(public, query)
    return Asked(name, query, {key: value for key, value in params.items() if key != "of"})
