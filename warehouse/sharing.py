"""Connections of many threads to one file: a shared one to read, one at a time to write.

Connecting takes some ten milliseconds, a cursor none.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse.address import Address
from warehouse.connection import connect, cursor
from warehouse.errors import WarehouseBusy

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(slots=True)
class _Shared:
    """A connection and the number of its readers."""

    con: DuckDBPyConnection
    readers: int


_PAUSE = 0.05  # s
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
        con = _connect(path, read_only=True, wait=wait)
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


@contextmanager
def writing(path: Address, *, wait: float) -> Iterator[DuckDBPyConnection]:
    """Yield a connection for writing to a warehouse, which other threads of the process may read.

    Raises what `warehouse.connect` does.
    """
    con = _connect(path, read_only=False, wait=wait)
    try:
        yield con
    finally:
        con.close()


def _connect(path: Address, *, read_only: bool, wait: float) -> DuckDBPyConnection:
    """Open a warehouse; while another thread has it open in the other way, wait for that, too."""
    deadline = time.monotonic() + wait
    while True:
        try:
            return connect(path, read_only, create=False, wait=wait)
        except WarehouseBusy:
            if time.monotonic() >= deadline:
                raise
            time.sleep(_PAUSE)


def _taken(key: Address) -> _Shared | None:
    """Return the open connection to a file with one reader more; None where there is none."""
    shared = _OPEN.get(key)
    if shared is not None:
        shared.readers += 1
    return shared
