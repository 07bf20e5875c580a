"""The queue of processes that want to write a warehouse: first come, first served.

It is a file next to the warehouse while somebody waits, and lists the numbers that are taken. Who
has a number has locked the byte of that number, which the system unlocks when the process dies,
however it does. Byte 0 is locked to read or change the list.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class Place:
    """A place in the queue of a warehouse."""

    def __init__(self, descriptor: int, number: int) -> None:
        self._descriptor = descriptor
        self._number = number

    def before(self) -> int:
        """Return how many living processes are before this one."""
        fcntl.lockf(self._descriptor, fcntl.LOCK_EX, 1, 0)
        earlier = [number for number in _numbers(self._descriptor) if number < self._number]
        count = sum(_is_taken(self._descriptor, number) for number in earlier)
        _unlock(self._descriptor, 0)
        return count


@contextmanager
def place(warehouse: Path) -> Iterator[Place | None]:
    """Yield a place at the end of the queue, and leave it at the end of the block.

    None where no file can be written next to the warehouse.
    """
    file = warehouse.with_name(f".{warehouse.name}.queue")
    try:
        descriptor = _locked_file(file)
    except OSError:
        yield None
        return
    try:
        number = _join(descriptor)
        if number is None:
            file.unlink(missing_ok=True)
            yield None
            return
        try:
            yield Place(descriptor, number)
        finally:
            _leave(file, descriptor, number)
    finally:
        # This lets go of all locks.
        os.close(descriptor)


def _locked_file(file: Path) -> int:
    """Return the file of the queue, locked for changes."""
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        fcntl.lockf(descriptor, fcntl.LOCK_EX, 1, 0)
        # The last to leave deletes the file, perhaps between opening and locking it here.
        with suppress(FileNotFoundError):
            if file.stat().st_ino == os.fstat(descriptor).st_ino:
                return descriptor
        os.close(descriptor)


def _join(descriptor: int) -> int | None:
    """Take a number after all others, in a file locked for changes; return it, unlock the file.

    None where the disk is full, with the file still locked.
    """
    others = [number for number in _numbers(descriptor) if _is_taken(descriptor, number)]
    number = max(others, default=0) + 1
    fcntl.lockf(descriptor, fcntl.LOCK_EX, 1, number)
    try:
        _write(descriptor, [*others, number])
    except OSError:
        return None
    _unlock(descriptor, 0)
    return number


def _leave(file: Path, descriptor: int, own: int) -> None:
    """Remove a number from the queue; the last one deletes the file."""
    fcntl.lockf(descriptor, fcntl.LOCK_EX, 1, 0)
    numbers = (number for number in _numbers(descriptor) if number != own)
    others = [number for number in numbers if _is_taken(descriptor, number)]
    _write(descriptor, others)
    if not others:
        file.unlink(missing_ok=True)


def _numbers(descriptor: int) -> list[int]:
    return [int(word) for word in os.pread(descriptor, 1 << 20, 0).split() if word.isdigit()]


def _write(descriptor: int, numbers: list[int]) -> None:
    listed = "".join(f"{number}\n" for number in numbers).encode()
    # In this order: on a full disk the list remains as it was.
    os.pwrite(descriptor, listed, 0)
    os.ftruncate(descriptor, len(listed))


def _is_taken(descriptor: int, number: int) -> bool:
    """Return whether another process has a number, and so is alive."""
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
    except OSError:
        return True
    _unlock(descriptor, number)
    return False


def _unlock(descriptor: int, number: int) -> None:
    fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, number)
