"""Rows of HPCToolkit's values: times in fn_timings, other metrics in pmu_samples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ingest.base import Rows
from ingest.parsing.call_paths import CallPaths, frame_name
from ingest.parsing.units import PER_SECOND
from udfs.arrays import Floats
from warehouse.errors import InputError

_NAME = re.compile(
    r"(?P<name>.+?)(?: \((?![IE]\))(?P<unit>[\w%/]+)\))?"
    r"(?::(?P<statistic>Sum|Mean|StdDev|CfVar|Min|Max))?(?: \([IE]\))?"
)
_TIMES = ("REALTIME", "WALLCLOCK", "CPUTIME")


@dataclass(frozen=True, slots=True)
class Metric:
    """Measured metric: its name, its unit if it has one, and how many make a second, of times.

    `statistic` is what over processes a value is (Sum, Mean ...), None for that of one process.
    """

    name: str
    unit: str | None
    per_second: float | None
    statistic: str | None

    @property
    def is_time(self) -> bool:
        """Whether it is the time that the program takes."""
        return self.per_second is not None and self.name in _TIMES


def metric_of(text: str) -> Metric:
    """Return the metric that a name such as `CPUTIME (usec):Sum (E)` stands for."""
    found = _NAME.fullmatch(text)
    if found is None:
        return Metric(text, None, None, None)
    unit = found["unit"]
    per_second = PER_SECOND.get(unit or "")
    return Metric(
        frame_name(found["name"]), "s" if per_second else unit, per_second, found["statistic"]
    )


Place = tuple[int | None, int | None]  # rank and thread


class PathRows:
    """Turns values by call path into rows, one place after the other."""

    def __init__(
        self, paths: CallPaths, metrics: Iterable[Metric], parallelism: int | None
    ) -> None:
        self._names, self._above = paths.names, paths.above
        self._joined = paths.joined()
        self._parallelism = parallelism
        self.size = len(self._names)
        self._timed = next((one.name for one in metrics if one.is_time), None)
        self._empty = True

    def with_callees(self, own: Floats) -> Floats:
        """Return what paths have with those below them, from what they have themselves."""
        sums = own.tolist()
        # A path comes after the one above it.
        for code in range(self.size - 1, -1, -1):
            if self._above[code] >= 0:
                sums[self._above[code]] += sums[code]
        return np.array(sums)

    def of(self, metric: Metric, own: Floats, whole: Floats, place: Place) -> Iterator[Rows]:
        """Yield the rows of a metric at a place, of the paths that it has a value at or below."""
        rows = np.flatnonzero(whole).tolist()
        if not rows:
            return
        self._empty = False
        own, whole = (values[rows] / (metric.per_second or 1.0) for values in (own, whole))
        rank, thread = place
        paths = [self._joined[code] for code in rows]
        # NaN is what the values do not show.
        shown = pa.array(own, from_pandas=True)
        if metric.name == self._timed:
            yield Rows.of_columns(
                "fn_timings",
                **{"rank": rank, "thread": thread, "parallelism": self._parallelism},
                function=[self._names[code] for code in rows],
                callpath=paths,
                seconds=shown,
                inclusive_seconds=whole,
            )
        else:
            yield Rows.of_columns(
                "pmu_samples",
                **{"rank": rank, "thread": thread, "event": metric.name, "unit": metric.unit},
                region=paths,
                value=shown,
                inclusive=whole,
            )

    def check(self) -> None:
        """Raise `InputError` where nothing has a value."""
        if self._empty:
            raise InputError(
                "no function has a value",
                expected="exclusive metrics of statements, or values of threads in other files",
                hint="Copy the whole folder; or make the database again: hpcprof MEASUREMENTS",
            )
