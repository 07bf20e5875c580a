"""Copies of the small tables of a lake, for a cursor that only reads.

Each time that a query names a table, DuckLake looks up its files in the catalogue: five queries,
some ten milliseconds, and several times that where the table is empty. A report names 30 tables 150
times. So a cursor looks each of them up once: what is small is copied into a temporary table, which
shadows it for that cursor, and so is what never had a row, of which one query of the catalogue
tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from warehouse.lake.attach import METADATA, NAME, is_lake
from warehouse.lake.writers import snapshot
from warehouse.modules import definitions
from warehouse.sqlfiles import of_sources

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Comments and text.
_UNREAD = re.compile(r"--.*|'[^']*'")
# Rows of a table that is copied, of some 100 bytes each.
_MOST_ROWS = 200_000
# What a table ever had is not of this snapshot, but of a later one: it never becomes less.
_TABLES = f"""
    SELECT table_name, coalesce(any_value(next_row_id), 0)
    FROM {METADATA}.ducklake_table AS t
    LEFT JOIN {METADATA}.ducklake_table_stats USING (table_id)
    JOIN {METADATA}.ducklake_schema AS s USING (schema_id)
    WHERE schema_name = 'main' AND s.end_snapshot IS NULL
      AND t.begin_snapshot <= $now AND coalesce(t.end_snapshot > $now, true)
    GROUP BY table_name
"""


@dataclass(frozen=True, slots=True)
class _Copies:
    """What a cursor has copied, of which snapshot, and the names that are its own otherwise.

    `rows` are the rows that each table of the lake ever had, and more than it has. Of the tables
    `of_files` it needs the rows that fulfil the condition `files`.
    """

    begun: bool = False
    snapshot: int | None = None
    rows: Mapping[str, int] = field(default_factory=dict)
    of_files: frozenset[str] = frozenset()
    files: str = ""
    copied: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()


_OF_CURSORS: WeakKeyDictionary[DuckDBPyConnection, _Copies] = WeakKeyDictionary()


def let_copy(own: DuckDBPyConnection, *, at_once: bool = False) -> None:
    """Let a cursor that only reads copy small tables, where it is of a lake (`one_snapshot`).

    From its second question on, unless `at_once`: one alone is answered faster without.
    """
    if is_lake(own):
        _OF_CURSORS[own] = replace(_OF_CURSORS.get(own, _Copies()), begun=at_once)


def leave_to_cursor(own: DuckDBPyConnection, name: str) -> None:
    """Copy no table of this name any more: the cursor gets a table or view of its own."""
    copies = _OF_CURSORS.get(own)
    if copies is None:
        return
    if name in copies.copied:
        own.execute(f"DROP TABLE temp.main.{name}")
    _OF_CURSORS[own] = replace(copies, copied=copies.copied - {name}, own=copies.own | {name})


def need_files(own: DuckDBPyConnection, tables: Iterable[str], source_ids: Iterable[int]) -> None:
    """Let a cursor read only the rows of some files in those tables that are too large to copy."""
    _OF_CURSORS[own] = replace(
        _OF_CURSORS[own], of_files=frozenset(tables), files=of_sources(source_ids)
    )


@contextmanager
def one_snapshot(con: DuckDBPyConnection, sql: str) -> Iterator[None]:
    """Run a query inside, on a cursor of a lake that may copy, over copies of what it reads.

    These and the tables that are too large to be copied are of the same snapshot.
    """
    before = _OF_CURSORS.get(con)
    if before is None or not before.begun:
        yield
        if before is not None:
            _OF_CURSORS[con] = replace(before, begun=True)
        return
    con.execute("BEGIN")
    try:
        after = _with_tables_of(con, before, sql)
        yield
        con.execute("COMMIT")
    except BaseException:
        import duckdb

        # With the copies that were made inside.
        with suppress(duckdb.Error):
            con.execute("ROLLBACK")
        raise
    _OF_CURSORS[con] = after


def _with_tables_of(con: DuckDBPyConnection, copies: _Copies, sql: str) -> _Copies:
    """Copy the tables that a query reads, and drop copies of an earlier snapshot."""
    now = snapshot(con)
    if now != copies.snapshot:
        for name in copies.copied:
            con.execute(f"DROP TABLE temp.main.{name}")
        known = dict(con.execute(_TABLES, {"now": now}).fetchall())
        copies = replace(copies, snapshot=now, rows=known, copied=frozenset())
    for name in _reached(sql, copies.own) & copies.rows.keys() - copies.copied:
        copies = _with_table(con, copies, name)
    return copies


def _with_table(con: DuckDBPyConnection, copies: _Copies, name: str) -> _Copies:
    """Shadow a table by a copy where it is small, else by a view of the files that are needed."""
    # Names are those of the warehouse's own tables.
    source = f"FROM {NAME}.main.{name}"
    if copies.rows[name] <= _MOST_ROWS:
        # In the order in which the rows landed.
        which = "ORDER BY rowid" if copies.rows[name] else "WITH NO DATA"
        con.execute(f"CREATE TEMP TABLE {name} AS {source} {which}")
        return replace(copies, copied=copies.copied | {name})
    if name in copies.of_files:
        con.execute(f"CREATE TEMP VIEW {name} AS {source} WHERE {copies.files}")
    return replace(copies, own=copies.own | {name})


def _reached(sql: str, but: frozenset[str]) -> set[str]:
    """Return the words of a query and of the views and macros that it names, `but` some of them.

    The tables that it reads are among them.
    """
    texts = definitions()
    found: set[str] = set()
    left = {sql}
    while left:
        new = set(re.findall(r"\w+", _UNREAD.sub("", left.pop()))) - found - but
        found |= new
        left |= {texts[name] for name in new if name in texts}
    return found
