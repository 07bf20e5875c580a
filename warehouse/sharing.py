"""Connections of many threads to one file: a shared one to read, one at a time to write.

Connecting takes some ten milliseconds, a cursor none. To a warehouse that pwh serves it takes
0.3 s and 0.02 s, to a lake up to a second, and no file is kept from anyone: there a connection is
used for a minute.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from warehouse.address import Address
from warehouse.connection import connect, cursor
from warehouse.errors import WarehouseError
from warehouse.opened import closing_in_place
from warehouse.queue import waiting_writers
from warehouse.session import Connection


@dataclass(slots=True)
class _Shared:
    """A connection, the number of its readers, and until when it is kept without any."""

    con: Connection
    readers: int
    until: float

    @property
    def is_over(self) -> bool:
        """Whether the connection is to be closed."""
        return not self.readers and time.monotonic() >= self.until


_KEPT = 60.0  # s; then the versions of both sides are compared again
_LOCK = threading.Lock()
_OPEN: dict[Address, _Shared] = {}


@contextmanager
def shared_reading(path: Address, *, wait: float) -> Iterator[Connection]:
    """Yield a cursor of a shared read-only connection; the last reader of a file closes it.

    While a writer waits, nobody joins those who read. Raises what `warehouse.connect` does.
    """
    key = path.resolve()
    must_wait = isinstance(key, Path) and bool(waiting_writers(key))
    with _LOCK:
        over = _without_readers(key)
        shared = None if must_wait else _taken(key)
    if over is not None:
        over.close()
    own = None if shared is None else _cursor(key, shared)
    if shared is None or own is None:
        # Outside the lock: who waits for the file keeps nobody else waiting.
        con = connect(path, read_only=True, create=False, wait=wait, with_threads=True)
        with _LOCK:
            shared = _taken(key)
            if shared is None:
                kept = 0.0 if isinstance(key, Path) else _KEPT
                shared = _OPEN[key] = _Shared(con, 1, time.monotonic() + kept)
            else:
                con.close()
    try:
        if own is None:
            own = cursor(shared.con)
        yield own
    finally:
        if own is not None:
            own.close()
        _leave(key, shared)


@contextmanager
def writing(path: Address, *, wait: float) -> Iterator[Connection]:
    """Yield a connection for writing to a warehouse, which other threads of the process may read.

    Raises what `warehouse.connect` does, and `WarehouseMoved`.
    """
    con = connect(path, create=False, wait=wait, with_threads=True)
    with closing_in_place(con):
        yield con


def _cursor(key: Address, shared: _Shared) -> Connection | None:
    """Return a cursor of a connection, which is left where its server was restarted: then None."""
    import duckdb

    if isinstance(key, Path):
        return cursor(shared.con)
    own = None
    try:
        own = cursor(shared.con)
        own.execute("SELECT 1").fetchone()
        return own
    except (duckdb.Error, WarehouseError):
        if own is not None:
            own.close()
        with _LOCK:
            shared.until = 0.0
            if _OPEN.get(key) is shared:
                del _OPEN[key]
        _leave(key, shared)
        return None


def _leave(key: Address, shared: _Shared) -> None:
    """Take one reader away; close the connection with the last one, unless it is kept."""
    with _LOCK:
        shared.readers -= 1
        if not shared.is_over:
            return
        if _OPEN.get(key) is shared:
            del _OPEN[key]
    shared.con.close()


def _without_readers(key: Address) -> Connection | None:
    """Return the open connection to a file that nobody needs any longer, no longer shared."""
    shared = _OPEN.get(key)
    if shared is None or not shared.is_over:
        return None
    del _OPEN[key]
    return shared.con


def _taken(key: Address) -> _Shared | None:
    """Return the open connection to a file with one reader more; None if there is none."""
    shared = _OPEN.get(key)
    if shared is not None:
        shared.readers += 1
    return shared
