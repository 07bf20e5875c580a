"""The queue of those that wait for a warehouse's file: writers in the order in which they came.

A reader lets all writers pass, until it has waited for ten seconds: then only those that came
before it, and those that came later wait for it. So readers read together, a writer waits for no
crowd of them, and no reader for a crowd of writers.

It is a file next to the warehouse while somebody waits, and lists the numbers that are taken. Who
has a number has locked the byte of that number, which the system unlocks when the process dies,
however it does. Byte 0 is locked to read or change the list. Locks are of an open file, not of the
process, so that threads have places of their own; over NFS they hold between hosts where DuckDB's
own locks do (version 4, or 3 with its lock service).
"""

from __future__ import annotations

import fcntl
import os
import re
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from warehouse.processes import is_stopped

_LINE = re.compile(r"^(\d+) ([rw]) (\d+) (\d+)$", re.MULTILINE)
_LETS_PASS = 10.0  # s that a reader lets later writers pass
_FLOCK = struct.Struct("hhqqi4x")  # struct flock of Linux: type, whence, start, length, process


@dataclass(frozen=True, slots=True)
class Waiting:
    """One that waits: its number, whether it wants to write, its process, and since when (s)."""

    number: int
    writes: bool
    pid: int
    since: int

    def goes_before(self, other: Waiting) -> bool:
        """Return whether another one has to wait for this one."""
        if self.writes and not (other.writes or other.is_due):
            return True
        return self.number < other.number and (self.writes or (other.writes and self.is_due))

    @property
    def is_due(self) -> bool:
        """Whether a reader has waited for so long that later writers wait for it."""
        return time.time() - self.since > _LETS_PASS


class Place:
    """A place in the queue of a warehouse."""

    def __init__(self, descriptor: int, own: Waiting) -> None:
        self._descriptor = descriptor
        self._own = own

    def before(self) -> list[Waiting]:
        """Return those that this one has to wait for, the first of them first."""
        return [one for one in _present(self._descriptor) if one.goes_before(self._own)]


def waiting_writers(warehouse: Path) -> list[Waiting]:
    """Return the writers that wait for a warehouse."""
    try:
        descriptor = os.open(_file(warehouse), os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return []
    try:
        return [one for one in _present(descriptor) if one.writes]
    except OSError:
        return []
    finally:
        os.close(descriptor)


@contextmanager
def place(warehouse: Path, *, writes: bool) -> Iterator[Place | None]:
    """Yield a place at the end of the queue, and leave it at the end of the block.

    None where no file can be written next to the warehouse, or the system lacks such locks.
    """
    file = _file(warehouse)
    try:
        descriptor = _locked_file(file, warehouse)
    except OSError:
        yield None
        return
    try:
        own = _join(descriptor, writes=writes)
        if own is None:
            file.unlink(missing_ok=True)
            yield None
            return
        try:
            yield Place(descriptor, own)
        finally:
            _leave(file, descriptor, own)
    finally:
        # This lets go of all locks.
        os.close(descriptor)


def _file(warehouse: Path) -> Path:
    """Return the file of the queue, the same by whatever link the warehouse is named."""
    real = warehouse.resolve()
    return real.with_name(f".{real.name}.queue")


def _locked_file(file: Path, warehouse: Path) -> int:
    """Return the file of the queue, locked for changes."""
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        try:
            _lock(descriptor, 0, fcntl.F_WRLCK)
            # The last to leave deletes the file, perhaps between opening and locking it here.
            with suppress(FileNotFoundError):
                if file.stat().st_ino == os.fstat(descriptor).st_ino:
                    # Whoever may write the warehouse may wait for it.
                    with suppress(OSError):
                        os.fchmod(descriptor, warehouse.stat().st_mode & 0o666)
                    return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _join(descriptor: int, *, writes: bool) -> Waiting | None:
    """Take a number after all others, in a file locked for changes; return it, unlock the file.

    None where the disk is full, with the file still locked.
    """
    others = [one for one in _listed(descriptor) if _is_taken(descriptor, one)]
    number = max((one.number for one in others), default=0) + 1
    own = Waiting(number, writes, os.getpid(), int(time.time()))
    _lock(descriptor, own.number, fcntl.F_WRLCK)
    try:
        _write(descriptor, [*others, own])
    except OSError:
        return None
    _lock(descriptor, 0, fcntl.F_UNLCK)
    return own


def _leave(file: Path, descriptor: int, own: Waiting) -> None:
    """Remove a number from the queue; the last one deletes the file."""
    _lock(descriptor, 0, fcntl.F_WRLCK)
    others = [one for one in _listed(descriptor) if one != own and _is_taken(descriptor, one)]
    # Where the folder's rights allow no more, an empty list is left to the next one.
    with suppress(OSError):
        _write(descriptor, others)
        if not others:
            file.unlink(missing_ok=True)


def _present(descriptor: int) -> list[Waiting]:
    """Return those that live and run: who was stopped (Ctrl-Z) keeps nobody waiting."""
    _lock(descriptor, 0, fcntl.F_RDLCK)
    listed = _listed(descriptor)
    _lock(descriptor, 0, fcntl.F_UNLCK)
    own = os.getpid()
    return [
        one
        for one in listed
        if _is_taken(descriptor, one) and (one.pid == own or not is_stopped(one.pid))
    ]


def _listed(descriptor: int) -> list[Waiting]:
    text = os.pread(descriptor, 1 << 20, 0).decode("ascii", errors="replace")
    return [
        Waiting(int(number), kind == "w", int(pid), int(since))
        for number, kind, pid, since in _LINE.findall(text)
    ]


def _write(descriptor: int, waiting: list[Waiting]) -> None:
    lines = (
        f"{one.number} {'w' if one.writes else 'r'} {one.pid} {one.since}\n" for one in waiting
    )
    listed = "".join(lines).encode()
    # In this order: on a full disk the list remains as it was.
    os.pwrite(descriptor, listed, 0)
    os.ftruncate(descriptor, len(listed))


def _is_taken(descriptor: int, one: Waiting) -> bool:
    """Return whether another opened file has a number, and so its process is alive."""
    asked = _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, one.number, 1, 0)
    found = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, asked)
    return bool(_FLOCK.unpack(found)[0] != fcntl.F_UNLCK)


def _lock(descriptor: int, byte: int, kind: int) -> None:
    """Lock or unlock a byte; wait for those that have it locked. OSError where there is no way."""
    if not hasattr(fcntl, "F_OFD_SETLKW"):
        raise OSError("the system has no locks of open files")
    asked = _FLOCK.pack(kind, os.SEEK_SET, byte, 1, 0)
    fcntl.fcntl(descriptor, fcntl.F_OFD_SETLKW, asked)
