"""Function times of a timeline: exact sums over slices, nested ones by call path."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from ingest.base import Item, Rows
from ingest.parsing.call_paths import frame_name
from ingest.parsing.timelines.arrays import groups, sums
from ingest.parsing.timelines.nesting import Nesting
from ingest.parsing.timelines.slices import Integers, Role, Timeline

_NS = 1e9


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
    columns = {
        "function": pa.array(nested.paths.names, pa.string()).take(path),
        "callpath": pa.array(nested.paths.joined(), pa.string()).take(path),
        "thread": pa.array(numbers, pa.int64()).take(pa.array(slices.worker[threads[first]])),
        "seconds": pa.array(own / _NS, mask=own < 0),
    }
    return Rows("fn_timings", _table(timeline, threads, first, place, columns))


def _name_rows(timeline: Timeline, of: Integers, *, own: bool) -> Rows:
    slices = timeline.slices
    devices = [worker.device for worker in timeline.workers]
    device = np.array([devices.index(device) for device in devices], np.int64)[slices.worker[of]]
    first, place = groups(slices.name[of], slices.kind[of], device)
    names = pa.array(map(frame_name, timeline.names), pa.string())
    columns: dict[str, object] = {"function": names.take(pa.array(slices.name[of[first]]))}
    if own:
        columns["seconds"] = sums((slices.end - slices.start)[of], place, len(first)) / _NS
        columns["device"] = pa.array(devices, pa.string()).take(pa.array(device[first]))
    return Rows("fn_timings", _table(timeline, of, first, place, columns))


def _table(
    timeline: Timeline,
    of: Integers,
    first: Integers,
    place: Integers,
    columns: dict[str, object],
) -> pa.Table:
    slices = timeline.slices
    count = len(first)
    kinds = pa.array(timeline.kinds, pa.string())
    return pa.table(
        {
            **columns,
            "kind": kinds.take(pa.array(slices.kind[of[first]])),
            "rank": pa.array([timeline.rank] * count, pa.int32()),
            "inclusive_seconds": sums((slices.end - slices.start)[of], place, count) / _NS,
            "calls": np.bincount(place, minlength=count),
        }
    )
