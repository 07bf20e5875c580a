"""The records of a Caliper profile, collected in columns."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ingest.parsing.call_paths import CallPaths, frame_name
from ingest.readers.profiles.caliper.metrics import Metric
from udfs.arrays import Floats, Integers
from warehouse.errors import InputError

_MOST_RANK = 1 << 31
_MOST_THREAD = 1 << 63


class Place(NamedTuple):
    """Where a record was measured: its call path, its rank, thread and block of time, if named."""

    path: tuple[str, ...]
    rank: int | None = None
    thread: int | None = None
    block: int | None = None


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
    `where` names the place in the file of the record of a number.
    `repeated` counts the values left out because their record has another one of the attribute.
    """

    def __init__(self, where: str = "line {}") -> None:
        self._where = where
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

    def row(self, place: Place, number: int) -> int:
        """Return the row of a place, which record `number` is of.

        Raises `InputError` for an implausible rank or thread.
        """
        limits = (("rank", place.rank, _MOST_RANK), ("thread", place.thread, _MOST_THREAD))
        for what, found, most in limits:
            if found is not None and not 0 <= found < most:
                raise InputError(
                    f"the {what} is {found}",
                    where=self._where.format(number),
                    expected="a number from 0",
                )
        rank, thread, block = (-1 if found is None else found for found in place[1:])
        key = (self.paths.code([frame_name(one) for one in place.path]), rank, thread, block)
        row = self._rows.setdefault(key, len(self.path))
        if row == len(self.path):
            columns = (self.path, self.rank, self.thread, self.block)
            for column, code in zip(columns, key, strict=True):
                column.append(code)
        return row

    def add(self, metric: Metric, rows: Integers, values: Floats, numbers: Integers) -> None:
        """Take values of a metric at rows, each from the record of a number.

        Raises `InputError` for the first that is implausible.
        """
        if (wrong := _implausible(metric, values)) is not None:
            first, expected = wrong
            raise InputError(
                f"{metric.name} is {values[first]:g}",
                where=self._where.format(numbers[first]),
                expected=expected,
            )
        if len(values):
            measured = self._measured.setdefault(metric.name, _Values(metric))
            measured.rows.frombytes(rows.astype(np.int64).tobytes())
            measured.values.frombytes(values.astype(np.float64).tobytes())

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


def _implausible(metric: Metric, values: Floats) -> tuple[int, str] | None:
    """Return the position of the first implausible value and what was expected, None if none is."""
    wrong = ~np.isfinite(values)
    if metric.unit is None or "time" in metric.role:
        wrong |= values < 0
    fraction = np.zeros(len(values), dtype=bool)
    if metric.role == "calls":
        fraction = (values != np.trunc(values)) | (values >= _MOST_THREAD)
    found = np.flatnonzero(wrong | fraction)
    if not len(found):
        return None
    return int(found[0]), "a finite number from 0" if wrong[found[0]] else "a whole number"
