"""Values of benchmarks and load tests on their way to the landing table metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ingest.base import Rows
from ingest.parsing.units import SECONDS
from warehouse.errors import InputError

Better = Literal["lower", "higher"]
_CLOCK = "Was the clock set back while it ran? Run the benchmark again."


class Value(NamedTuple):
    """One value of a metric of the run number `run`; None is unknown."""

    metric: str
    value: float | None
    unit: str | None = None
    better: Better | None = None
    repetition: int | None = None
    deviation: float | None = None
    run: int = 0


@dataclass(slots=True)
class Found:
    """The values of a file, and what is known of its runs: the next has a metric that is repeated.

    settings are how they were made, by the number of the run.
    """

    values: list[Value] = field(default_factory=list)
    threads: list[int | None] = field(default_factory=lambda: [None])
    settings: dict[int, list[str]] = field(default_factory=dict)
    here: set[str] = field(default_factory=set)
    failed: int = 0

    def next_run(self, threads: int | None = None) -> None:
        """Begin another run, unless this one has nothing yet."""
        if self.here:
            self.threads.append(None)
            self.here.clear()
        self.threads[-1] = threads or self.threads[-1]

    def set(self, setting: str) -> None:
        """Add how the present run was made."""
        self.settings.setdefault(len(self.threads) - 1, []).append(setting)

    def add(self, name: str, value: float, unit: str | None, better: Better | None = None) -> None:
        """Add a value: unless stated, of a time in seconds less is better, of a rate more.

        Tools print rounded times: one of 0.00 ms is not known.
        """
        if name in self.here:
            self.next_run()
        self.here.add(name)
        scale = SECONDS.get(unit or "")
        known: float | None = value
        if scale:
            better, unit, known = better or "lower", "s", value * scale or None
        elif unit and unit.endswith("/s"):
            better = better or "higher"
        self.values.append(Value(name, known, unit, better, run=len(self.threads) - 1))


def rows(values: Sequence[Value]) -> Rows:
    """Return rows of the landing table metrics; raise `InputError` where a time is negative."""
    for one in values:
        if one.unit == "s" and one.value is not None and one.value < 0:
            raise InputError(
                f"{one.metric} took {one.value:g} s", expected="times of 0 or more", hint=_CLOCK
            )
    return Rows.of_records("metrics", Value._fields, values)


def relative(deviation: object, mean: float) -> float | None:
    """Return a standard deviation over its mean; None where either is no number or the mean 0."""
    return abs(deviation / mean) if isinstance(deviation, float) and mean else None


def percentiles(metric: str, found: Mapping[str, object], scale: float) -> Iterator[Value]:
    """Yield the percentiles of a time from the median up, by their names: 50, 99.9, 99.900000."""
    for name, time in found.items():
        if isinstance(time, float) and float(name) >= 50:
            yield Value(f"{metric} p{float(name):g}", time * scale, "s", "lower")


def direction(unit: str | None) -> Better | None:
    """Return what is better by a unit: less time and memory, more per second; None if unknown."""
    kind = (unit or "").lower().strip()
    if kind.endswith(("/s", "/sec", "/second", "ops", "/ms", "/us", "/ns")):
        return "higher"
    whole = kind.partition("/")[0]
    return "lower" if whole in (*SECONDS, "b", "bytes", "allocs") else None
