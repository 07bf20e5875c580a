"""Meaning of the names of Caliper's attributes for the values under them.

An aggregated value is named by what was done to it, last first: `avg#inclusive#sum#time.duration`
is the mean over processes of the time with callees
(https://software.llnl.gov/Caliper/AggregationOps.html).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ingest.parsing.units import PER_SECOND

Together = Literal["sum", "mean", "min", "max"]
Role = Literal["own time", "inclusive time", "calls", "own event", "inclusive event"]

_NUMBERS = ("int", "uint", "double")
_INCLUSIVE = ("inclusive", "iscale")
_KEPT = ("sum", "avg", "any", "scale")
# What was done to a value, and how surely it is then what all of a run took: 0 is surest.
_DOUBT = {("sum", "sum"): 0, ("any",): 0, ("sum",): 1, (): 2, ("avg", "sum"): 3, ("avg",): 4}
_OVER_RANKS: Mapping[tuple[str, ...], Literal["sum", "mean"]] = {
    ("sum", "sum"): "sum",
    ("avg", "sum"): "mean",
}
_PREFIXES = ("papi.", "libpfm.counter.")
_TOPDOWN = "topdown."
# Time by the names that Caliper's services and its ready-made profiles give it.
_OWN_TIMES = ("time.duration", "time.duration.ns", "time", "time (exc)")
_INCLUSIVE_TIMES = ("time.inclusive.duration", "time.inclusive.duration.ns", "time (inc)")
_CALLS = ("region.count", "rc.count")
_COUNTS = ("count", "aggregate.count")
_SLOT = "aggregate.slot"
_EXTREMES: Mapping[str, Together] = {"min": "min", "max": "max"}


@dataclass(frozen=True, slots=True)
class Metric:
    """One attribute that contains measured values.

    `event` is the metric's own name, bare of what was done to it. `over_ranks` is what a value
    without rank is of all processes: their sum, their mean, or None (of one process by itself).
    `per_second` is how many of a time's unit are a second, None where the file does not state it;
    `unit` is an event's. `doubt` ranks attributes that mean the same thing. `together` is how
    values of one place are one: a sum where adding means something, else what each of them is of.
    """

    name: str
    role: Role
    event: str
    over_ranks: Literal["sum", "mean"] | None
    per_second: float | None
    unit: str | None
    doubt: int
    together: Together = "sum"


def metric(name: str, kind: str | None, unit: str | None) -> Metric | None:
    """Return what an attribute contains; None where it cannot be landed.

    `kind` is Caliper's type of its values, None where the file does not state it. The smallest and
    largest of values (of visits, of processes), and a mean without a sum, are events of their own
    under the attribute's whole name: they are no time of a function.
    """
    *done, base = name.split("#")
    steps = tuple(step for step in done if step not in (*_INCLUSIVE, "scale"))
    is_number = (kind is None or kind in _NUMBERS) and base != _SLOT
    if not is_number or not set(steps) <= {*_KEPT, *_EXTREMES}:
        return None
    if base in _COUNTS or not _EXTREMES.keys().isdisjoint(steps):
        together: Together = next((_EXTREMES[step] for step in steps if step in _EXTREMES), "sum")
        return Metric(name, "own event", name, None, None, unit, 5, together)
    role = _role(base, done)
    doubt = _DOUBT.get(steps)
    if role is None or doubt is None:
        return None
    per_second = _per_second(base, unit, scaled=not {"scale", "iscale"}.isdisjoint(done))
    if "time" in role and unit is not None and per_second is None:
        return None
    if steps in (("avg",), ("any",)) and "event" not in role:
        return Metric(name, "own event", name, None, None, unit, doubt, "mean")
    over = _OVER_RANKS.get(steps)
    unit = unit or _unit(base)
    mean = steps[:1] in (("any",), ("avg",)) or ("event" in role and _is_rate(unit))
    return Metric(name, role, _bare(base), over, per_second, unit, doubt, "mean" if mean else "sum")


def _role(base: str, done: Sequence[str]) -> Role | None:
    """Return what values of an attribute are, by its own name and what was done to it."""
    inclusive = base in _INCLUSIVE_TIMES or not set(_INCLUSIVE).isdisjoint(done)
    if base in (*_OWN_TIMES, *_INCLUSIVE_TIMES):
        return "inclusive time" if inclusive else "own time"
    if base in _CALLS:
        return "calls"
    if done or base.startswith((*_PREFIXES, _TOPDOWN)):
        return "inclusive event" if inclusive else "own event"
    return None


def settle(metrics: Iterable[Metric], ranks: int | None) -> list[Metric]:
    """Choose, of attributes that mean the same thing, the surest.

    The sum over processes has more digits than their mean, but is a process's part only where
    the number of processes is known. What was measured without callees makes the time or count
    with them needless only for events: fn_timings has a column for both times.
    """
    chosen: dict[tuple[str, str], Metric] = {}
    for one in metrics:
        what = (one.role, one.event if "event" in one.role else "")
        if what not in chosen or _doubt(one, ranks) < _doubt(chosen[what], ranks):
            chosen[what] = one
    return [
        one
        for one in chosen.values()
        if one.role != "inclusive event" or ("own event", one.event) not in chosen
    ]


def _doubt(one: Metric, ranks: int | None) -> int:
    return 5 if one.over_ranks == "sum" and ranks is None else one.doubt


def _is_rate(unit: str | None) -> bool:
    """Return whether values of a unit are shares or rates, which do not add up."""
    return unit is not None and ("/" in unit or unit in ("%", "ratio", "percent"))


def _bare(base: str) -> str:
    for prefix in _PREFIXES:
        base = base.removeprefix(prefix)
    return base


def _unit(base: str) -> str | None:
    """Return the unit in a metric's name: shares, and rates such as Bytes/Rep."""
    if base.startswith(_TOPDOWN):
        return "ratio"
    return base if "/" in base else None


def _per_second(base: str, unit: str | None, *, scaled: bool) -> float | None:
    if unit is not None:
        return PER_SECOND.get(unit)
    if scaled or base.startswith("time ") or base == "time":
        return 1.0
    return 1e9 if base.endswith(".ns") else None
