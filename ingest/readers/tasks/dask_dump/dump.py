"""Dask cluster dumps: the file that `client.dump_cluster_state` writes (msgpack, gzipped).

A node is a worker process, by its Dask name; a worker is one of its threads (`0/t0`). Times count
from the first submission of a task that the scheduler still knew (the run's `started_at`) and
are those of the workers' own clocks: Dask's guess at their offset is taken out. A datum bears the
name of the run that made it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pyarrow as pa

from ingest.base import Head, Item, Rows, Run, SingleFile
from ingest.readers.tasks.dask_dump.read import read_state
from ingest.readers.tasks.dask_dump.rows import Row, Trace, host_of
from ingest.readers.tasks.dask_dump.runs import TaskRun, task_runs
from ingest.readers.tasks.dask_dump.state import State
from ingest.readers.tasks.dask_dump.unpack import Walker
from ingest.recording import Recording
from warehouse.errors import InputError

_START = re.compile(
    rb"(?:[\x80-\x8f]|\xde..|\xdf....)(?:\xa9scheduler|\xa7workers|\xa8versions)", re.DOTALL
)
_YAML = b"scheduler:"
_OWN_YAML = re.compile(rb"\Ascheduler:\r?\n  .*?^  (?:address|clients|events):", re.DOTALL | re.M)
_TEXT, _INT = pa.string(), pa.int64()
_SCHEMAS = {
    "nodes": {"node": _TEXT, "clock_offset_ns": _INT},
    "workers": {"worker": _TEXT, "node": _TEXT, "t_begin": _INT, "t_end": _INT},
    "tasks": {
        "task": _TEXT,
        "worker": _TEXT,
        "name": _TEXT,
        "t_submit": _INT,
        "t_start": _INT,
        "t_end": _INT,
    },
    "task_data": {"data": _TEXT, "producer": _TEXT, "node": _TEXT, "bytes": _INT},
    "task_inputs": {"task": _TEXT, "data": _TEXT},
    "transfers": {
        "data": _TEXT,
        "from_node": _TEXT,
        "to_node": _TEXT,
        "t_send": _INT,
        "t_recv": _INT,
        "bytes": _INT,
    },
    "runtime_intervals": {"worker": _TEXT, "t_start": _INT, "t_end": _INT, "state": _TEXT},
}


class DaskDump(SingleFile):
    """A dump of a Dask cluster's state."""

    NAME = "dask-dump"
    DESCRIPTION = "Dask cluster dumps (client.dump_cluster_state, msgpack)"
    PATTERNS = ("*.msgpack.gz", "*.msgpack")
    TABLES = tuple(_SCHEMAS)
    # The receiver stamps both ends of a transfer.
    SHOWS_SKEW = False

    def sniff(self, head: Head) -> bool:
        """Recognise a msgpack map that begins as Dask writes it, or the same in YAML."""
        return _START.match(head.data) is not None or _OWN_YAML.search(head.data) is not None

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run, then its tables; the dump is read item by item first."""
        with recording.open() as file:
            if file.peek(len(_YAML)).startswith(_YAML):
                raise InputError(
                    "the dump is in YAML",
                    expected="msgpack",
                    hint='Dump again with client.dump_cluster_state(..., format="msgpack").',
                )
            state = read_state(Walker(file), lenient=recording.lenient)
        runs, arrivals = task_runs(state)
        runs, base, last = _in_window(state, runs)
        trace = Trace(state, runs, arrivals, base)
        yield _run(state, base, last)
        yield _rows("nodes", trace.nodes())
        yield _rows("workers", trace.workers(last))
        yield _rows("tasks", trace.tasks())
        yield _rows("task_data", trace.data())
        yield _rows("task_inputs", trace.inputs())
        yield _rows("transfers", trace.transfers())
        yield _rows("runtime_intervals", trace.runtime())


def _rows(table: str, rows: list[Row]) -> Rows:
    return Rows(table, pa.Table.from_pylist(rows, schema=pa.schema(_SCHEMAS[table])))


def _in_window(state: State, runs: list[TaskRun]) -> tuple[list[TaskRun], float, float]:
    """Return the runs to keep, the first submission and the last end, in s of the epoch.

    What tasks read that the scheduler forgot is not known. Those that ran among the others stay,
    because their workers were busy; before and after they would only widen the window.
    """
    known = [run for run in runs if run.key in state.tasks]
    if not known:
        raise InputError(
            "no task that the scheduler still knew has run on a worker that answered",
            expected="a dump made while the results are in memory",
            hint="Dump before the futures are released: tasks without them are forgotten.",
        )
    times = [state.submitted[run.key] for run in known if run.key in state.submitted]
    base, last = min([*times, *(run.start for run in known)]), max(run.stop for run in known)
    kept = [run for run in runs if run.key in state.tasks or (run.start < last and run.stop > base)]
    return kept, base, last


def _run(state: State, base: float, last: float) -> Run:
    tags = {"runtime": "Dask"}
    if state.version:
        tags["distributed"] = state.version
    if full := [w.address for w in state.workers.values() if w.log.rows >= w.log_length]:
        tags["log_full"] = ", ".join(full)
    if state.silent:
        tags["no_answer_from"] = ", ".join(state.silent)
    threads = {worker.threads for worker in state.workers.values()}
    return Run(
        started_at=datetime.fromtimestamp(base, UTC),
        nodes=len({host_of(address) for address in state.workers}),
        ranks=len(state.workers),
        threads=threads.pop() if len(threads) == 1 else None,
        wall_seconds=last - base,
        tags=tags,
    )
