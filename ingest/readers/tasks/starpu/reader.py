"""StarPU traces: the folder that starpu_fxt_tool writes, with tasks.rec, data.rec, paje.trace.

Times count from the first submission of a task that ran. A worker is named as in the trace (`w3`,
with MPI `0_w3`), a node is a rank (`r0`). A datum is a version of a handle: `t8@2` is version 2 of
the data with MPI tag 8, `h0_55d0@2` of a handle without tag on rank 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.base import TASK_TABLES, Head, Item, Rows, Run
from ingest.compressed import bare_name, sibling
from ingest.readers.tasks.starpu.data import Flow, flow
from ingest.readers.tasks.starpu.paje import RUNTIME_STATES, Paje, read_paje
from ingest.readers.tasks.starpu.tasks import Tasks, read_tasks
from ingest.recording import Recording
from udfs.arrays import Integers
from warehouse.errors import InputError

_OTHER = -1


def runtime_intervals(paje: Paje, workers: pa.ChunkedArray, base: int) -> pa.Table:
    """Return the stretches of each worker in a state of the runtime, times from `base` on, ns.

    Setting a state replaces the one on top, pushing hides it and popping brings it back. A state
    that still lasts at the end of the trace has no known end and makes no row; neither does one
    that was over when the first task was submitted.
    """
    worker = pc.index_in(paje.states["worker"].combine_chunks(), workers.combine_chunks())
    known = pc.is_valid(worker)
    table = paje.states.filter(known)
    group = worker.filter(known).to_numpy().astype(np.int64)
    time = table["time"].to_numpy()
    order = np.lexsort((time, group))
    group, time = group[order], time[order]
    step = table["step"].to_numpy()[order].astype(np.int64)
    state = table["state"].combine_chunks().fill_null(_OTHER).to_numpy()[order]
    state = _in_force(group, step, state.astype(np.int64))
    end = np.append(time[1:], 0)
    goes_on = np.append(group[1:] == group[:-1], False)[: len(group)]
    keep = (state != _OTHER) & goes_on & (end[: len(time)] > np.maximum(time, base))
    return pa.table(
        {
            "worker": workers.take(pa.array(group[keep])),
            "t_start": pa.array(time[keep] - base),
            "t_end": pa.array(end[: len(time)][keep] - base),
            "state": pa.array(list(RUNTIME_STATES.values())).take(pa.array(state[keep])),
        }
    )


def _in_force(group: Integers, step: Integers, state: Integers) -> Integers:
    """Return the state after each event; the events of a group are together, by time."""
    depth = _depth(group, step)
    order = np.lexsort((depth, group))
    position = np.arange(len(order))
    setter = np.where(step[order] >= 0, position, -1)
    last = np.maximum.accumulate(setter) if len(order) else setter
    at = order[np.maximum(last, 0)]
    found = (last >= 0) & (group[at] == group[order]) & (depth[at] == depth[order])
    result = np.full(len(order), _OTHER)
    result[order] = np.where(found, state[at], _OTHER)
    return result


def _depth(group: Integers, step: Integers) -> Integers:
    """Return the height of the stack after each event; popping an empty one leaves it empty."""
    total: Integers = np.cumsum(step)
    if not len(total):
        return total
    first = np.append(True, group[1:] != group[:-1])
    start = np.flatnonzero(first)
    height: Integers = total - np.repeat(
        total[start] - step[start], np.diff(np.append(start, len(total)))
    )
    # Each group is moved below all of the one before, so that the running least starts anew.
    below = np.cumsum(first) * (2 * len(total) + 1)
    least = np.minimum.accumulate(height - below) + below
    height -= np.minimum(least, 0)
    return height


_TASKS, _DATA, _PAJE = "tasks.rec", "data.rec", "paje.trace"
_JOB = re.compile(rb"^JobId: \S", re.MULTILINE)
_TIME = re.compile(rb"^(?:SubmitTime|StartTime): ", re.MULTILINE)
_HANDLE = re.compile(rb"\A(?:Handle|HomeNode): ")
_WORKER = re.compile(r"(?:(\d{1,9})_)?w\d{1,9}")


class StarPU:
    """A folder with StarPU's tasks.rec and, where they are, data.rec and paje.trace."""

    NAME = "starpu"
    DESCRIPTION = "StarPU traces: a folder with tasks.rec, data.rec and paje.trace"
    PATTERNS = (_TASKS, _DATA, _PAJE)
    TABLES = TASK_TABLES
    WHOLE_FOLDER = True

    def sniff(self, head: Head) -> bool:
        """Recognise records of jobs or of data handles, or StarPU's kind of Paje trace."""
        name = head.name
        if head.data.startswith(b"%EventDef"):
            return name == _PAJE and b"JobId" in head.data
        if name == _DATA:
            return _HANDLE.search(head.data) is not None
        return _JOB.search(head.data) is not None and _TIME.search(head.data) is not None

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return tasks.rec and those of the other two that lie next to it."""
        main = path if bare_name(path) not in (_DATA, _PAJE) else sibling(path, _TASKS)
        others = (sibling(path, _DATA), sibling(path, _PAJE))
        return tuple(part for part in (main, *others) if part is not None)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run, then its tables; all three files are read first."""
        if bare_name(recording.path) in (_DATA, _PAJE):
            raise InputError(
                "there is no tasks.rec next to this file",
                expected="tasks.rec, which starpu_fxt_tool writes along with it",
            )
        tasks = read_tasks(recording, recording.path)
        paje_part, data_part = recording.part(_PAJE), recording.part(_DATA)
        paje = read_paje(recording, paje_part) if paje_part else None
        if paje is not None and paje_part is not None:
            _check_end(tasks, paje, paje_part)
            if len(paje.sends) and data_part is None:
                raise InputError(
                    "the trace has MPI messages, but there is no data.rec to show what they carry",
                    path=str(paje_part),
                    expected="data.rec, which starpu_fxt_tool writes along with it",
                )
        workers = _workers(tasks, paje)
        yield _run(tasks, workers)
        yield Rows("nodes", pa.table({"node": pc.unique(workers["node"])}))
        yield Rows("workers", workers)
        yield Rows("tasks", tasks.landing())
        yield from _data_rows(flow(recording, data_part, tasks, paje))
        if paje is not None:
            yield Rows("runtime_intervals", runtime_intervals(paje, workers["worker"], tasks.base))


def _data_rows(found: Flow) -> Iterator[Rows]:
    yield Rows("task_data", found.data)
    yield Rows("task_inputs", found.inputs)
    yield Rows("transfers", found.transfers)


def _workers(tasks: Tasks, paje: Paje | None) -> pa.Table:
    """Return the workers that ran tasks or that the trace declares, over the run's window."""
    names = set(pc.unique(tasks.worker).to_pylist()) | set(paje.workers if paje else ())
    found = {name: match for name in names if (match := _WORKER.fullmatch(name))}
    ordered = sorted(found, key=lambda name: (int(found[name][1] or 0), len(name), name))
    return Rows.of_columns(
        "workers",
        worker=ordered,
        node=[f"r{found[name][1] or 0}" for name in ordered],
        t_begin=0,
        t_end=int(tasks.last - tasks.base),
    ).batch


def _run(tasks: Tasks, workers: pa.Table) -> Run:
    ranks = len(pc.unique(workers["node"]))
    each = {
        count["counts"] for count in workers["node"].combine_chunks().value_counts().to_pylist()
    }
    return Run(
        ranks=ranks if tasks.mpi else None,
        threads=each.pop() if len(each) == 1 else None,
        wall_seconds=(tasks.last - tasks.base) / 1e9,
        tags={"runtime": "StarPU"},
    )


def _check_end(tasks: Tasks, paje: Paje, part: Path) -> None:
    """Raise `InputError` for a trace of a worker that stops before the worker's last task."""
    seen = pa.table({"worker": paje.states["worker"], "time": paje.states["time"]})
    seen = seen.group_by("worker").aggregate([("time", "max")])
    ends = pa.table({"worker": tasks.worker, "end": tasks.end}).group_by("worker")
    both = seen.join(ends.aggregate([("end", "max")]), "worker", join_type="inner")
    early = both.filter(pc.less(both["time_max"], both["end_max"]))
    if len(early):
        worker = min(early["worker"].to_pylist())
        raise InputError(
            f"the trace stops before the last task of the worker {worker} ends",
            path=str(part),
            expected="the states of every worker up to its last task",
            hint="Was it cut off, or does it belong to another tasks.rec?",
        )
