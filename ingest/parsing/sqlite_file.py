"""SQLite databases that tools write, read without DuckDB's extension, which need not be there."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from ingest.parsing.timelines.tables import UNKNOWN
from warehouse.errors import InputError

Integers = npt.NDArray[np.int64]

MAGIC = b"SQLite format 3\0"
_ROWS = 100_000
_HEADER = 100


class SqliteFile:
    """An open database. `tables` (and views) have their columns' names, all in lower case."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.tables: dict[str, frozenset[str]] = {}
        for (name,) in self._rows("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"):
            # A view over what is missing is as good as none.
            with suppress(sqlite3.OperationalError):
                columns = connection.execute("SELECT name FROM pragma_table_info(?)", [name])
                self.tables[str(name).lower()] = frozenset(str(c).lower() for (c,) in columns)

    def has(self, table: str, *columns: str) -> bool:
        """Return whether there is a table with such columns."""
        return table.lower() in self.tables and self.tables[table.lower()].issuperset(
            column.lower() for column in columns
        )

    def integers(self, source: str, columns: Sequence[str], where: str = "true") -> list[Integers]:
        """Return columns (SQL expressions) of tables as whole numbers, UNKNOWN where NULL.

        Raises `InputError` where a value is not a whole number.
        """
        known = ", ".join(f"coalesce({column}, {UNKNOWN})" for column in columns)
        cursor = self._connection.execute(f"SELECT {known} FROM {source} WHERE {where}")
        batches = []
        while rows := cursor.fetchmany(_ROWS):
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
        """Return the number of rows of a table; 0 where there is none of that name."""
        if table.lower() not in self.tables:
            return 0
        return int(str(self.value(f'SELECT count(*) FROM "{table}"')))

    def _rows(self, query: str) -> Iterator[tuple[object, ...]]:
        yield from self._connection.execute(query)


@contextmanager
def opened(path: str | Path) -> Iterator[SqliteFile]:
    """Open a database read-only; raise `InputError` where it is damaged."""
    _check_size(Path(path))
    # What another process appends to it is not waited for: the file is taken as it is.
    connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        yield SqliteFile(connection)
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise InputError(
            f"the SQLite database cannot be read ({str(error)[:120]})",
            expected="a whole database",
            hint="Copy or export it again.",
        ) from None
    finally:
        connection.close()


def _check_size(path: Path) -> None:
    """Raise `InputError` where the end is missing, which SQLite would read as zeros."""
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
