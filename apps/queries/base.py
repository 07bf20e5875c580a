"""Questions: queries of sql/queries, and cursors narrowed to the rows that they share."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from warehouse import sqlfiles
from warehouse.catalog import by_run_and_source
from warehouse.connection import reading_cursor
from warehouse.lake.attach import is_lake
from warehouse.lake.copies import (
    forget_transaction,
    leave_to_cursor,
    let_copy,
    need_files,
    read_copies,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_NUMBER = count()
# Rows copied at most for the questions of a page or command; about 150 bytes each.
MOST_COPIED = 2_000_000
# Files of runs that are named one by one in a condition.
_MOST_FILES = 1000
# Tables whose rows are asked for in their order (rowid), which a view of them does not have.
_ORDERED = ("metrics", "segments")


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


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What several questions have in common: a part of some tables, and views computed from it.

    `of_all_runs` are rows of views that need every run, and are copied before anything is narrowed.
    `runs` is a question whose rows are runs (run_id): of landing tables the rows of their files
    remain, which DuckDB finds without reading the others. Nothing is copied for that.
    `rows` are the remaining rows of tables or views, by name; `views` are computed once from them,
    in this order. Rows are copied, which takes memory: a table that would have more than `most`
    rows (None: no limit) is not narrowed, and no view is computed then. `empty_without` are views
    that have no rows where none of their tables (among those of `rows`) has any: to find that out
    DuckDB would plan them anew for each question.
    """

    rows: Mapping[str, Question] = field(default_factory=dict)
    views: tuple[str, ...] = ()
    empty_without: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    most: int | None = MOST_COPIED
    runs: Question | None = None
    of_all_runs: Mapping[str, Question] = field(default_factory=dict)


def those_runs(run_ids: Sequence[str]) -> Question:
    """Return the question whose rows are these runs."""
    return Question("runs/those", {"runs": json.dumps(list(run_ids))})


@contextmanager
def narrowed(con: DuckDBPyConnection, narrowing: Narrowing) -> Iterator[DuckDBPyConnection]:
    """Yield a separate cursor on which tables have only the rows of the narrowing.

    Questions have the same answers there, and are faster where they share rows.
    """
    own = reading_cursor(con)
    try:
        narrow(own, narrowing)
        yield own
    finally:
        own.close()


def narrow(own: DuckDBPyConnection, narrowing: Narrowing) -> None:
    """Narrow tables for one cursor until it is closed.

    A temporary table shadows the table or view of its name for this cursor alone, also where the
    database is read-only, and every view built on that name reads it.
    """
    let_copy(own)
    # Names of tables and views are those of the functions in apps.queries, never from outside.
    if None in _copies(own, narrowing.of_all_runs, narrowing.most).values():
        return
    if narrowing.runs is not None:
        _narrow_to_files(own, narrowing.runs)
    copied = _copies(own, narrowing.rows, narrowing.most)
    if None in copied.values():
        return
    empty = [
        view
        for view, tables in narrowing.empty_without.items()
        if not any(copied[table] for table in tables)
    ]
    for view in empty:
        own.execute(f"CREATE TEMP TABLE {view} AS FROM {view} WITH NO DATA")
        leave_to_cursor(own, view)
    for view in narrowing.views:
        if view not in empty:
            _execute(own, f"CREATE TEMP TABLE {view} AS FROM {view}")
            leave_to_cursor(own, view)


def _narrow_to_files(own: DuckDBPyConnection, runs: Question) -> None:
    """Narrow landing tables to the files of runs, unless these are many or some are unknown."""
    query = sqlfiles.read("queries/runs/files").format(runs=runs.sql)
    row = _execute(own, query, runs.params).fetchone()
    database, source_ids = row or ("", None)
    if source_ids is None or len(source_ids) > _MOST_FILES:
        return
    tables = [table for table in by_run_and_source() if table not in _ORDERED]
    if is_lake(own):
        need_files(own, tables, source_ids)
        return
    for table in tables:
        own.execute(
            f"CREATE TEMP VIEW {table} AS FROM {sqlfiles.identifier(database)}.main.{table} "
            f"WHERE {sqlfiles.of_sources(source_ids)}"
        )


def _copies(
    own: DuckDBPyConnection, rows: Mapping[str, Question], most: int | None
) -> dict[str, int | None]:
    """Copy the rows of tables and views, and return their numbers (`_copied`) by name."""
    return {name: _copied(own, name, question, most) for name, question in rows.items()}


def _copied(own: DuckDBPyConnection, name: str, question: Question, most: int | None) -> int | None:
    """Copy the rows of a table and return their number; None where they are more than `most`."""
    limit = "" if most is None else f" LIMIT {most + 1}"
    copy = f"_copied_{next(_NUMBER)}"
    query = f"CREATE TEMP TABLE {copy} AS FROM ({question.sql}){limit}"
    ((rows,),) = _execute(own, query, question.params).fetchall()
    if most is None or rows <= most:
        leave_to_cursor(own, name)
        own.execute(f"DROP VIEW IF EXISTS temp.main.{name}")
        own.execute(f"ALTER TABLE temp.main.{copy} RENAME TO {name}")
        return int(rows)
    own.execute(f"DROP TABLE temp.main.{copy}")
    return None


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
