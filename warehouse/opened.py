"""The file under an open warehouse: whether its path still leads to it.

A file that was renamed, deleted or replaced while it is open takes all further changes with it, and
its write-ahead log, which is found by the path, is taken for that of the file that is there now.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

from warehouse.errors import WarehouseMoved
from warehouse.session import Connection

Identity = tuple[int, int]  # device and inode


@dataclass(frozen=True, slots=True)
class _Opened:
    path: Path
    identity: Identity


_OPENED: WeakKeyDictionary[Connection, _Opened] = WeakKeyDictionary()


def identity(path: Path) -> Identity | None:
    """Return what tells a file from all others; None where it is missing."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def remember(con: Connection, path: Path, which: Identity) -> None:
    """Note which file a connection writes."""
    _OPENED[con] = _Opened(path.absolute(), which)


def remember_cursor(own: Connection, con: Connection) -> None:
    """Note that a cursor writes the file of its connection."""
    if con in _OPENED:
        _OPENED[own] = _OPENED[con]


def written_file(con: Connection) -> Identity | None:
    """Return which file a connection writes; None for what is not a file of this computer."""
    opened = _OPENED.get(con)
    return None if opened is None else opened.identity


def is_in_place(con: Connection) -> bool:
    """Return whether the path of a warehouse still is the file that was opened for writing."""
    opened = _OPENED.get(con)
    return opened is None or identity(opened.path) == opened.identity


def check_in_place(con: Connection) -> None:
    """Raise `WarehouseMoved` unless the path of a warehouse still is the file that was opened."""
    if not is_in_place(con):
        raise _moved(_OPENED[con])


@contextmanager
def closing_in_place(con: Connection) -> Iterator[Connection]:
    """Close a connection after the block, as `close`; an error of the block matters more."""
    try:
        yield con
    except BaseException:
        with suppress(WarehouseMoved):
            close(con)
        raise
    close(con)


def close(con: Connection) -> None:
    """Close a connection; raise `WarehouseMoved` where its file was moved since it was opened."""
    import duckdb

    try:
        check_in_place(con)
    except WarehouseMoved:
        if not has_own_log(con):
            with suppress(duckdb.Error):
                con.execute("PRAGMA disable_checkpoint_on_shutdown")
        raise
    finally:
        con.close()


def has_own_log(con: Connection) -> bool:
    """Return whether the write-ahead log at its path is that of a connection.

    A checkpoint writes the log into the file, wherever that is, and deletes what is at the path.
    """
    log = identity(Path(f"{_OPENED[con].path}.wal"))
    return log is not None and log in map(identity, _descriptors())


def _moved(opened: _Opened) -> WarehouseMoved:
    path = opened.path
    is_replaced = path.exists()
    stored = "what was stored before is in"
    found = next((one for one in _descriptors() if identity(one) == opened.identity), None)
    now = "" if found is None else str(found.readlink())
    is_gone = now.endswith(" (deleted)")
    if found is None or (is_gone and found.stat().st_nlink):
        happened, where = "it was renamed or deleted", f"{stored} that file, if it still exists"
    elif is_gone:
        happened, where = "it was deleted", "what was stored in it is gone with it"
    else:
        happened, where = f"it was renamed to {now}", f"{stored} {now}"
    if is_replaced:
        happened += ", and another file is in its place"
    return WarehouseMoved(
        f"{path} is no longer the file that was opened: {happened}",
        hint=f"Nothing more was stored; {where}. Repeat the command when the file is in its place: "
        "pwh ingest recognises what has landed.",
    )


def _descriptors() -> Iterator[Path]:
    """Yield links to what this process has open, where the system lists them."""
    with suppress(OSError):
        yield from Path("/proc/self/fd").iterdir()
