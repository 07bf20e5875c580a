"""Counters of a trace: of each its mean over time, and its maximum."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from ingest.base import Item, LeftOut, Rows
from ingest.readers.chrome_trace.events import Events


def counter_rows(events: Events) -> Iterator[Item]:
    """Yield two metrics for each counter.

    A counter keeps its value until the next point, so the mean weighs values by their time; a
    single point is the mean.
    """
    series = events.counters["series"]
    if not len(series):
        return
    values = np.frombuffer(events.counted, np.float64)
    order = np.lexsort((events.counters["time"], series))
    values, time = values[order], events.counters["time"][order]
    begin = np.flatnonzero(np.concatenate(([True], np.diff(series[order]) > 0)))
    things = events.series.things()
    several = len({pid for pid, *_ in things}) > 1
    metrics: list[str] = []
    found: list[float] = []
    for (pid, name, identity, key), first, last in zip(
        things, begin, np.append(begin[1:], len(order)), strict=True
    ):
        own, at = values[first:last], time[first:last]
        span = np.diff(at).astype(np.float64)
        mean = float(np.average(own[:-1], weights=span)) if span.sum() > 0 else float(own[-1])
        parts = [str(name), *(str(i) for i in identity if i is not None), str(key)]
        label = " ".join(dict.fromkeys(parts)) + (f" of process {pid}" if several else "")
        metrics += [f"{label}, mean over time", f"{label}, maximum"]
        found += [mean, float(own.max())]
    yield Rows("metrics", pa.table({"metric": metrics, "value": found}))
    points = len(order)
    yield LeftOut(points, "point of a counter", "mean and maximum land", "points of counters")
