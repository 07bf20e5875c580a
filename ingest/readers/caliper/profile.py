"""The records of a Caliper profile, collected in columns."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ingest.parsing.call_paths import CallPaths, Floats, Integers
from ingest.readers.caliper.metrics import Metric
from warehouse.errors import InputError

_MOST_RANK = 1 << 31
_MOST_THREAD = 1 << 63


@dataclass(slots=True)
class _Values:
    """The values of one metric, and the rows of (path, rank, thread) that they are of."""

    metric: Metric
    rows: array[int] = field(default_factory=lambda: array("q"))
    values: array[float] = field(default_factory=lambda: array("d"))


class Profile:
    """Values by call path, rank and thread; `globals` are the file's facts of the run.

    A row is a call path with a rank, a thread and a block of time, -1 where the record names none.
    Records that differ in other attributes only (iterations, source lines) share a row.
    `repeated` counts the values left out because their record has another one of the attribute.
    """

    def __init__(self) -> None:
        self.paths = CallPaths()
        self.path, self.rank, self.thread = array("q"), array("q"), array("q")
        self.block = array("q")
        self.repeated = 0
        self.globals: dict[str, str] = {}
        self._rows: dict[tuple[int, int, int, int], int] = {}
        self._measured: dict[str, _Values] = {}

    @property
    def metrics(self) -> list[Metric]:
        """The metrics that have values, in the order in which they were met."""
        return [one.metric for one in self._measured.values()]

    def add(
        self,
        path: Sequence[str],
        places: tuple[int | None, int | None],
        values: Mapping[Metric, float],
        where: str,
        block: int | None = None,
    ) -> None:
        """Take a record: its values at a path, at (rank, thread) and in a block of time.

        Raises `InputError` naming the place in the file (`where`) for implausible values.
        """
        rank, thread = places
        for what, place, most in (("rank", rank, _MOST_RANK), ("thread", thread, _MOST_THREAD)):
            if place is not None and not 0 <= place < most:
                raise InputError(f"the {what} is {place}", where=where, expected="a number from 0")
        key = (
            self.paths.code(path),
            -1 if rank is None else rank,
            -1 if thread is None else thread,
            -1 if block is None else block,
        )
        row = self._rows.setdefault(key, len(self.path))
        if row == len(self.path):
            columns = (self.path, self.rank, self.thread, self.block)
            for column, number in zip(columns, key, strict=True):
                column.append(number)
        for metric, value in values.items():
            _check(metric, value, where)
            measured = self._measured.setdefault(metric.name, _Values(metric))
            measured.rows.append(row)
            measured.values.append(value)

    def column(self, metric: Metric) -> tuple[Integers, Floats]:
        """Return the rows where a metric has values, and what these are together."""
        measured = self._measured[metric.name]
        rows = np.frombuffer(measured.rows, dtype=np.int64)
        values = np.frombuffer(measured.values, dtype=np.float64)
        count = np.bincount(rows, minlength=len(self.path))
        present = np.flatnonzero(count).astype(np.int64)
        if metric.together in ("min", "max"):
            extreme = np.full(len(self.path), np.inf if metric.together == "min" else -np.inf)
            (np.minimum if metric.together == "min" else np.maximum).at(extreme, rows, values)
            return present, extreme[present]
        total = np.bincount(rows, weights=values, minlength=len(self.path)).astype(np.float64)
        if metric.together == "mean":
            return present, total[present] / count[present]
        return present, total[present]

    def per_second(self, metric: Metric) -> float:
        """Return how many of a time's unit are a second.

        Where the file does not state it: Caliper once counted whole microseconds, and then seconds
        with six digits after the point.
        """
        if metric.per_second is not None:
            return metric.per_second
        values = np.frombuffer(self._measured[metric.name].values, dtype=np.float64)
        return 1e6 if values.any() and bool((values == np.trunc(values)).all()) else 1.0


def _check(metric: Metric, value: float, where: str) -> None:
    if not math.isfinite(value) or (value < 0 and (metric.unit is None or "time" in metric.role)):
        raise InputError(
            f"{metric.name} is {value:g}", where=where, expected="a finite number from 0"
        )
    if metric.role == "calls" and not (value.is_integer() and value < _MOST_THREAD):
        raise InputError(f"{metric.name} is {value!r}", where=where, expected="a whole number")
