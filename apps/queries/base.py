"""Questions: queries of sql/queries, by their name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from warehouse import sqlfiles
from warehouse.lake.copies import (
    forget_transaction,
    read_copies,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_NUMBER = count()


@dataclass(frozen=True, slots=True)
class Question:
    """A query of sql/queries (`name` is topic/question) with its parameters."""

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sql(self) -> str:
        """The SELECT, without a semicolon at its end."""
        return sqlfiles.read(f"queries/{self.name}").strip().removesuffix(";")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that the warehouse answered: its name, SQL and parameters."""

    name: str
    sql: str
    params: dict[str, Any]


_REMEMBERED: ContextVar[list[Asked] | None] = ContextVar("_REMEMBERED", default=None)


@contextmanager
def remembering() -> Iterator[list[Asked]]:
    """Yield a list to which every question asked inside is added, to be shown."""
    asked: list[Asked] = []
    token = _REMEMBERED.set(asked)
    try:
        yield asked
    finally:
        _REMEMBERED.reset(token)


def ask(con: DuckDBPyConnection, name: str, /, **params: Any) -> DuckDBPyRelation:
    """Return the rows of `sql/queries/<name>.sql`, computed at once.

    They are stored in a temporary table: DuckDB's `sql` with parameters holds Python's lock while
    it computes, for which a Python function in another thread would wait for ever.
    """
    return _computed(con, name, Question(name).sql, params)


def ask_page(
    con: DuckDBPyConnection, question: Question, limit: int, offset: int
) -> DuckDBPyRelation:
    """Return `limit` rows of a question from row `offset` on, and compute only those.

    Parameters of the query may not be named limit or offset.
    """
    query = f"FROM (\n{question.sql}\n)\nLIMIT $limit OFFSET $offset"
    params = {**question.params, "limit": limit, "offset": offset}
    return _computed(con, question.name, query, params)


def ask_count(con: DuckDBPyConnection, question: Question) -> int:
    """Return the number of rows that a question has."""
    query = f"SELECT count(*) AS rows\nFROM (\n{question.sql}\n)"
    row = _computed(con, question.name, query, dict(question.params)).fetchone()
    return int(row[0]) if row else 0


def _computed(
    con: DuckDBPyConnection, name: str, query: str, params: dict[str, Any]
) -> DuckDBPyRelation:
    remembered = _REMEMBERED.get()
    if remembered is not None:
        remembered.append(Asked(name, query, params))
    table = f"_asked_{next(_NUMBER)}"
    _execute(con, f"CREATE TEMP TABLE {table} AS {query}", params)
    return con.table(table)


def _execute(
    con: DuckDBPyConnection, query: str, params: Mapping[str, Any] | None = None
) -> DuckDBPyConnection:
    """Execute a query, over a lake on copies of its tables."""
    read_copies(con, query)
    try:
        return con.execute(query, dict(params or {}) or None)
    except BaseException:
        forget_transaction(con)
        raise
