"""Reading a Dask cluster dump item by item: only what is needed of it is kept."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ingest.readers.tasks.dask_dump.state import (
    Known,
    State,
    Worker,
    key_of,
    moment,
    prefix_of,
    size,
)
from ingest.readers.tasks.dask_dump.unpack import Walker
from ingest.readers.tasks.dask_dump.worker import check_row, read_part
from warehouse.errors import InputError

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
