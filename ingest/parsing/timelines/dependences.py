"""Data that tasks of a timeline make and read: launches, results waited for, arrows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from ingest.base import Item, LeftOut, Rows
from ingest.parsing.timelines.slices import Role, Timeline
from ingest.parsing.timelines.tasks import Tasks, numbered


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
    columns = {"data": data, "producer": tasks.named(producer), "t_ready": ready - base}
    yield Rows("task_data", pa.table(columns))
    reader = tasks.named(tasks.of_device[launches.device])
    yield Rows("task_inputs", pa.table({"task": reader, "data": data.take(pa.array(place))}))


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
    yield Rows("task_data", pa.table({"data": data, "producer": tasks.named(result)}))
    columns = {"task": tasks.named(reader[known]), "data": data.take(pa.array(place))}
    yield Rows("task_inputs", pa.table(columns))


def arrow_rows(timeline: Timeline, tasks: Tasks, base: int) -> Iterator[Item]:
    """Yield a datum for each arrow, which exists from the start of the arrow on."""
    arrows = timeline.arrows
    producer = tasks.at(arrows.from_worker, arrows.t_from)
    reader = tasks.after(arrows.to_worker, arrows.t_to)
    known = (producer >= 0) & (reader >= 0)
    yield LeftOut(int((~known).sum()), "flow arrow", "no slice at its start or its end")
    data = numbered("arrow", timeline.rank, np.flatnonzero(known))
    columns = {
        "data": data,
        "producer": tasks.named(producer[known]),
        "t_ready": arrows.t_from[known] - base,
    }
    yield Rows("task_data", pa.table(columns))
    read = {
        "task": tasks.named(reader[known]),
        "data": data,
        "t_arrived": arrows.t_to[known] - base,
        "is_sent": pa.array(arrows.sent[known]),
    }
    yield Rows("task_inputs", pa.table(read))
