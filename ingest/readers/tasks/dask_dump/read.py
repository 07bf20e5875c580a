"""Reading a Dask cluster dump item by item: only what is needed of it is kept."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ingest.readers.tasks.dask_dump.state import (
    Execution,
    Incoming,
    Known,
    Log,
    State,
    Worker,
    key_in_map,
    key_of,
    moment,
    prefix_of,
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


_TASK = re.compile(r"<\w+ (.+) [\w-]+>", re.DOTALL)
_HOLDER = re.compile(r"<\w+ '([^']+)'")
_COLLECTION = re.compile(r"<(.*): (?:[a-z-]+: \d+(?: |(?=>)))*>", re.DOTALL)
_SUBMITTED = "update-graph"


def read_state(walker: Walker, *, lenient: bool = False) -> State:
    """Read a whole dump; raises `InputError` where it is not as Dask writes it.

    A lenient reading keeps dependencies on tasks that the dump does not list, as they are printed.
    """
    state = State()
    sections: dict[str, Callable[[Walker, State], None]] = {
        "scheduler": _scheduler,
        "workers": _workers,
        "versions": _versions,
    }
    for name in walker.keys("the dump"):
        sections.get(name, _pass_over)(walker, state)
    walker.finish()
    _resolve(state, lenient)
    return state


def _pass_over(walker: Walker, _: State) -> None:
    walker.skip()


def _scheduler(walker: Walker, state: State) -> None:
    for name in walker.keys("scheduler"):
        if name == "address":
            state.scheduler = str(walker.take())
        elif name == "workers":
            _names(walker, state)
        elif name == "tasks":
            _tasks(walker, state)
        elif name == "transition_log":
            _transitions(walker, state)
        else:
            walker.skip()


def _names(walker: Walker, state: State) -> None:
    for address in walker.keys("scheduler.workers"):
        for name in walker.keys_if_map() or ():
            if name != "name":
                walker.skip()
            elif isinstance(value := walker.take(), (str, int)):
                state.names[str(address)] = str(value)


def _tasks(walker: Walker, state: State) -> None:
    for name in walker.keys("scheduler.tasks"):
        found: dict[Any, Any] = {"key": name}
        for part in walker.keys_if_map() or ():
            if part in ("key", "dependencies", "nbytes", "prefix", "who_has"):
                found[part] = walker.take()
            else:
                walker.skip()
        where = f"task {str(name)[:80]}"
        key = key_of(found["key"], where)
        prefix = _COLLECTION.fullmatch(str(found.get("prefix")))
        needs = [_TASK.fullmatch(text) for text in _texts(found, "dependencies", where)]
        holders = [_HOLDER.match(text) for text in _texts(found, "who_has", where)]
        if None in needs:
            raise InputError(
                "a dependency is no task", where=where, expected="<TaskState 'key' ...>"
            )
        state.tasks[key] = Known(
            prefix[1] if prefix else prefix_of(key),
            size(found.get("nbytes"), where),
            [match[1] for match in needs if match],
            [match[1] for match in holders if match],
        )


def _texts(found: dict[Any, Any], name: str, where: str) -> list[str]:
    value = found.get(name) or []
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    raise InputError(f"{name} is {str(value)[:60]!r}", where=where, expected="a list of texts")


def _transitions(walker: Walker, state: State) -> None:
    """Record when each key was first part of a graph: when that graph's first task moved."""
    graphs: dict[str, float] = {}
    for number, row in enumerate(walker.items("scheduler.transition_log"), 1):
        where = f"row {number} of the scheduler's transition log"
        check_row(row, where)
        stimulus = row[-2]
        if isinstance(stimulus, str) and stimulus.startswith(_SUBMITTED):
            time = graphs.setdefault(stimulus, moment(row[-1], "the time", where))
            state.submitted.setdefault(key_of(row[0], where), time)


def _workers(walker: Walker, state: State) -> None:
    for address in walker.keys("workers"):
        parts = walker.keys_if_map()
        if parts is None:
            # The text there instead is why the worker did not answer.
            state.silent.append(str(address))
            continue
        worker = Worker(str(address))
        for name in parts:
            read_part(walker, worker, name)
        state.workers[worker.address] = worker


def _versions(walker: Walker, state: State) -> None:
    versions = walker.take()
    for name in ("scheduler", "packages", "distributed"):
        versions = versions.get(name) if isinstance(versions, dict) else None
    state.version = versions if isinstance(versions, str) else None


def _resolve(state: State, lenient: bool) -> None:
    """Replace what was printed of the tasks that a task needs by their keys."""
    printed = {key if key.startswith("(") else repr(key): key for key in state.tasks}
    for key, task in state.tasks.items():
        for text in task.needs:
            if text not in printed and not lenient:
                raise InputError(
                    f"it depends on {text[:80]}, which is not among the scheduler's tasks",
                    where=f"task {key[:80]}",
                    expected="a dump with all tasks, not edited",
                    hint="pwh ingest --lenient takes what the dump does not list for unknown.",
                )
        task.needs = [printed.get(text, text) for text in task.needs]
