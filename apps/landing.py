"""Landing many recordings: the warehouse is open briefly, progress is shown on a terminal."""

from __future__ import annotations

import math
import random
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

import warehouse
from apps.output.progress import bar
from apps.output.streams import note
from apps.output.text import printable
from ingest.load import Landed, Options, load, load_together
from ingest.rejections import forget_rejections, remember_rejection
from warehouse.connection import MEMORY
from warehouse.errors import InputError, UsageError, WarehouseConflict, WarehouseError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ingest.recording import Recording
    from ingest.walk import Found
    from warehouse.address import Address

OPEN_SECONDS = 1.0
_SHOW_AFTER = 1.0
_SMALL = 1 << 20  # bytes
_GROUP, _GROUP_BYTES = 50, 4 << 20
_ROW_GROUP = 122_880
_MERGED = 10


class Lander:
    """Lands recordings, small ones in groups.

    Opening and closing a warehouse takes some ten milliseconds, so it stays open over small files;
    after a second it is closed before the next file, so that other processes can open it.
    """

    def __init__(self, db: Address, wait: float | None, dry_run: bool) -> None:
        if str(db) == MEMORY and not dry_run:
            raise UsageError(
                "what lands in memory is gone when the command ends",
                hint="Name a file with --db or PWH_DB; it is created.",
            )
        self.db = db
        self.wait = wait
        self.dry_run = dry_run
        self._con: DuckDBPyConnection | None = None
        self._opened = 0.0
        self._rows = 0
        self._single_thread = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def land_all(
        self, items: Iterable[tuple[Found, Options]]
    ) -> Iterator[tuple[Found, Landed | InputError]]:
        """Land recordings in order, small ones in groups; yield what came of each.

        A recording that is rejected is noted in the warehouse. Stop iterating to land no more.
        """
        for group in _groups(items):
            together = self._land_together(group) if len(group) > 1 else None
            for position, (found, options) in enumerate(group):
                yield found, self._one(found, options) if together is None else together[position]

    def land(self, found: Found, options: Options) -> Landed:
        """Land one recording; a dry run lands it in memory, which is discarded.

        While another program changes the same rows, as clients of a served warehouse can, this
        tries again. The warehouse itself is waited for where it is opened.
        """
        until = math.inf if self.wait is None else time.monotonic() + self.wait
        is_told = False
        while True:
            try:
                return self._land(found, options)
            except WarehouseConflict as error:
                if time.monotonic() >= until:
                    raise
                if not is_told:
                    note(f"{error.problem}; waiting")
                is_told = True
                time.sleep(random.uniform(0.2, 1.0))  # noqa: S311

    def _land(self, found: Found, options: Options) -> Landed:
        if found.reader is None:
            raise ValueError("land() needs a recording with a reader")
        recording = found.recording()
        try:
            con = self._connection_for_next()
            self._choose_threads(con, recording.bytes_total)
            with progress(recording, con):
                landed = load(con, recording, found.reader, options)
            forget_rejections(con, [found.path])
            self._choose_merging(con, [landed])
            return landed
        except BaseException:
            self._recover()
            raise
        finally:
            recording.close()

    def _one(self, found: Found, options: Options) -> Landed | InputError:
        try:
            if found.error is not None:
                raise found.error
            return self.land(found, options)
        except InputError as error:
            if not found.skipped:
                self._reject(found, error)
            return error

    def _land_together(self, group: Sequence[tuple[Found, Options]]) -> list[Landed] | None:
        """Land recordings in one transaction; None where that fails, and nothing has landed."""
        con = self._connection_for_next()
        recordings = [found.recording() for found, _ in group]
        try:
            self._choose_threads(con, max(recording.bytes_total for recording in recordings))
            landed = load_together(
                con,
                [
                    (recording, found.reader, options)
                    for recording, (found, options) in zip(recordings, group, strict=True)
                    if found.reader is not None
                ],
            )
            forget_rejections(con, [found.path for found, _ in group])
            self._choose_merging(con, landed)
            return landed
        except Exception:
            # Each by itself then: that says which of them is wrong, and how.
            self._recover()
            return None
        except BaseException:
            self._close()
            raise
        finally:
            for recording in recordings:
                recording.close()

    def _reject(self, found: Found, error: InputError) -> None:
        """Store why a recording was rejected; no warehouse is created only for that."""
        if self.dry_run or not self.db.exists():
            return
        reader = None if found.reader is None else found.reader.NAME
        try:
            remember_rejection(self._connection(), found.path, reader, error)
        except WarehouseError as trouble:
            # The rejection itself matters more to the user.
            note(f"the rejection could not be stored: {trouble.problem}")

    def _choose_threads(self, con: DuckDBPyConnection, size: int) -> None:
        """Let one thread land a small file: waking others for it takes a quarter of its time."""
        is_small = size < _SMALL
        if is_small != self._single_thread:
            con.execute("SET threads = 1" if is_small else "RESET threads")
            self._single_thread = is_small

    def _choose_merging(self, con: DuckDBPyConnection, landed: Sequence[Landed]) -> None:
        """Let DuckDB merge row groups when it closes, a few of each table, unless many rows landed.

        What a transaction adds to a table is a row group of its own, of a block (256 KiB) at least.
        Those of a large file are not quite full: nearly all its rows would be written again.
        """
        self._rows += sum(sum(one.rows.values()) for one in landed)
        most = _MERGED if self._rows < _ROW_GROUP else 0
        con.execute(f"SET max_vacuum_tasks = {most}")

    def _connection_for_next(self) -> DuckDBPyConnection:
        """Return a connection, a new one where the last was open for so long that others wait."""
        if time.monotonic() - self._opened > OPEN_SECONDS:
            self._close()
        return self._connection()

    def _connection(self) -> DuckDBPyConnection:
        if self._con is None:
            path = MEMORY if self.dry_run else self.db
            self._con = warehouse.connect(path, wait=self.wait, on_wait=note)
            self._con.execute("SET max_vacuum_tasks = 0")
            self._opened, self._rows = time.monotonic(), 0
            self._single_thread = False
        return self._con

    def _recover(self) -> None:
        """Close the connection after a failure, as some damaged files leave DuckDB unusable.

        A dry run keeps one that can be used: making another warehouse takes a second.
        """
        if not self.dry_run or self._con is None or not _is_usable(self._con):
            self._close()

    def _close(self) -> None:
        if self._con is not None:
            self._con.close()
            self._con = None


def _is_usable(con: DuckDBPyConnection) -> bool:
    """Return whether DuckDB still answers, outside of a transaction that failed."""
    import duckdb

    try:
        con.execute("SELECT 1")
    except duckdb.Error:
        return False
    return True


def _groups(
    items: Iterable[tuple[Found, Options]],
) -> Iterator[list[tuple[Found, Options]]]:
    """Yield small recordings that follow each other together, all else by itself."""
    group: list[tuple[Found, Options]] = []
    total = 0
    for found, options in items:
        size = _size(found)
        if group and (size is None or total + size > _GROUP_BYTES or len(group) == _GROUP):
            yield group
            group, total = [], 0
        if size is None:
            yield [(found, options)]
        else:
            group.append((found, options))
            total += size
    if group:
        yield group


def _size(found: Found) -> int | None:
    """Return the bytes of a small recording, None for what is large or cannot be read."""
    if found.reader is None:
        return None
    try:
        size = sum(part.stat().st_size for part in found.parts)
    except OSError:
        return None
    return size if size < _SMALL else None


@contextmanager
def progress(recording: Recording, con: DuckDBPyConnection) -> Iterator[None]:
    """Show a bar on stderr while a recording takes longer than a second, on a terminal only."""
    if not sys.stderr.isatty():
        yield
        return
    con.execute("SET enable_progress_bar = true")
    con.execute("SET enable_progress_bar_print = false")
    done = threading.Event()
    thread = threading.Thread(target=_show, args=(recording, con, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _show(recording: Recording, con: DuckDBPyConnection, done: threading.Event) -> None:
    if done.wait(_SHOW_AFTER):
        return
    # A name with [brackets] is no markup.
    from rich.markup import escape

    with bar() as shown:
        task = shown.add_task(escape(printable(recording.path.name)), total=1.0)
        while not done.wait(0.2):
            read = recording.bytes_read / max(recording.bytes_total, 1)
            # DuckDB returns -1 where no query is reading the file.
            share = max(read, con.query_progress() / 100)
            # What is computed from the rows of a file takes a time that cannot be predicted.
            shown.update(task, completed=share, total=1.0 if share < 1 else None)
