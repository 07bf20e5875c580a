"""Guarded queries in processes of their own, which can be stopped at any time.

Where a query uses too much memory or crashes, it does so alone. A process that answered waits for
the next query, as starting one takes longer than most queries; it opens the warehouse for each
query anew and closes it, so that the file is free in between.
"""

from __future__ import annotations

import json
import os
import select
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from warehouse import errors
from warehouse.address import Address, parse_address
from warehouse.errors import PwhError, ReadingInterrupted, UsageError
from warehouse.guarded import Limits, Result, answer, open_restricted, too_long

# Beyond the time limit: for starting, waiting for the file, and stopping cleanly.
_GRACE = 10.0
_TICK = 0.2
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from warehouse import query_process; query_process.serve()"
)
_SIZES = struct.Struct("<QQ")
_WAITING: list[QueryProcess] = []
"""Processes without a query; several sessions of the app may take and return them at once."""
_MOST_WAITING = 2
_LOCK = threading.Lock()
_MOST_DATA = 1 << 30


def ask_guarded(
    path: Address,
    sql: str,
    limits: Limits | None = None,
    on_wait: Callable[[float], None] | None = None,
) -> Result:
    """Return the rows of one SELECT over a warehouse.

    `on_wait` is called several times a second with the seconds that have passed; an exception that
    it raises stops the query at once.

    Raises `UsageError` for SQL that is wrong, does more than read, or exceeds the limits;
    `WarehouseError` where the warehouse cannot be opened.
    """
    limits = limits or Limits()
    request = {"path": str(path), "sql": sql, "limits": asdict(limits)}
    with _LOCK:
        process = _WAITING.pop() if _WAITING else None
    if process is None or not process.is_alive():
        process = QueryProcess()
    try:
        head, data = process.ask(request, limits, on_wait)
    except BaseException:
        process.stop()
        raise
    with _LOCK:
        if len(_WAITING) < _MOST_WAITING and not head["is_spent"]:
            _WAITING.append(process)
            process = None
    if process is not None:
        process.stop()
    if "problem" in head:
        raise getattr(errors, head["error"])(head["problem"], hint=head["hint"])
    return Result(pa.ipc.open_stream(data).read_all(), head["more"], head["seconds"])


class QueryProcess:
    """A process that answers one guarded query after another."""

    def __init__(self) -> None:
        # -P: a file in the working directory must not be imported as a module.
        command = [sys.executable, "-P", "-c", _START, str(Path(__file__).resolve().parents[1])]
        self._child = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def is_alive(self) -> bool:
        """Return whether the process runs."""
        return self._child.poll() is None

    def stop(self) -> None:
        """Kill the process, whatever it does; its files are closed when this returns."""
        self._child.kill()
        self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def ask(
        self,
        request: dict[str, Any],
        limits: Limits,
        on_wait: Callable[[float], None] | None = None,
    ) -> tuple[dict[str, Any], bytes]:
        """Return the head of the answer and its rows as an Arrow stream."""
        began = time.monotonic()

        def wait_for(size: int) -> bytes:
            return self._read(size, began, limits, on_wait)

        try:
            assert self._child.stdin is not None  # noqa: S101
            _write(self._child.stdin, json.dumps(request).encode(), b"")
        except BrokenPipeError:
            raise _failed() from None
        head, data = _SIZES.unpack(wait_for(_SIZES.size))
        return json.loads(wait_for(head)), wait_for(data)

    def _read(
        self, size: int, began: float, limits: Limits, on_wait: Callable[[float], None] | None
    ) -> bytes:
        assert self._child.stdout is not None  # noqa: S101
        pipe = self._child.stdout.fileno()
        parts, left = [], size
        while left:
            if not select.select([pipe], [], [], _TICK)[0]:
                passed = time.monotonic() - began
                if passed > limits.seconds + _GRACE:
                    raise too_long(limits)
                if on_wait is not None:
                    on_wait(passed)
                continue
            part = os.read(pipe, min(left, 1 << 20))
            if not part:
                raise _failed()
            parts.append(part)
            left -= len(part)
        return b"".join(parts)


def serve() -> None:
    """Answer requests from stdin until it ends; runs in the process of the queries."""
    # Output of libraries must not be mixed with the rows.
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests = sys.stdin.buffer
    while sizes := requests.read(_SIZES.size):
        request = json.loads(requests.read(_SIZES.unpack(sizes)[0]))
        limits = Limits(**request["limits"])
        try:
            table, more, seconds = _answer(parse_address(request["path"]), request["sql"], limits)
        except PwhError as error:
            failure = {
                "error": type(error).__name__,
                "problem": error.problem,
                "hint": error.hint,
                "is_spent": _is_spent(),
            }
            _write(channel, json.dumps(failure).encode(), b"")
        else:
            done = {"more": more, "seconds": seconds, "is_spent": _is_spent()}
            _write(channel, json.dumps(done).encode(), _as_stream(table))


def _answer(path: Address, sql: str, limits: Limits) -> tuple[pa.Table, bool, float]:
    for interrupted in count():
        with (
            suppress(ReadingInterrupted),
            open_restricted(path, limits, interrupted) as con,
        ):
            return answer(con, sql, limits, _limited_memory(limits))
    raise AssertionError


def _write(pipe: IO[bytes], head: bytes, data: bytes) -> None:
    pipe.write(_SIZES.pack(len(head), len(data)))
    pipe.write(head)
    pipe.write(data)
    pipe.flush()


def _as_stream(table: pa.Table) -> bytes:
    target = pa.BufferOutputStream()
    with pa.ipc.new_stream(target, table.schema) as writer:
        writer.write_table(table)
    stream: bytes = target.getvalue().to_pybytes()
    return stream


@contextmanager
def _limited_memory(limits: Limits) -> Iterator[None]:
    """Limit the memory of the whole process, of which DuckDB limits only a part.

    To be entered with the warehouse open: what the process needs for that is not the query's. The
    result is in memory up to three times on its way.
    """
    try:
        import resource

        # Not of the address space, of which libraries reserve much more than they use.
        space = _data_size() + (limits.memory_mib + 3 * limits.result_mib) * 2**20
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (space, most))
    except (ImportError, ValueError, OSError):
        yield
        return
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _data_size() -> int:
    """Return the bytes of data that the process has; OSError where unknown."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmData:")[2].split()[0]) << 10


def _is_spent() -> bool:
    """Return whether queries have left behind so much that the next one needs another process."""
    with suppress(OSError):
        return _data_size() > _MOST_DATA
    return False


def _failed() -> UsageError:
    return UsageError(
        "the query failed: most likely it needed more memory than it may use",
        hint="Query less at a time: fewer rows or columns, smaller lists.",
    )
