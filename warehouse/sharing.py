"""One reading connection per file for a process of many threads, open only while it is used.

DuckDB keeps one instance of a file per process and every function of Python once in it, so
threads cannot each connect by themselves; they take cursors of one connection instead.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.connection import connect

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(slots=True)
class _Held:
    """A connection and the number of those who read through it."""

    con: DuckDBPyConnection
    readers: int = 0


_LOCK = threading.Lock()
_HELD: dict[Path, _Held] = {}


@contextmanager
def shared_reading(path: Path, *, wait: float) -> Iterator[DuckDBPyConnection]:
    """Give a read-only connection of one's own; the last one to leave closes the file.

    Raises what `warehouse.connect` does.
    """
    key = path.resolve()
    with _LOCK:
        held = _HELD.get(key)
        if held is None:
            held = _HELD[key] = _Held(connect(path, read_only=True, wait=wait))
        held.readers += 1
        cursor = held.con.cursor()
    try:
        # A cursor begins with the time zone of the computer.
        cursor.execute("SET TimeZone = 'UTC'")
        yield cursor
    finally:
        with _LOCK:
            cursor.close()
            held.readers -= 1
            if not held.readers:
                del _HELD[key]
                held.con.close()
