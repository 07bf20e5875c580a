"""Rows of landing tables from the timeline of a process.

What runs on a GPU is a task on the worker of its stream, slice by slice. A thread's slices nest,
and nested calls are not tasks of their own: the outermost call is one task. Where only spans
(annotations, frames of Python) enclose a moment, the innermost of them is the task, piece by
piece. A call in which the thread waits for the GPU is not work: it parts the task it lies in, and
so does the end of an arrow, so that a task begins where a dependence ends. Where nothing follows a
wait, its return is a task without length. All slices, nested or not, land in fn_timings by call
path, with exact sums; beside work of a GPU marks have no time of their own, and calls that wait for
it or copy only that in which it did not work.

A launch is a datum that the launching task makes and what it launched reads. What a thread does
after a wait reads the GPU's task that ended last within the wait. An arrow is a datum, too.

Where there is work of a GPU, gpu_gaps has the times in which it was idle, and why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from ingest.base import Item, Rows
from ingest.parsing.timelines.dependences import arrow_rows, launch_rows, wait_rows
from ingest.parsing.timelines.devices import Devices
from ingest.parsing.timelines.functions import function_rows
from ingest.parsing.timelines.host import Host
from ingest.parsing.timelines.nesting import nesting
from ingest.parsing.timelines.slices import Role, Timeline
from ingest.parsing.timelines.tasks import Tasks


def landing(timeline: Timeline, base: int) -> Iterator[Item]:
    """Yield the rows of one process, times from `base` (ns) on."""
    slices = timeline.slices
    threads = np.flatnonzero(slices.role <= Role.WAIT)
    nested = nesting(
        slices.worker[threads],
        slices.start[threads],
        slices.end[threads],
        slices.name[threads],
        timeline.names,
        slices.role[threads] != Role.SPAN,
    )
    tasks = Tasks(timeline, threads, nested)
    if len(tasks):
        yield from _worker_rows(timeline, tasks, base)
        columns = tasks.columns(base)
        if tasks.is_device.any():
            host = Host(timeline, threads, nested)
            devices = Devices(timeline, host)
            nested = replace(nested, own=host.own_time())
            yield Rows("tasks", pa.table(columns | devices.task_columns(tasks, base)))
            yield from devices.gap_rows(tasks, base)
        else:
            yield Rows("tasks", pa.table(columns))
        if len(timeline.launches.caller):
            yield from launch_rows(timeline, tasks, base)
        yield from wait_rows(timeline, tasks)
        if len(timeline.arrows.t_from):
            yield from arrow_rows(timeline, tasks, base)
    yield from function_rows(timeline, threads, nested)


def _worker_rows(timeline: Timeline, tasks: Tasks, base: int) -> Iterator[Rows]:
    numbers, of_task = np.unique(tasks.worker, return_inverse=True)
    used = [timeline.workers[number] for number in numbers.tolist()]
    nodes = list(dict.fromkeys(worker.node for worker in used))
    yield Rows("nodes", pa.table({"node": pa.array(nodes, pa.string())}))
    columns: dict[str, pa.Array] = {
        "worker": pa.array([worker.name for worker in used], pa.string()),
        "node": pa.array([worker.node for worker in used], pa.string()),
        "device": pa.array([worker.device for worker in used], pa.string()),
    }
    if timeline.whole_lives:
        begin, end = np.full(len(used), tasks.start.max()), np.full(len(used), tasks.end.min())
        np.minimum.at(begin, of_task, tasks.start)
        np.maximum.at(end, of_task, tasks.end)
        columns |= {"t_begin": pa.array(begin - base), "t_end": pa.array(end - base)}
    yield Rows("workers", pa.table(columns))
