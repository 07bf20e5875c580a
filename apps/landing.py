"""Landing many recordings: the warehouse is open briefly, progress is shown on a terminal."""

from __future__ import annotations

import math
import random
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Self

import warehouse
from apps.output.progress import bar
from apps.output.streams import note
from apps.output.text import printable
from ingest.load import forget_rejections, known, land, land_together, remember_rejection
from ingest.parsed import Options, Parsed
from ingest.recording import Recording
from ingest.walk import Found
from ingest.writer import Landed
from warehouse import errors
from warehouse.address import Address
from warehouse.connection import MEMORY
from warehouse.opened import Identity, close, written_file
from warehouse.session import Connection

OPEN_SECONDS = 1.0
_SHOW_AFTER = 1.0
_SMALL = 1 << 20  # bytes
_GROUP, _GROUP_BYTES = 200, 4 << 20
_MOST_READY = 64 << 20  # bytes of rows that are parsed and wait for others of their group
_ROW_GROUP = 122_880
_MERGED = 10


class Lander:
    """Lands recordings, small ones in groups.

    A warehouse that is a file is open only while what was parsed lands, so that other processes
    can open it between. Opening it takes as long as landing a dozen small files, hence groups.
    """

    def __init__(self, db: Address, wait: float | None, dry_run: bool) -> None:
        if str(db) == MEMORY and not dry_run:
            raise errors.UsageError(
                "what lands in memory is gone when the command ends",
                hint="Name a file with --db or PWH_DB; it is created.",
            )
        self.db = db
        self.wait = wait
        self.dry_run = dry_run
        self._con: Connection | None = None
        self._file: Identity | None = None
        self._opened = 0.0
        self._rows = 0
        self._single_thread = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        with nullcontext() if kind is None else suppress(errors.WarehouseMoved):
            self._close()

    def land_all(
        self, items: Iterable[tuple[Found, Options]]
    ) -> Iterator[tuple[Found, Landed | errors.InputError]]:
        """Land recordings in order, small ones in groups; yield what came of each.

        A recording that is rejected is noted in the warehouse. Stop iterating to land no more.
        """
        for group in _groups(items):
            with ExitStack() as files:
                yield from self._land_group(group, files)

    def _land_group(
        self, group: Sequence[tuple[Found, Options]], files: ExitStack
    ) -> Iterator[tuple[Found, Landed | errors.InputError]]:
        """Parse recordings while others use the warehouse, then land them; yield what came."""
        opened = [(found, _opened(found, options, files)) for found, options in group]
        known = self._known([one for _, one in opened if isinstance(one, Parsed)])
        ready: list[tuple[Found, Parsed]] = []
        for found, one in opened:
            try:
                if isinstance(one, errors.InputError):
                    raise one
                if one not in known:
                    self._parse(one)
            except errors.PwhError as error:
                yield from self._land_ready(ready)
                if not isinstance(error, errors.InputError):
                    raise
                yield found, self._rejected(found, error)
                ready = []
                continue
            ready.append((found, one))
            if sum(parsed.bytes for _, parsed in ready) > _MOST_READY:
                yield from self._land_ready(ready)
                ready = []
        yield from self._land_ready(ready)

    def _known(self, group: Sequence[Parsed]) -> list[Parsed]:
        """Return the recordings that have landed before, and need not be parsed.

        For a single small one the warehouse is not opened: to parse it takes less time.
        """
        is_small = len(group) == 1 and group[0].recording.bytes_total < _SMALL
        if self.dry_run or not group or not self.db.exists() or (is_small and self._con is None):
            return []
        return known(self._connection_for_next(), group)

    def _parse(self, parsed: Parsed) -> None:
        """Parse a recording; a file that is a warehouse is closed, so that others can open it."""
        if isinstance(self.db, Path) and not self.dry_run:
            self._close()
        with progress(parsed.recording):
            parsed.parse()

    def _land_ready(
        self, ready: Sequence[tuple[Found, Parsed]]
    ) -> Iterator[tuple[Found, Landed | errors.InputError]]:
        together = self._land_together(ready) if len(ready) > 1 else None
        for position, (found, parsed) in enumerate(ready):
            landed = self._one(found, parsed) if together is None else together[position]
            parsed.close()
            yield found, landed

    def _one(self, found: Found, parsed: Parsed) -> Landed | errors.InputError:
        """Land one recording; a dry run lands it in memory, which is discarded.

        While another program changes the same rows, as clients of a served warehouse can, this
        tries again. The warehouse itself is waited for where it is opened.
        """
        until = math.inf if self.wait is None else time.monotonic() + self.wait
        is_notified = False
        while True:
            try:
                return self._land(found, parsed)
            except errors.InputError as error:
                return self._rejected(found, error)
            except errors.WarehouseConflict as error:
                if time.monotonic() >= until:
                    raise
                if not is_notified:
                    note(f"{error.problem}; waiting")
                is_notified = True
                time.sleep(random.uniform(0.2, 1.0))  # noqa: S311

    def _land(self, found: Found, parsed: Parsed) -> Landed:
        try:
            con = self._connection_for_next()
            self._choose_threads(con, parsed.recording.bytes_total)
            with progress(parsed.recording, con):
                landed = land(con, parsed)
            forget_rejections(con, [found.path])
            self._choose_merging(con, [landed])
            return landed
        except BaseException:
            self._recover()
            raise

    def _land_together(self, ready: Sequence[tuple[Found, Parsed]]) -> list[Landed] | None:
        """Land recordings in one transaction; None where that fails, and nothing has landed."""
        con = self._connection_for_next()
        try:
            self._choose_threads(con, max(one.recording.bytes_total for _, one in ready))
            landed = land_together(con, [parsed for _, parsed in ready])
            forget_rejections(con, [found.path for found, _ in ready])
            self._choose_merging(con, landed)
            return landed
        except errors.WarehouseMoved:
            raise
        except Exception:
            # Each by itself then: that says which of them is wrong, and how.
            self._recover()
            return None
        except BaseException:
            self._close()
            raise

    def _rejected(self, found: Found, error: errors.InputError) -> errors.InputError:
        """Store why a recording was rejected; no warehouse is created only for that."""
        if found.skipped or self.dry_run or not self.db.exists():
            return error
        reader = None if found.reader is None else found.reader.NAME
        try:
            remember_rejection(self._connection(), found.path, reader, error)
        except errors.WarehouseError as trouble:
            # The rejection itself matters more to the user.
            note(f"the rejection could not be stored: {trouble.problem}")
        return error

    def _choose_threads(self, con: Connection, size: int) -> None:
        """Let one thread land a small file: waking others for it takes a quarter of its time."""
        is_small = size < _SMALL
        if is_small != self._single_thread:
            con.execute("SET threads = 1" if is_small else "RESET threads")
            self._single_thread = is_small

    def _choose_merging(self, con: Connection, landed: Sequence[Landed]) -> None:
        """Let DuckDB merge row groups when it closes, a few of each table, unless many rows landed.

        What a transaction adds to a table is a row group of its own, of a block (256 KiB) at least.
        Those of a large file are not quite full: nearly all its rows would be written again.
        """
        self._rows += sum(sum(one.rows.values()) for one in landed)
        most = _MERGED if self._rows < _ROW_GROUP else 0
        con.execute(f"SET max_vacuum_tasks = {most}")

    def _connection_for_next(self) -> Connection:
        """Return a connection, a new one where the last was open for so long that others wait."""
        if not self.dry_run and time.monotonic() - self._opened > OPEN_SECONDS:
            self._close()
        return self._connection()

    def _connection(self) -> Connection:
        if self._con is None:
            path = MEMORY if self.dry_run else self.db
            self._con = self._connected(path)
            self._con.execute("SET max_vacuum_tasks = 0")
            # Full row groups wait in memory for others to be written with: by default four.
            self._con.execute("SET write_buffer_row_group_count = 1")
            self._opened, self._rows = time.monotonic(), 0
            self._single_thread = False
        return self._con

    def _connected(self, path: Address | str) -> Connection:
        """Open the file; raise `WarehouseMoved` where another, or none, is there than before."""
        try:
            # Once files have landed, a missing one is no reason to begin another.
            is_first = self._file is None
            con = warehouse.connect(path, create=is_first, wait=self.wait, on_wait=note)
        except errors.WarehouseMissing:
            raise self._moved() from None
        file = written_file(con)
        if self._file not in {None, file}:
            con.close()
            raise self._moved()
        self._file = file
        return con

    def _moved(self) -> errors.WarehouseMoved:
        return errors.WarehouseMoved(
            f"{self.db} is no longer the file in which files landed before",
            hint="What was reported as landed is in that file, wherever it is; nothing more was "
            "stored. Repeat the command when it is in its place: what has landed is recognised.",
        )

    def _recover(self) -> None:
        """Close the connection after a failure, as some damaged files leave DuckDB unusable.

        A dry run keeps one that can be used: making another warehouse takes a second.
        """
        if not self.dry_run or self._con is None or not _is_usable(self._con):
            self._close()

    def _close(self) -> None:
        if self._con is not None:
            con, self._con = self._con, None
            close(con)


def _is_usable(con: Connection) -> bool:
    """Return whether DuckDB still answers, outside of a transaction that failed."""
    import duckdb

    try:
        con.execute("SELECT 1")
    except duckdb.Error:
        return False
    return True


def _opened(found: Found, options: Options, files: ExitStack) -> Parsed | errors.InputError:
    """Return a recording that is closed with `files`, and whose content is hashed."""
    if found.error is not None:
        return found.error
    if found.reader is None:
        raise ValueError("to land it a recording needs a reader")
    try:
        parsed = Parsed(found.recording(), found.reader, options)
        files.callback(parsed.close)
        _ = parsed.hashes
    except errors.InputError as error:
        return error
    return parsed


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
def progress(recording: Recording, con: Connection | None = None) -> Iterator[None]:
    """Show a bar on stderr while a recording takes longer than a second, on a terminal only.

    Without a connection it is being parsed, with one it lands.
    """
    if not sys.stderr.isatty():
        yield
        return
    if con is not None:
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


def _show(recording: Recording, con: Connection | None, done: threading.Event) -> None:
    if done.wait(_SHOW_AFTER):
        return
    # A name with [brackets] is no markup.
    from rich.markup import escape

    with bar() as shown:
        task = shown.add_task(escape(printable(recording.path.name)), total=1.0)
        while not done.wait(0.2):
            read = recording.bytes_read / max(recording.bytes_total, 1)
            # DuckDB returns -1 where no query is reading the file.
            share = read if con is None else max(read, con.query_progress() / 100)
            # What is computed from the rows of a file takes a time that cannot be predicted.
            shown.update(task, completed=share, total=1.0 if share < 1 else None)
