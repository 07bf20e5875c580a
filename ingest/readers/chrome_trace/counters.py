"""Counters of a Chrome trace, and memory over time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from ingest.base import Item, Rows
from ingest.parsing.timelines import counters
from ingest.readers.chrome_trace.events import NONE, Events


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


def memory_rows(events: Events, base: int, rank: int | None) -> Iterator[Item]:
    """Yield what allocators had in use and reserved, moment by moment, times from `base` (ns) on.

    The region is the device, named as its streams are.
    """
    prefix = "" if rank is None else f"rank {rank} "
    devices = np.unique(events.memory["device"])
    for device in devices.tolist():
        of = np.flatnonzero(events.memory["device"] == device)
        of = of[np.argsort(events.memory["time"][of], kind="stable")]
        region = f"{prefix}{'host' if device == NONE else f'GPU {device}'}"
        for event in ("allocated", "reserved"):
            known = of[events.memory[event][of] != NONE]
            yield Rows(
                "pmu_samples",
                pa.table(
                    {
                        "rank": pa.array([rank] * len(known), pa.int32()),
                        "region": pa.array([region] * len(known)),
                        "sample": np.arange(len(known)),
                        "t_start": events.memory["time"][known] - base,
                        "event": pa.array([f"memory.{event}"] * len(known)),
                        "value": events.memory[event][known].astype(np.float64),
                        "unit": pa.array(["bytes"] * len(known)),
                    }
                ),
            )
