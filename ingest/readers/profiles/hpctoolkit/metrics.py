"""HPCToolkit's metrics by their names, such as `CPUTIME (usec):Sum (E)`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ingest.parsing.call_paths import frame_name
from ingest.parsing.units import PER_SECOND

_NAME = re.compile(
    r"(?P<name>.+?)(?: \((?![IE]\))(?P<unit>[\w%/]+)\))?"
    r"(?::(?P<statistic>Sum|Mean|StdDev|CfVar|Min|Max))?(?: \([IE]\))?"
)
_TIMES = ("REALTIME", "WALLCLOCK", "CPUTIME")


@dataclass(frozen=True, slots=True)
class Metric:
    """What was measured: its name, its unit if it has one, and how many make a second, of times.

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
