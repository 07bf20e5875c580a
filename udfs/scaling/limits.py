"""Limits of scaling: the count beyond which a program gets slower, and the last efficient one.

Both follow from its predicted times at measured counts and at some an octave, far beyond these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import pyarrow as pa

FLOOR: Final = 0.5
"""An efficiency below this is not worth its cores."""
_EQUAL: Final = 1 + 1e-6
"""Times over the shortest one that are equal to it."""


class Times(NamedTuple):
    """Times of a program by ascending counts, s, with the ends of their 90 % intervals.

    `measured` is whether they were measured.
    """

    counts: Sequence[int]
    seconds: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    measured: Sequence[bool]


class Turning(NamedTuple):
    """The count beyond which more processes make a program slower, with its 90 % interval.

    `high` is None where the program may get faster beyond the last count whose time is known, and
    `is_predicted` false where the predictions are still shorter further on.
    """

    about: int
    low: int
    high: int | None
    is_predicted: bool = True


class Efficient(NamedTuple):
    """The largest count with an efficiency over `FLOOR`, with its 90 % interval."""

    about: int
    low: int
    high: int


def scaling_limits(
    counts: pa.ListArray,
    seconds: pa.ListArray,
    low: pa.ListArray,
    high: pa.ListArray,
    measured: pa.ListArray,
    fastest: pa.ListArray,
    weak: pa.BooleanArray,
) -> pa.StructArray:
    """Return the turning points of programs, and the largest counts at which they are efficient.

    Args:
        counts: counts of each program, ascending, measured ones and others.
        seconds, low, high, measured: as of `Times`.
        fastest: the ends of the 90 % interval of the fastest count, as of `scaling_turning_point`.
        weak: whether the problem grows with the count.

    Returns:
        Structs: turning, with turning_low, turning_high and is_predicted, as of `Turning`;
        efficient, efficient_low, efficient_high, as of `Efficient`. NULL for what is unknown.
    """
    columns = (counts, seconds, low, high, measured, fastest, weak)
    rows = zip(*(column.to_pylist() for column in columns), strict=True)
    return pa.array([_limits(Times(*row[:5]), row[5], row[6]) for row in rows], _TYPE)


_TYPE = pa.struct(
    [(name, pa.int64()) for name in ("turning", "turning_low", "turning_high")]
    + [("is_predicted", pa.bool_())]
    + [(name, pa.int64()) for name in ("efficient", "efficient_low", "efficient_high")]
)


def _limits(times: Times, fastest: Sequence[float | None], weak: bool) -> dict[str, Any]:
    if not times.counts or fastest[0] is None:
        return {}
    turning = turning_point(times, fastest[0], fastest[1]) or ()
    efficient = efficient_counts(times, weak) or ()
    names = [field.name for field in _TYPE]
    return dict(zip(names[:4], turning, strict=False)) | dict(
        zip(names[4:], efficient, strict=False)
    )


def turning_point(times: Times, low: float, high: float | None) -> Turning | None:
    """Return the turning point, None where any count may be it.

    `low` and `high` are the ends of the interval of the fastest count. How long it takes beyond the
    last of the times is not known.
    """
    counts = times.counts
    if low <= counts[0] and high is None:
        return None
    about = fastest_count(times)
    if high is not None and about > high and about == counts[-1]:
        known = [(c, s) for c, s, is_in in zip(*times[:2], times.measured, strict=True) if is_in]
        least = min(s for _, s in known) * _EQUAL
        best = max(c for c, s in known if s <= least)
        # As in scaling_turning_point, which knows no predictions of sums of functions.
        if best < known[-1][0]:
            best = round(min(max(best, low), high))
            return Turning(best, round(min(low, best)), round(high), is_predicted=False)
    if about == counts[-1]:
        return Turning(about, round(min(low, about)), None)
    if about in counts and times.measured[counts.index(about)]:
        # Between measured counts the interval knows more than the line that joins them.
        shortest = min(times.seconds) * _EQUAL
        first = next(c for c, s in zip(*times[:2], strict=True) if s <= shortest)
        about = round(max(first, low))
    upper = None if high is None else round(max(high, about))
    return Turning(about, round(min(low, about)), upper)


def fastest_count(times: Times) -> int:
    """Return the count with the shortest time; beyond the measured ones between those predicted.

    There it is the vertex of the parabola through the logarithms of the shortest time and its
    neighbours. Of equal times it is the last.
    """
    shortest = min(times.seconds) * _EQUAL
    place = max(i for i, one in enumerate(times.seconds) if one <= shortest)
    best = times.counts[place]
    if times.measured[place] or place in {0, len(times.counts) - 1}:
        return best
    near = slice(place - 1, place + 2)
    x0, x1, x2 = map(math.log, times.counts[near])
    y0, y1, y2 = map(math.log, times.seconds[near])
    one, other = (y1 - y0) / (x1 - x0), (y2 - y1) / (x2 - x1)
    if not other > one:
        return best
    vertex = (x0 + x1) / 2 - one * (x2 - x0) / 2 / (other - one)
    return round(math.exp(min(max(vertex, x0), x2)))


def efficient_counts(times: Times, weak: bool) -> Efficient | None:
    """Return the largest count with an efficiency over `FLOOR`, None where it is over nowhere."""
    shortest = efficiencies(times, times.low, weak)
    # Up to the measured count from which all are surely under the floor.
    measured = [i for i, is_in in enumerate(times.measured) if is_in]
    over = max((i for i in measured if shortest[i] >= FLOOR), default=-1)
    end = next((i for i in measured if i > over), len(times.counts)) + 1
    about, low, high = (
        _last_efficient(times.counts[:end], efficiencies(times, one, weak)[:end])
        for one in (times.seconds, times.high, times.low)
    )
    if about is None:
        return None
    return Efficient(about, low or times.counts[0], high or about)


def efficiencies(times: Times, seconds: Sequence[float], weak: bool) -> list[float]:
    """Return the efficiencies against the first count."""
    first = times.seconds[0]
    return [
        first / (one * (1 if weak else count / times.counts[0]))
        for count, one in zip(times.counts, seconds, strict=True)
    ]


def _last_efficient(counts: Sequence[int], known: Sequence[float]) -> int | None:
    """Return the last count with an efficiency over the floor, between those of the grid."""
    last = max((i for i, one in enumerate(known) if one >= FLOOR), default=None)
    if last is None:
        return None
    if last == len(counts) - 1:
        return counts[last]
    x0, x1 = map(math.log, counts[last : last + 2])
    y0, y1 = (math.log(one / FLOOR) for one in known[last : last + 2])
    return int(math.exp(x0 + (x1 - x0) * y0 / (y0 - y1)) + 1e-9)
