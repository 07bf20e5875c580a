"""SQLite databases that tools write, read without DuckDB's extension, which need not be there.

What a recording contains was written by anybody. Of a database only tables with declared columns
are read: a view or a computed column is code, which may run for ever. And a table whose pages refer
to one another in circles has rows without end, so that rows and time are limited.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import numpy as np

from ingest.parsing.timelines.tables import UNKNOWN
from udfs.arrays import Integers
from warehouse.errors import InputError

MAGIC = b"SQLite format 3\0"
_ROWS = 100_000
_HEADER = 100
# A table of rocpd has the id of its process at the end of its name, and a view without it.
_ID = re.compile("_[0-9a-f]{8}(_[0-9a-f]{4}){3}_[0-9a-f]{12}")
_BYTES_OF_ROW = 4  # of the shortest: its place, its size, its number, its header
_SECONDS, _BYTES_A_SECOND = 60.0, 1e6  # a hundredth of the speed at which events are read
_STEPS = 100_000  # of SQLite's, some milliseconds, between two looks at the clock
_SHORTEST_LIMIT = 1 << 16  # bytes of a value: more than the longest that is computed here


class SqliteFile:
    """An open database of so many bytes.

    `tables` have the names of their declared columns, all in lower case. Nothing else is read.
    """

    def __init__(self, connection: sqlite3.Connection, size: int) -> None:
        self._connection = connection
        self._most_rows = size // _BYTES_OF_ROW
        self.tables: dict[str, frozenset[str]] = {}
        self._others: dict[str, str] = {}
        parts: dict[str, list[str]] = {}
        listed = "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view')"
        for name, kind, sql in connection.execute(listed).fetchall():
            if str(sql).startswith("CREATE TABLE "):
                parts.setdefault(_ID.sub("", name.lower()), []).append(name)
                self.tables[name.lower()] = self._columns(name)
            else:
                self._others[name.lower()] = "virtual table" if kind == "table" else kind
        for name, own in parts.items():
            if name not in self.tables:
                self._put_together(name, own)
        connection.set_authorizer(self._may)

    def _columns(self, table: str) -> frozenset[str]:
        # Without those that are computed.
        found = self._connection.execute("SELECT name FROM pragma_table_info(?)", [table])
        return frozenset(str(name).lower() for (name,) in found)

    def _put_together(self, name: str, parts: Sequence[str]) -> None:
        """Put a view of pwh's own in place of the file's: of the rows of some tables."""
        columns = frozenset.intersection(*(self.tables[part.lower()] for part in parts))
        listed = ", ".join(map(_quoted, sorted(columns)))
        rows = " UNION ALL ".join(f"SELECT {listed} FROM main.{_quoted(part)}" for part in parts)
        self._connection.execute(f"CREATE TEMP VIEW {_quoted(name)} AS {rows}")
        self.tables[name] = columns
        self._others.pop(name, None)

    def _may(self, action: int, table: str | None, column: str | None, *_: str | None) -> int:
        """Return whether a statement may do this: read a declared column, or call a function."""
        if action == sqlite3.SQLITE_READ:
            # A number of rows is that of no column.
            columns = {"", "rowid", *self.tables.get(str(table).lower(), ())}
            known = str(table).lower() in self.tables and str(column).lower() in columns
            return sqlite3.SQLITE_OK if known else sqlite3.SQLITE_DENY
        allowed = action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION)
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    def has(self, table: str, *columns: str) -> bool:
        """Return whether there is a table with such columns.

        Raises `InputError` where something else has the table's name.
        """
        if kind := self._others.get(table.lower()):
            raise InputError(
                f"{table} is a {kind}, not a table",
                expected="a table of its rows",
                hint="Export the recording again with its own tool.",
            )
        return table.lower() in self.tables and self.tables[table.lower()].issuperset(
            column.lower() for column in columns
        )

    def integers(self, source: str, columns: Sequence[str], where: str = "true") -> list[Integers]:
        """Return columns (SQL expressions) of tables as whole numbers, UNKNOWN where NULL.

        Raises `InputError` where a value is not a whole number.
        """
        known = ", ".join(f"coalesce({column}, {UNKNOWN})" for column in columns)
        batches = []
        for rows in self._batches(f"SELECT {known} FROM {source} WHERE {where}"):
            batch = np.array(rows)
            if batch.dtype != np.int64:
                raise InputError(
                    "a value is not a whole number", where=f"table {source[:80]}", expected="int64"
                )
            batches.append(batch)
        if not batches:
            return [np.zeros(0, np.int64) for _ in columns]
        return list(np.concatenate(batches).T.copy())

    def texts(self, query: str) -> dict[int, str]:
        """Return the texts of a query of (number, text) by their numbers."""
        return {
            number: str(text)
            for number, text in self._rows(query)
            if isinstance(number, int) and text is not None
        }

    def value(self, query: str) -> object:
        """Return the first value of a query, None where it has no row."""
        row = next(iter(self._rows(query)), None)
        return None if row is None else row[0]

    def count(self, table: str) -> int:
        """Return the number of rows of a table; 0 if there is none of that name."""
        if not self.has(table):
            return 0
        return int(str(self.value(f'SELECT count(*) FROM "{table}"')))

    def _rows(self, query: str) -> Iterator[tuple[object, ...]]:
        for rows in self._batches(query):
            yield from rows

    def _batches(self, query: str) -> Iterator[list[tuple[object, ...]]]:
        cursor = self._connection.execute(query)
        left = self._most_rows
        while rows := cursor.fetchmany(_ROWS):
            left -= len(rows)
            if left < 0:
                raise InputError(
                    f"the SQLite database has more than {self._most_rows:,} rows where so many do "
                    "not fit into it",
                    expected="a whole database",
                    hint="Copy or export it again.",
                )
            yield rows


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def opened(path: str | Path) -> Iterator[SqliteFile]:
    """Open a database read-only; raise `InputError` where it is damaged, or takes too long."""
    size = _checked_size(Path(path))
    # What another process appends to it is not waited for: the file is taken as it is.
    connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    connection.execute("PRAGMA trusted_schema = OFF")
    # No value is longer than the file.
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(size, _SHORTEST_LIMIT))
    seconds = _SECONDS + size / _BYTES_A_SECOND
    until = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
    try:
        yield SqliteFile(connection, size)
    except (sqlite3.Error, sqlite3.Warning) as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            if time.monotonic() <= until:
                # SQLite asks in between, and takes Ctrl-C for a no.
                raise KeyboardInterrupt from None
            raise InputError(
                f"the SQLite database cannot be read within {seconds:.0f} s",
                expected="tables that are read at 1 MB/s or more",
                hint="Copy or export it again.",
            ) from None
        raise InputError(
            f"the SQLite database cannot be read ({str(error)[:120]})",
            expected="a whole database of tables with declared columns",
            hint="Copy or export it again.",
        ) from None
    finally:
        connection.close()


def _checked_size(path: Path) -> int:
    """Return the size of a file.

    Raises `InputError` where the end is missing, which SQLite would read as zeros.
    """
    with path.open("rb") as file:
        header = file.read(_HEADER)
    page = int.from_bytes(header[16:18], "big")
    expected = int.from_bytes(header[28:32], "big") * (1 << 16 if page == 1 else page)
    found = path.stat().st_size
    # The number of pages is valid where the change counter has its copy.
    if len(header) < _HEADER or (header[24:28] == header[92:96] and found < expected):
        raise InputError(
            f"the SQLite database has {found:,} of {expected:,} bytes",
            expected="a whole database",
            hint="Copy or export it again.",
        )
    return found
