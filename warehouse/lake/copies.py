"""Copies of the small tables of a lake, for cursors that only read.

Each time that a query names a table, DuckLake looks up its files in the catalogue: five queries,
some ten milliseconds, and several times that where the table is empty. A report names 30 tables 150
times. So each is looked up once: what is small is copied into memory, and so is what never had a
row, of which one query of the catalogue tells. All cursors of a connection share the copies of a
snapshot; a temporary view shadows the table for one of them.

Each transaction begins with such a look, too, of some milliseconds: a cursor keeps one open from
question to question.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, WeakSet

from warehouse.lake.attach import METADATA, NAME, Attachment, attachment, use
from warehouse.lake.writers import snapshot
from warehouse.modules import definitions

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Comments and text.
_UNREAD = re.compile(r"--.*|'[^']*'")
# Rows of a table that is copied, of some 100 bytes each.
_MOST_ROWS = 200_000
# The database of the connection itself.
_MEMORY = "memory"
_ORDER = "rowid"
# Orders copies and transactions: one that was begun before a copy was made does not see it.
_TICKS = count()
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


class _Snapshot:
    """Copies of tables as they are in a snapshot, and the cursors that read them.

    `rows` are the rows that each table of the lake ever had, and more than it has; `copied` the
    tables that are copied, with the tick after which transactions see the copy.
    """

    def __init__(self, con: DuckDBPyConnection, number: int) -> None:
        self.number = number
        self.rows: dict[str, int] = dict(con.execute(_TABLES, {"now": number}).fetchall())
        self.copied: dict[str, int] = {}
        self.readers: WeakSet[DuckDBPyConnection] = WeakSet()

    def copy(self, con: DuckDBPyConnection, names: Collection[str]) -> None:
        """Copy tables, unless they are copied already."""
        missing = [name for name in names if name not in self.copied]
        if not missing:
            return
        with con.cursor() as own:
            own.execute("BEGIN")
            for name in missing:
                # In the order in which the rows landed.
                which = "ORDER BY rowid" if self.rows[name] else "WITH NO DATA"
                own.execute(f"CREATE TABLE {self.place(name)} AS FROM {self.source(name)} {which}")
            own.execute("COMMIT")
        self.copied |= dict.fromkeys(missing, next(_TICKS))

    def source(self, name: str) -> str:
        """Return the table of the lake as it is in the snapshot."""
        return f'{NAME}.main."{name}" AT (VERSION => {self.number})'

    def place(self, name: str) -> str:
        """Return the name of the copy of a table."""
        return f'{_MEMORY}.main."{name}_{self.number}"'

    def drop(self, con: DuckDBPyConnection) -> None:
        """Drop all copies."""
        with con.cursor() as own:
            for name in self.copied:
                own.execute(f"DROP TABLE {self.place(name)}")


class _Shared:
    """The copies that all cursors of a connection share, by snapshot."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._snapshots: dict[int, _Snapshot] = {}

    def read(self, con: DuckDBPyConnection, number: int) -> _Snapshot:
        """Return the copies of a snapshot, which a cursor reads from now on.

        Those of other snapshots that nobody reads any more are dropped.
        """
        with self._lock:
            if number not in self._snapshots:
                self._snapshots[number] = _Snapshot(con, number)
            for other in list(self._snapshots.values()):
                if other.number != number and not other.readers:
                    self._snapshots.pop(other.number).drop(con)
            found = self._snapshots[number]
            found.readers.add(con)
        return found

    def copy(self, con: DuckDBPyConnection, of: _Snapshot, names: Collection[str]) -> None:
        """Copy tables; others wait meanwhile, as most of them need the same."""
        with self._lock:
            of.copy(con, names)


@dataclass(frozen=True, slots=True)
class _Copies:
    """What a cursor reads in place of tables, of which snapshot, and the names that are its own.

    `shadowed` are the tables, with the kind of what shadows them: a view of a copy, or of the
    snapshot where the table is too large to be copied, or, for a query of the order of rows, a
    table.

    `since` is the tick before its transaction, None where none is open; `before` what it reads
    where that is rolled back.
    """

    shared: _Shared
    begun: bool = False
    snapshot: _Snapshot | None = None
    shadowed: Mapping[str, str] = field(default_factory=dict)
    own: frozenset[str] = frozenset()
    since: int | None = None
    before: _Copies | None = None


_LOCK = threading.Lock()
_SHARED: WeakKeyDictionary[Attachment, _Shared] = WeakKeyDictionary()
_OF_CURSORS: WeakKeyDictionary[DuckDBPyConnection, _Copies] = WeakKeyDictionary()


def let_copy(own: DuckDBPyConnection) -> None:
    """Let a connection that only reads copy small tables, where it is of a lake (`read_copies`).

    From its second question on: one alone is answered faster without.
    """
    lake = attachment(own)
    if lake is not None:
        _OF_CURSORS.setdefault(own, _Copies(_shared(lake)))


def use_copies(own: DuckDBPyConnection, con: DuckDBPyConnection) -> None:
    """Use the lake on a cursor that only reads, as the connection does that it is of.

    It copies small tables from its first question on, in the transaction that begins here.
    """
    lake = attachment(con)
    if lake is not None:
        _OF_CURSORS[own] = _in_transaction(own, _Copies(_shared(lake), begun=True))
        use(own, con)


def leave_to_cursor(own: DuckDBPyConnection, name: str) -> None:
    """Copy no table of this name any more: the cursor gets, or has, a table or view of its own."""
    copies = _OF_CURSORS.get(own)
    if copies is None:
        return
    copies = _without(own, _committed(own, copies), {name})
    _OF_CURSORS[own] = replace(copies, own=copies.own | {name})


def read_copies(con: DuckDBPyConnection, sql: str) -> None:
    """Let a cursor of a lake that may copy read copies of the tables of a query.

    From then on it reads the lake as it was at its first copy: of tables that are too large to be
    copied the rows of that snapshot, unless a query is interested in their order.

    Where the query fails, `forget_transaction`.
    """
    copies = _OF_CURSORS.get(con)
    if copies is None:
        return
    if not copies.begun:
        _OF_CURSORS[con] = replace(copies, begun=True)
        return
    _OF_CURSORS[con] = copies = _in_transaction(con, copies)
    try:
        _OF_CURSORS[con] = _with_tables_of(con, copies, sql)
    except BaseException:
        forget_transaction(con)
        raise


def forget_transaction(con: DuckDBPyConnection) -> None:
    """Roll back the transaction that a cursor keeps open, where it has one."""
    import duckdb

    copies = _OF_CURSORS.get(con)
    if copies is not None and copies.before is not None:
        with suppress(duckdb.Error):
            con.execute("ROLLBACK")
        _OF_CURSORS[con] = copies.before


def _in_transaction(con: DuckDBPyConnection, copies: _Copies) -> _Copies:
    """Begin a transaction, unless one is open."""
    if copies.since is not None:
        return copies
    since = next(_TICKS)
    con.execute("BEGIN")
    return replace(copies, since=since, before=copies)


def _committed(con: DuckDBPyConnection, copies: _Copies) -> _Copies:
    """Commit the transaction, where one is open."""
    if copies.since is None:
        return copies
    con.execute("COMMIT")
    return replace(copies, since=None, before=None)


def _with_tables_of(con: DuckDBPyConnection, copies: _Copies, sql: str) -> _Copies:
    """Shadow the tables that a query reads by those of the cursor's snapshot."""
    of = copies.snapshot or copies.shared.read(con, snapshot(con))
    words, ordered = _reached(sql, copies.own)
    views = {name for name, kind in copies.shadowed.items() if kind == "VIEW"}
    copies = _without(con, copies, views & ordered)
    new = words & of.rows.keys() - copies.shadowed.keys()
    if not new:
        return replace(copies, snapshot=of)
    small = {name for name in new if of.rows[name] <= _MOST_ROWS}
    copies.shared.copy(con, of, small)
    kinds = {name: "TABLE" if name in ordered else "VIEW" for name in small}
    large = new - small - ordered
    if copies.since is None or any(of.copied[name] > copies.since for name in small):
        copies = _in_transaction(con, _committed(con, copies))
    for name, kind in kinds.items():
        con.execute(f'CREATE TEMP {kind} "{name}" AS FROM {of.place(name)}')
    for name in large:
        con.execute(f'CREATE TEMP VIEW "{name}" AS FROM {of.source(name)}')
    kinds |= dict.fromkeys(large, "VIEW")
    return replace(
        copies,
        snapshot=of,
        shadowed={**copies.shadowed, **kinds},
    )


def _shared(lake: Attachment) -> _Shared:
    with _LOCK:
        return _SHARED.setdefault(lake, _Shared())


def _without(con: DuckDBPyConnection, copies: _Copies, names: Collection[str]) -> _Copies:
    """Let a cursor read those tables themselves again."""
    for name in names & copies.shadowed.keys():
        con.execute(f'DROP {copies.shadowed[name]} temp.main."{name}"')
    left = {name: kind for name, kind in copies.shadowed.items() if name not in names}
    return replace(copies, shadowed=left)


def _reached(sql: str, but: frozenset[str]) -> tuple[set[str], set[str]]:
    """Return the words of a query and of the views and macros that it names, `but` some of them.

    The tables that it reads are among them; among the second ones those in the order of whose rows
    (rowid) it is interested, which a view does not have.
    """
    texts = definitions()
    found: set[str] = set()
    ordered: set[str] = set()
    left = {sql}
    while left:
        words = set(re.findall(r"\w+", _UNREAD.sub("", left.pop())))
        if _ORDER in words:
            ordered |= words
        new = words - found - but
        found |= new
        left |= {texts[name] for name in new if name in texts}
    return found, ordered
