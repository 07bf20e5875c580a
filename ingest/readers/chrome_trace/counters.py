"""Counters of a Chrome trace."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ingest.base import Item
from ingest.parsing.timelines import counters
from ingest.readers.chrome_trace.events import Events


def counter_rows(events: Events) -> Iterator[Item]:
    """Yield the metrics of each counter; see `ingest.parsing.timelines.counters`."""
    things = events.series.things()
    several = len({pid for pid, *_ in things}) > 1
    series = []
    for pid, name, identity, key in things:
        parts = [str(name), *(str(i) for i in identity if i is not None), str(key)]
        label = " ".join(dict.fromkeys(parts)) + (f" of process {pid}" if several else "")
        series.append(counters.Series(label))
    of, time = events.counters["series"], events.counters["time"]
    points = counters.Points(of, time, np.frombuffer(events.counted, np.float64))
    yield from counters.counter_rows(series, points)
