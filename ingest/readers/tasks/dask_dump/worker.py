"""Reading one worker's part of a Dask cluster dump: its logs, and its tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ingest.readers.tasks.dask_dump.state import (
    Execution,
    Incoming,
    Log,
    Worker,
    key_in_map,
    key_of,
    moment,
    size,
)
from ingest.readers.tasks.dask_dump.unpack import Walker
from warehouse.errors import InputError

_FINISHED = ("task-finished-", "task-erred-")
_STEP_LENGTH, _ROW_LENGTH = 7, 4


def read_part(walker: Walker, worker: Worker, name: Any) -> None:
    """Read one part of a worker's state, or skip it."""
    reader = _PARTS.get(name)
    if reader is None:
        walker.skip()
    else:
        reader(walker, worker)


def check_row(row: Any, where: str) -> None:
    """Raise `InputError` for what is no row of a log of steps."""
    if not isinstance(row, list) or len(row) < _ROW_LENGTH:
        raise InputError(
            f"the row is {str(row)[:60]!r}", where=where, expected="key, step, ..., time"
        )


def _threads(walker: Walker, worker: Worker) -> None:
    value = walker.take()
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 1 << 16:
        raise InputError(
            f"nthreads is {value!r}", where=worker.address, expected="a number of threads"
        )
    worker.threads = value


def _config(walker: Walker, worker: Worker) -> None:
    config = walker.take()
    for name in ("distributed", "admin", "low-level-log-length"):
        config = config.get(name) if isinstance(config, dict) else None
    if isinstance(config, int) and config > 0:
        worker.log_length = config


def _log(walker: Walker, worker: Worker) -> None:
    log, executing, requested = worker.log, dict[str, float](), dict[tuple[str, str], float]()
    for number, row in enumerate(walker.items("log"), 1):
        where = f"row {number} of the log of {worker.address}"
        check_row(row, where)
        log.rows, stimulus = number, str(row[-2])
        time = moment(row[-1], "the time", where)
        if row[0] in ("request-dep", "receive-dep", "gather-dependencies"):
            _log_transfer(log, requested, row, time, where)
            continue
        if not isinstance(row[0], (str, list)) or not isinstance(row[1], str):
            continue
        key = key_of(row[0], where)
        if len(row) == _STEP_LENGTH and row[3] == "executing":
            executing[key] = time
        if stimulus.startswith(_FINISHED) and key in executing:
            log.began.setdefault((key, stimulus), executing[key])
        if row[1] == "put-in-memory":
            log.in_memory[key, stimulus] = time


def _log_transfer(
    log: Log, requested: dict[tuple[str, str], float], row: list[Any], time: float, where: str
) -> None:
    source, keys, stimulus = str(row[1]), row[2], str(row[-2])
    if row[0] == "request-dep":
        requested[source, stimulus] = time
    elif row[0] == "receive-dep" and isinstance(keys, list):
        names = frozenset(key_of(key, where) for key in keys)
        requested_at = requested.get((source, stimulus))
        if requested_at is not None:
            log.received[source, names].append((requested_at, time))


def _stimuli(walker: Walker, worker: Worker) -> None:
    for number, event in enumerate(walker.items("stimulus_log"), 1):
        if not isinstance(event, dict) or event.get("start") is None:
            continue
        if event.get("cls") not in ("ExecuteSuccessEvent", "ExecuteFailureEvent"):
            continue
        where = f"event {number} of the stimulus log of {worker.address}"
        start, stop = _span(event, where)
        worker.executions.append(
            Execution(
                key=key_of(event.get("key"), where),
                start=start,
                stop=stop,
                bytes=size(event.get("nbytes"), where),
                failed=event["cls"] == "ExecuteFailureEvent",
                stimulus=str(event.get("stimulus_id")),
            )
        )


def _span(event: dict[Any, Any], where: str) -> tuple[float, float]:
    start, stop = (moment(event.get(name), name, where) for name in ("start", "stop"))
    if stop < start:
        raise InputError(
            f"stop ({stop}) lies before start ({start})", where=where, expected="stop after start"
        )
    return start, stop


def _executing_tasks(walker: Walker, worker: Worker) -> None:
    """Take the computations of tasks that the worker still has, and when it turned to them."""
    for name in walker.keys("tasks"):
        found: dict[Any, Any] = {"key": name}
        for part in walker.keys_if_map() or ():
            if part in ("key", "nbytes", "startstops", "start_time"):
                found[part] = walker.take()
            else:
                walker.skip()
        where = f"task {str(name)[:80]} of {worker.address}"
        key, turned = key_of(found["key"], where), found.get("start_time")
        spans = found.get("startstops") or ()
        for span in spans if isinstance(spans, list) else ():
            if isinstance(span, dict) and span.get("action") == "compute":
                start, stop = _span(span, where)
                nbytes = size(found.get("nbytes"), where)
                worker.executions.append(Execution(key, start, stop, nbytes, False, ""))
                if turned is not None:
                    worker.executions[-1].turned = moment(turned, "start_time", where)


def _incoming(walker: Walker, worker: Worker) -> None:
    for number, entry in enumerate(walker.items("transfer_incoming_log"), 1):
        where = f"entry {number} of the incoming transfers of {worker.address}"
        if not isinstance(entry, dict) or not isinstance(entry.get("keys"), dict):
            raise InputError("this is no transfer", where=where, expected="start, stop, keys, who")
        start, stop = _span(entry, where)
        sizes = {key_in_map(k, where): size(v, where) for k, v in entry["keys"].items()}
        worker.incoming.append(Incoming(str(entry.get("who")), start, stop, sizes))


def _outgoing(walker: Walker, worker: Worker) -> None:
    for number, entry in enumerate(walker.items("transfer_outgoing_log"), 1):
        where = f"entry {number} of the outgoing transfers of {worker.address}"
        if not isinstance(entry, dict):
            raise InputError("this is no transfer", where=where, expected="start, stop, middle")
        start, stop = _span(entry, where)
        middle = moment(entry.get("middle"), "middle", where)
        # Only the middle is kept without the guess.
        worker.outgoing.append((middle + (stop - start) / 2, (start + stop) / 2 - middle))


_PARTS: dict[Any, Callable[[Walker, Worker], None]] = {
    "nthreads": _threads,
    "config": _config,
    "log": _log,
    "stimulus_log": _stimuli,
    "transfer_incoming_log": _incoming,
    "transfer_outgoing_log": _outgoing,
    "tasks": _executing_tasks,
}
