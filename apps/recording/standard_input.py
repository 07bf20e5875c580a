"""Standard input for several executions of a program: each reads what the first one could."""

from __future__ import annotations

import os
import select
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_CHUNK = 1 << 16


def open_missing() -> None:
    """Open the null device where standard input, output or errors are closed.

    Other files would get their numbers, and be taken for them.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)


class StandardInput:
    """Hands pwh's own standard input to each of several executions, from its beginning.

    A file is rewound. Of a pipe the first execution reads, while what it is sent is kept in
    `kept`, for the others. A terminal is handed on as it is.
    """

    def __init__(self, executions: int, kept: Path) -> None:
        self._kept = kept
        self._first = True
        mode = os.fstat(0).st_mode
        is_single = executions == 1
        self._is_file = stat.S_ISREG(mode) and not is_single
        self._is_pipe = (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)) and not is_single
        self._offset = os.lseek(0, 0, os.SEEK_CUR) if self._is_file else 0

    @contextmanager
    def descriptor(self) -> Iterator[int]:
        """Yield the file descriptor that the next execution reads."""
        if self._is_file:
            os.lseek(0, self._offset, os.SEEK_SET)
        if not self._is_pipe:
            yield 0
        elif self._first:
            self._first = False
            with self._copied() as copy:
                yield copy
        else:
            with self._kept.open("rb") as again:
                yield again.fileno()

    @contextmanager
    def _copied(self) -> Iterator[int]:
        read_end, write_end = os.pipe()
        stopped, stop = os.pipe()
        thread = threading.Thread(target=self._copy, args=(write_end, stopped))
        thread.start()
        try:
            yield read_end
        finally:
            os.close(stop)
            thread.join()
            os.close(stopped)
            os.close(read_end)

    def _copy(self, target: int, stopped: int) -> None:
        """Copy until the input or the execution has ended."""
        with self._kept.open("wb") as kept:
            while True:
                ready, _, _ = select.select([0, stopped], [], [])
                data = b"" if stopped in ready else os.read(0, _CHUNK)
                if not data:
                    break
                kept.write(data)
                if not _write_all(target, data, stopped):
                    break
        os.close(target)


def _write_all(target: int, data: bytes, stopped: int) -> bool:
    """Write to a pipe; return False where nobody reads it any more."""
    os.set_blocking(target, False)
    while data:
        ended, writable, _ = select.select([stopped], [target], [])
        if ended and not writable:
            return False
        if writable:
            data = data[os.write(target, data) :]
        if ended:
            return False
    return True
