"""Headings of tables of runs in people's own words: num_threads, N, elapsed (ms), speedup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

WALL_TIME = "wall_seconds"
# How many are a second: dividing by these rounds less than multiplying by a thousandth does.
_IN_A_SECOND = {
    unit: number
    for number, units in {
        1: ("s", "sec", "secs", "second", "seconds"),
        1_000: ("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"),
        1_000_000: ("us", "usec", "usecs", "micros", "microsecond", "microseconds", "\u00b5s"),
        1_000_000_000: ("ns", "nsec", "nsecs", "nanos", "nanosecond", "nanoseconds"),
    }.items()
    for unit in units
}
_UNITS = {1: "s", 1_000: "ms", 1_000_000: "us", 1_000_000_000: "ns"}
_N = "(?:n|num|no|numof|numberof)?"
_FACTS = {
    "ranks": re.compile(
        rf"{_N}(?:mpi)?(?:ranks|procs|processes)|{_N}mpitasks|ntasks|np|(?:rank|proc|process)count"
    ),
    "threads": re.compile(rf"{_N}(?:omp|openmp)?(?:num)?threads|threadcount"),
    "nodes": re.compile(rf"{_N}(?:compute)?nodes|nodecount"),
    "problem_size": re.compile("n|(?:problem|input|data|matrix|array)?size"),
}
_COUNTS = ("ranks", "threads", "nodes")
_WHOLE = re.compile(
    "(?:total|overall)?(?:wall|wallclock|elapsed|real|run|exec|execution)?(?:time|duration)(?:in)?"
    "|(?:total)?(?:wall|wallclock|elapsed|runtime)(?:in)?"
)
# Rows of these are parts of runs, or moments of one.
_PARTS = re.compile(
    "function|routine|subroutine|kernel|region|phase|section|stage|component|(?:time)?step|epoch"
    "|frame|level|rank|pid|thread|tid|threadid|process|worker|timestamp|datetime|time|ts"
)
_OF_TIME = re.compile(r".*(?:time|wall|elapsed|latency|duration)")
_RATIO = re.compile("(?:.*(?:speedup|efficiency))|(?:speedup|efficiency).*")
_FLOPS = re.compile("([kmgtp]?)flops?")


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric that a column has: its name, unit and what is better."""

    metric: str
    unit: str | None
    better: Literal["lower", "higher"]


@dataclass(slots=True)
class Headings:
    """What the columns of a table of runs are: facts (and what divides them), metrics, tags."""

    facts: dict[str, tuple[str, int]] = field(default_factory=dict)
    measures: dict[str, Measure] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)

    @property
    def counts(self) -> list[str]:
        """The columns with counts of ranks, threads or nodes."""
        return [self.facts[name][0] for name in _COUNTS if name in self.facts]


def headings_of(columns: Sequence[str], facts: Sequence[str]) -> Headings | None:
    """Return what the columns are; None unless rows are runs with their wall times.

    These are in the column wall_seconds, or in the only one whose name says time of the whole,
    beside a count, where it says the unit: `threads,elapsed (ms)`. Without a unit it is not known
    how long a run took, and of `time (s),total_time` which is the time of the whole. `facts` are
    the names of columns that are facts by themselves.
    """
    found = Headings(facts={name: (name, 1) for name in facts if name in columns})
    others = [name for name in columns if name not in found.facts]
    for fact, pattern in _FACTS.items():
        named = [name for name in others if pattern.fullmatch(_squashed(name))]
        if fact not in found.facts and len(named) == 1:
            found.facts[fact] = (named[0], 1)
            others.remove(named[0])
    if WALL_TIME not in found.facts:
        times = [(name, unit) for name in others if (unit := _whole_time(name)) is not None]
        parts = any(_PARTS.fullmatch(_squashed(name)) for name in columns)
        if len(times) != 1 or not times[0][1] or parts or not found.counts:
            return None
        found.facts[WALL_TIME] = times[0]
        others.remove(times[0][0])
    for name in others:
        measure = _measure(name)
        if measure is None:
            found.tags.append(name)
        else:
            found.measures[name] = measure
    return found


def _words(name: str) -> list[str]:
    return [
        word for word in re.split(r"[^a-z0-9\u00b5]+", name.replace("\u03bc", "\u00b5")) if word
    ]


def _squashed(name: str) -> str:
    return "".join(_words(name))


def _whole_time(name: str) -> int | None:
    """Return how many of a column are a second, 0 if unknown; None if no time of a whole run."""
    *words, unit = _words(name) or [""]
    if (_WHOLE.fullmatch("".join(words)) and unit in _IN_A_SECOND) or name == "seconds":
        return _IN_A_SECOND[unit]
    return 0 if _WHOLE.fullmatch(_squashed(name)) else None


def _measure(name: str) -> Measure | None:
    """Return the metric of a column whose name says its unit, or that more of it is better."""
    *words, unit = _words(name) or [""]
    if _RATIO.fullmatch(_squashed(name)):
        return Measure(name, None, "higher")
    is_rate = "/" in name or "per" in words
    number = _IN_A_SECOND.get(unit)
    if words and number and not is_rate and (number > 1 or _OF_TIME.fullmatch("".join(words))):
        return Measure("_".join(words), _UNITS[number], "lower")
    flops = next(filter(None, map(_FLOPS.fullmatch, (*words, unit))), None)
    return Measure(name, f"{flops[1].upper()}flop/s", "higher") if flops else None
