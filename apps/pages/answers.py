"""Answers of the warehouse, cached until its file, or the snapshot of its lake, changes.

The file is opened only for questions without a cached answer, and only while they are computed,
so that `pwh ingest` can open it in between.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import streamlit as st

from apps.queries.base import Query, remembering
from warehouse.address import Address, Lake
from warehouse.errors import ReadingInterrupted, WarehouseError
from warehouse.lake.writers import last_snapshot
from warehouse.session import Connection
from warehouse.sharing import shared_reading
from warehouse.yielding import IN_PLACE, Watch, copied

WAIT_SECONDS = 30.0
LIMIT_SECONDS = 120.0
_CACHED_ANSWERS = 500
_CACHE_SIZE = "256MB"


@dataclass(frozen=True, slots=True)
class FileState:
    """The state of a warehouse: path, and the modification times and sizes of its files.

    Of a lake the number and time (us) of its last snapshot, in their place.
    """

    path: str
    files: tuple[tuple[int, int], ...]


def file_state(path: Address) -> FileState:
    """Return the state of the file and its write-ahead log; either may be missing.

    Of a warehouse that is served it never repeats: that one may have changed at any time.
    """
    files = []
    if not isinstance(path, Path):
        last = _last_snapshot(path) if isinstance(path, Lake) else None
        return FileState(str(path), (last or (time.monotonic_ns(), 0),))
    for file in (path, path.with_name(f"{path.name}.wal")):
        try:
            found = file.stat()
        except FileNotFoundError:
            continue
        files.append((found.st_mtime_ns, found.st_size))
    return FileState(str(path.resolve()), tuple(files))


def _last_snapshot(lake: Lake) -> tuple[int, int] | None:
    """Return the number and time of the last snapshot; None where the lake cannot be read."""
    with suppress(WarehouseError, duckdb.Error), shared_reading(lake, wait=0) as con:
        return last_snapshot(con)
    return None


@dataclass(frozen=True, slots=True)
class Answer:
    """A value, and the questions that the warehouse answered for it."""

    value: Any
    queries: tuple[Query, ...]


class Answers:
    """Answers about one warehouse during one run of a page."""

    def __init__(self, path: Address, wait: float | None = None) -> None:
        self.path = path
        self._wait = WAIT_SECONDS if wait is None else wait
        self._state = file_state(path)
        self._stack = ExitStack()
        self._con: Connection | None = None
        self._watch: Watch | None = None
        self._interrupted = 0

    @property
    def con(self) -> Connection:
        """The warehouse, opened for reading until `close`."""
        if self._con is None:
            enter = self._stack.enter_context
            if self._interrupted >= IN_PLACE and isinstance(self.path, Path):
                con = enter(copied(self.path, wait=self._wait))
            else:
                con = enter(shared_reading(self.path, wait=self._wait))
                self._watch = enter(closing(Watch(con, self.path)))
            if isinstance(self.path, Path):
                # Others may have written since the page began, or was interrupted.
                self._state = file_state(self.path)
            self._con = con
        return self._con

    def close(self) -> None:
        """Close the file."""
        self._watch = self._con = None
        self._stack.close()

    def get(self, question: str, params: Any, compute: Callable[[Connection], Any]) -> Answer:
        """Return what `compute` returns; cached by file state, question and params.

        Where a writer waits for the file, what is computed is interrupted, and computed again when
        that one is done. Raises duckdb.InterruptException after `LIMIT_SECONDS`.
        """

        def ask() -> Answer:
            if self._watch is not None and self._watch.is_due:
                self.close()
            con = self.con
            querying = nullcontext() if self._watch is None else self._watch.querying()
            with querying, _limited(con), remembering() as queries:
                value = compute(con)
            return Answer(value, tuple(queries))

        while True:
            try:
                return self.cached(question, params, ask)
            except ReadingInterrupted:
                self._interrupted += 1
                self.close()

    def cached(self, question: str, params: Any, ask: Callable[[], Answer]) -> Answer:
        """Return what `ask` returns, which opens the file itself; cached in the same way."""
        answer: Answer = _cached(self._state, question, params, ask)
        return answer

    def cached_after(self, question: str, params: Any, ask: Callable[[], Answer]) -> Answer:
        """Return what `ask` returns, cached afterwards: it may show elements while it waits."""

        def missing() -> Answer:
            raise _NotCachedError

        try:
            return self.cached(question, params, missing)
        except _NotCachedError:
            answer = ask()
            return self.cached(question, params, lambda: answer)


def answer_now(
    path: Address,
    question: str,
    params: Any,
    compute: Callable[[Connection], Any],
    wait: float | None = None,
) -> Any:
    """Return what `Answers.get` does, beside a page; None where the warehouse cannot be read."""
    with closing(Answers(path, wait)) as answers, suppress(WarehouseError):
        return answers.get(question, params, compute).value
    return None


class _NotCachedError(Exception):
    """There is no cached answer."""


@contextmanager
def _limited(con: Connection) -> Iterator[None]:
    """Interrupt the queries of a connection after `LIMIT_SECONDS`."""
    timer = threading.Timer(LIMIT_SECONDS, con.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@st.cache_data(show_spinner=False, max_entries=_CACHED_ANSWERS, max_size=_CACHE_SIZE)
def _cached(state: FileState, question: str, params: Any, _ask: Callable[[], Answer]) -> Answer:  # noqa: ARG001
    return _ask()
