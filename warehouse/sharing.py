"""One read-only connection per file for a process of many threads, open only while in use.

Connecting takes some ten milliseconds, a cursor none.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse.address import Address
from warehouse.connection import connect, cursor

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(slots=True)
class _Shared:
    """A connection and the number of its readers."""

    con: DuckDBPyConnection
    readers: int


_LOCK = threading.Lock()
_OPEN: dict[Address, _Shared] = {}


@contextmanager
def shared_reading(path: Address, *, wait: float) -> Iterator[DuckDBPyConnection]:
    """Yield a cursor of a shared read-only connection; the last reader closes the file.

    Raises what `warehouse.connect` does.
    """
    key = path.resolve()
    with _LOCK:
        shared = _taken(key)
    if shared is None:
        # Outside the lock: who waits for the file keeps nobody else waiting.
        con = connect(path, read_only=True, wait=wait)
        with _LOCK:
            shared = _taken(key)
            if shared is None:
                shared = _OPEN[key] = _Shared(con, 1)
            else:
                con.close()
    own = None
    try:
        own = cursor(shared.con)
        yield own
    finally:
        with _LOCK:
            if own is not None:
                own.close()
            shared.readers -= 1
            if not shared.readers:
                del _OPEN[key]
                shared.con.close()


def _taken(key: Path) -> _Shared | None:
    """Return the open connection to a file with one reader more; None where there is none."""
    shared = _OPEN.get(key)
    if shared is not None:
        shared.readers += 1
    return shared
