"""Counters of a trace: of each its mean over time and its maximum, or its increase."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.base import Item, LeftOut, Rows
from udfs.arrays import Floats, Integers


@dataclass(frozen=True, slots=True)
class Series:
    """Name of a counter, its unit, and whether it only grows, as totals do."""

    label: str
    unit: str | None = None
    is_total: bool = False


@dataclass(frozen=True, slots=True)
class Points:
    """Points of counters as arrays: the number of the series, the time in ns, the value."""

    series: Integers
    time: Integers
    value: Floats


def counter_rows(counters: Sequence[Series], points: Points) -> Iterator[Item]:
    """Yield the metrics of each counter that has a point.

    A counter keeps its value until the next point, so the mean weighs values by their time; a
    single point is the mean, and no increase.
    """
    if not len(points.series):
        return
    order = np.lexsort((points.time, points.series))
    series, time, values = points.series[order], points.time[order], points.value[order]
    begin = np.flatnonzero(np.concatenate(([True], np.diff(series) > 0)))
    found: list[tuple[str, float, str | None]] = []
    count = {False: 0, True: 0}
    for first, last in zip(begin.tolist(), [*begin[1:].tolist(), len(order)], strict=True):
        counter, own, at = counters[series[first]], values[first:last], time[first:last]
        count[counter.is_total] += len(own)
        if counter.is_total:
            of = {"increase": float(own[-1] - own[0])} if len(own) > 1 else {}
        else:
            of = {"mean over time": _mean(own, at), "maximum": float(own.max())}
        found += [(f"{counter.label}, {what}", value, counter.unit) for what, value in of.items()]
    yield Rows.of_records("metrics", ("metric", "value", "unit"), found)
    yield _left_out(count[False], "mean and maximum land")
    yield _left_out(count[True], "their increase lands")


def _left_out(points: int, reason: str) -> LeftOut:
    return LeftOut(points, "point of a counter", reason, "points of counters")


def _mean(values: Floats, time: Integers) -> float:
    span = np.diff(time).astype(np.float64)
    return float(np.average(values[:-1], weights=span)) if span.sum() > 0 else float(values[-1])
