"""Questions: queries of sql/queries, asked by their name, which is topic/question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from math import isfinite
from typing import Any

from apps.output.tables import Row, dicts
from warehouse import sqlfiles
from warehouse.session import Connection, Relation

_NUMBER = count()


@dataclass(frozen=True, slots=True)
class Query:
    """A question that the warehouse answered: its name, SQL and parameters."""

    name: str
    sql: str
    params: Mapping[str, Any]

    def text(self) -> str:
        """Return the question with its parameters in it, to be run elsewhere."""
        return _PARAMETERS.sub(
            lambda found: literal(self.params[found[1]]) if found[1] else found[0],
            self.sql.strip(),
        )


# A parameter, or what only looks as if it had one: a comment, a text.
_PARAMETERS = re.compile(r"--[^\n]*|'(?:[^']|'')*'|\$(\w+)")


def literal(value: Any) -> str:
    """Return a value as SQL writes it."""
    match value:
        case None:
            return "NULL"
        case int() | float() if isfinite(value):
            return str(value)
        case datetime():
            return f"TIMESTAMPTZ '{value.isoformat()}'"
        case list() | tuple():
            return f"[{', '.join(map(literal, value))}]"
        case dict():
            parts = (f"{literal(key)}: {literal(one)}" for key, one in value.items())
            return f"MAP {{{', '.join(parts)}}}"
    return sqlfiles.literal(str(value))


_REMEMBERED: ContextVar[list[Query] | None] = ContextVar("_REMEMBERED", default=None)


@contextmanager
def remembering() -> Iterator[list[Query]]:
    """Yield a list to which every question asked inside is added, to be shown."""
    queries: list[Query] = []
    token = _REMEMBERED.set(queries)
    try:
        yield queries
    finally:
        _REMEMBERED.reset(token)


def ask(con: Connection, name: str, /, **params: Any) -> Relation:
    """Return the rows of `sql/queries/<name>.sql`, computed at once.

    They are stored in a temporary table: DuckDB's `sql` with parameters holds Python's lock while
    it computes, for which a Python function in another thread would wait for ever.
    """
    return _computed(con, name, _sql(name), params)


def ask_dicts(con: Connection, name: str, /, **params: Any) -> list[Row]:
    """Return the rows of a question as dictionaries; for few rows."""
    return dicts(ask(con, name, **params))


def ask_column(con: Connection, name: str, /, **params: Any) -> list[Any]:
    """Return the first column of a question's rows."""
    return [row[0] for row in ask(con, name, **params).fetchall()]


def ask_value(con: Connection, name: str, /, **params: Any) -> Any:
    """Return the first column of a question's first row; None without rows."""
    return next(iter(ask_column(con, name, **params)), None)


def ask_page(
    con: Connection, name: str, params: Mapping[str, Any], limit: int, offset: int
) -> Relation:
    """Return `limit` rows of a question from row `offset` on, and compute only those.

    Parameters of the query may not be named limit or offset.
    """
    query = f"FROM (\n{_sql(name)}\n)\nLIMIT $limit OFFSET $offset"
    return _computed(con, name, query, {**params, "limit": limit, "offset": offset})


def ask_count(con: Connection, name: str, params: Mapping[str, Any]) -> int:
    """Return the number of rows that a question has."""
    query = f"SELECT count(*) AS rows\nFROM (\n{_sql(name)}\n)"
    row = _computed(con, name, query, params).fetchone()
    return int(row[0]) if row else 0


def _sql(name: str) -> str:
    return sqlfiles.read(f"queries/{name}").strip().removesuffix(";")


def _computed(con: Connection, name: str, query: str, params: Mapping[str, Any]) -> Relation:
    remembered = _REMEMBERED.get()
    if remembered is not None:
        remembered.append(Query(name, query, params))
    table = f"_asked_{next(_NUMBER)}"
    con.execute(f"CREATE TEMP TABLE {table} AS {query}", params or None)
    return con.table(table)
