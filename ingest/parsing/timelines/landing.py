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
from typing import Any

import numpy as np
import pyarrow as pa

from ingest.base import Item, LeftOut, Rows
from ingest.parsing.call_paths import frame_name
from ingest.parsing.timelines.arrays import groups, sums
from ingest.parsing.timelines.devices import Devices
from ingest.parsing.timelines.host import Host
from ingest.parsing.timelines.nesting import Nesting, nesting
from ingest.parsing.timelines.slices import Role, Timeline
from ingest.parsing.timelines.tasks import Tasks, numbered
from udfs.arrays import Integers

_NS = 1e9


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
    yield Rows.of_columns("nodes", node=nodes)
    lives = {}
    if timeline.whole_lives:
        begin, end = np.full(len(used), tasks.start.max()), np.full(len(used), tasks.end.min())
        np.minimum.at(begin, of_task, tasks.start)
        np.maximum.at(end, of_task, tasks.end)
        lives = {"t_begin": begin - base, "t_end": end - base}
    yield Rows.of_columns(
        "workers",
        worker=[worker.name for worker in used],
        node=[worker.node for worker in used],
        device=[worker.device for worker in used],
        **lives,
    )


def launch_rows(timeline: Timeline, tasks: Tasks, base: int) -> Iterator[Item]:
    """Yield a datum for each call that launched something, read by all that it launched.

    It exists when the call ends, or when what it launched starts, if that is earlier.
    """
    slices, launches = timeline.slices, timeline.launches
    number, first, place = np.unique(launches.number, return_index=True, return_inverse=True)
    caller = launches.caller[first]
    ready = slices.end[caller]
    np.minimum.at(ready, place, slices.start[launches.device])
    producer = tasks.at(slices.worker[caller], slices.start[caller])
    data = numbered("launch", timeline.rank, number)
    yield Rows.of_columns(
        "task_data", data=data, producer=tasks.named(producer), t_ready=ready - base
    )
    reader = tasks.named(tasks.of_device[launches.device])
    yield Rows.of_columns("task_inputs", task=reader, data=data.take(pa.array(place)))


def wait_rows(timeline: Timeline, tasks: Tasks) -> Iterator[Item]:
    """Yield a datum for the task of the GPU that ended last within a wait, read after the wait."""
    slices = timeline.slices
    waits = np.flatnonzero(slices.role == Role.WAIT)
    device = np.flatnonzero(tasks.is_device)
    device = device[np.argsort(tasks.end[device], kind="stable")]
    if not len(waits) or not len(device):
        return
    at = np.searchsorted(tasks.end[device], slices.end[waits], side="right") - 1
    awaited = device[at]
    reader = tasks.after(slices.worker[waits], slices.end[waits])
    known = (at >= 0) & (tasks.end[awaited] > slices.start[waits]) & (reader >= 0)
    result, place = np.unique(awaited[known], return_inverse=True)
    data = numbered("result", timeline.rank, result)
    yield Rows.of_columns("task_data", data=data, producer=tasks.named(result))
    awaiting = tasks.named(reader[known])
    yield Rows.of_columns("task_inputs", task=awaiting, data=data.take(pa.array(place)))


def arrow_rows(timeline: Timeline, tasks: Tasks, base: int) -> Iterator[Item]:
    """Yield a datum for each arrow, which exists from the start of the arrow on."""
    arrows = timeline.arrows
    producer = tasks.at(arrows.from_worker, arrows.t_from)
    reader = tasks.after(arrows.to_worker, arrows.t_to)
    known = (producer >= 0) & (reader >= 0)
    yield LeftOut(int((~known).sum()), "flow arrow", "no slice at its start or its end")
    data = numbered("arrow", timeline.rank, np.flatnonzero(known))
    made = tasks.named(producer[known])
    yield Rows.of_columns(
        "task_data", data=data, producer=made, t_ready=arrows.t_from[known] - base
    )
    yield Rows.of_columns(
        "task_inputs",
        task=tasks.named(reader[known]),
        data=data,
        t_arrived=arrows.t_to[known] - base,
        is_sent=arrows.sent[known],
    )


def function_rows(timeline: Timeline, threads: Integers, nested: Nesting) -> Iterator[Item]:
    """Yield times by call path and thread, by name on the GPU, and of asynchronous operations.

    The last are elapsed times, in which nothing need have run: they have no exclusive time. Nor
    have those whose own time is negative.
    """
    slices = timeline.slices
    if len(threads):
        yield _path_rows(timeline, threads, nested)
    for role in (Role.DEVICE, Role.CLOCK):
        of = np.flatnonzero(slices.role == role)
        if len(of):
            yield _name_rows(timeline, of, own=role == Role.DEVICE)


def _path_rows(timeline: Timeline, threads: Integers, nested: Nesting) -> Rows:
    slices = timeline.slices
    first, place = groups(slices.worker[threads], nested.path, slices.kind[threads])
    path = pa.array(nested.path[first])
    own = sums(nested.own, place, len(first))
    numbers = [worker.thread for worker in timeline.workers]
    return _times(
        timeline,
        threads,
        first,
        place,
        function=pa.array(nested.paths.names, pa.string()).take(path),
        callpath=pa.array(nested.paths.joined(), pa.string()).take(path),
        thread=pa.array(numbers, pa.int64()).take(pa.array(slices.worker[threads[first]])),
        seconds=pa.array(own / _NS, mask=own < 0),
    )


def _name_rows(timeline: Timeline, of: Integers, *, own: bool) -> Rows:
    slices = timeline.slices
    devices = [worker.device for worker in timeline.workers]
    device = np.array([devices.index(device) for device in devices], np.int64)[slices.worker[of]]
    first, place = groups(slices.name[of], slices.kind[of], device)
    names = pa.array(map(frame_name, timeline.names), pa.string())
    columns = {"function": names.take(pa.array(slices.name[of[first]]))}
    if own:
        columns["seconds"] = sums((slices.end - slices.start)[of], place, len(first)) / _NS
        columns["device"] = pa.array(devices, pa.string()).take(pa.array(device[first]))
    return _times(timeline, of, first, place, **columns)


def _times(
    timeline: Timeline, of: Integers, first: Integers, place: Integers, **columns: Any
) -> Rows:
    slices = timeline.slices
    kinds = pa.array(timeline.kinds, pa.string())
    return Rows.of_columns(
        "fn_timings",
        **columns,
        kind=kinds.take(pa.array(slices.kind[of[first]])),
        rank=timeline.rank,
        inclusive_seconds=sums((slices.end - slices.start)[of], place, len(first)) / _NS,
        calls=np.bincount(place, minlength=len(first)),
    )
