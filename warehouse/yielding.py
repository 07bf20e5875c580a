"""Reading that yields: no query keeps a writer waiting for more than a few seconds.

A query is interrupted once a writer has waited for two seconds, and asked again behind that one.
After the second time it runs on a copy of the file, so that any query comes to its end.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from warehouse.address import Address
from warehouse.connection import DEFAULT_WAIT, connect, interrupt, open_copy
from warehouse.errors import ReadingInterrupted
from warehouse.queue import waiting_writers
from warehouse.session import Connection

_YIELD_SECONDS = 2.0  # that a writer waits
_TICK = 0.2  # s
IN_PLACE = 2  # times that a query is interrupted before it runs on a copy
_ROOM = 1.2  # times the size of the file


class Watch:
    """Interrupts a connection's queries once a writer has waited for its file for two seconds."""

    def __init__(self, con: Connection, file: Address) -> None:
        self._con = con
        self._file = file
        self._done = threading.Event()
        self.is_due = False
        self._thread: threading.Thread | None = None
        if isinstance(file, Path):
            self._thread = threading.Thread(target=self._watch, args=(file,), daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Interrupt no more; to be called before the connection is closed."""
        self._done.set()
        if self._thread is not None:
            self._thread.join()

    @contextmanager
    def querying(self) -> Iterator[None]:
        """Raise `ReadingInterrupted` where what happens inside was interrupted."""
        try:
            yield
        except Exception:
            if not self.is_due:
                raise
            raise ReadingInterrupted(
                f"a query of {self._file} was interrupted, as a writer had waited for "
                f"{_YIELD_SECONDS:g} s",
                hint="Try again.",
            ) from None

    def _watch(self, file: Path) -> None:
        since = None
        while not self._done.wait(_TICK):
            now = time.monotonic()
            if not waiting_writers(file):
                since = None
                continue
            since = since or now
            if now - since >= _YIELD_SECONDS:
                # Again and again, as it does nothing between two queries.
                self.is_due = True
                interrupt(self._con)


@contextmanager
def reading(
    address: Address,
    *,
    wait: float | None = DEFAULT_WAIT,
    on_wait: Callable[[str], None] | None = None,
    interrupted: int = 0,
) -> Iterator[Connection]:
    """Open a warehouse for reading, for what was interrupted so often before.

    Raises `ReadingInterrupted` where a writer has waited for two seconds: then do all of it again.
    """
    if interrupted >= IN_PLACE and isinstance(address, Path):
        with copied(address, wait=wait, on_wait=on_wait) as copy:
            yield copy
        return
    con = connect(address, read_only=True, wait=wait, on_wait=on_wait)
    with closing(con), closing(Watch(con, address)) as watch, watch.querying():
        yield con


@contextmanager
def copied(
    file: Path, *, wait: float | None, on_wait: Callable[[str], None] | None = None
) -> Iterator[Connection]:
    """Open a copy of a file for reading, or the file itself where there is no room for a copy.

    The copy has no name any longer, so that nothing is left of it.
    """
    # By threads of the app others may write.
    con = connect(file, read_only=True, wait=wait, on_wait=on_wait, with_threads=True)
    try:
        if (copy := _copy(file)) is not None:
            con.close()
            con = copy
        yield con
    finally:
        con.close()


def _copy(file: Path) -> Connection | None:
    """Open a copy of a file, which the caller has open, so that nobody writes it meanwhile."""
    log = file.with_name(f"{file.name}.wal")
    parts = [part for part in (file, log) if part.exists()]
    size = sum(part.stat().st_size for part in parts)
    if shutil.disk_usage(tempfile.gettempdir()).free < _ROOM * size:
        return None
    with tempfile.TemporaryDirectory(prefix="pwh-copy-") as folder:
        # By another process: to close a file that this one has opened twice would unlock it.
        command = ["cp", "--", *map(str, parts), folder]
        if subprocess.run(command, capture_output=True, check=False).returncode:  # noqa: S603
            return None
        return open_copy(Path(folder) / file.name, file)
