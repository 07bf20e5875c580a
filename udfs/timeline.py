"""Sets of time on numbered axes (workers), as sorted arrays: union, subtraction, measure.

Times are int64 nanoseconds, axes whole numbers of any width, intervals half open. All arithmetic
is exact: sums may wrap at 64 bits on the way, but every returned difference lies within
one axis and is correct.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from udfs.arrays import Integers

_LIMIT = 2**63  # of times, ns


@dataclass(frozen=True, slots=True)
class Axes:
    """The axes 0..count-1 and the span of time that all intervals and queries lie in.

    Where axis and time fit into one 64-bit number, that number is the search key; otherwise each
    axis is searched by itself.
    """

    count: int
    low: int
    high: int

    def __post_init__(self) -> None:
        if self.high - self.low >= _LIMIT - 1:
            raise OverflowError("the times of the run span more than 64 bits of nanoseconds")

    @classmethod
    def over(cls, count: int, *times: Integers) -> Axes:
        """Return axes that span all times of some arrays."""
        some = [array for array in times if len(array)]
        low = min((int(array.min()) for array in some), default=0)
        high = max((int(array.max()) for array in some), default=0)
        return cls(count, low, high)

    @property
    def packed(self) -> bool:
        """Whether axis and time fit into one 64-bit number."""
        return self.count * (self.high - self.low + 1) < _LIMIT

    def key(self, axis: Integers, time: Integers) -> Integers:
        """Return keys that order points by axis and time; only where `packed`."""
        keys = np.multiply(axis, self.high - self.low + 1, dtype=np.int64)
        keys += time
        keys -= self.low
        return keys

    def order(self, axis: Integers, time: Integers) -> Integers:
        """Return the order of points by axis and time; equal points in any order."""
        return np.argsort(self.key(axis, time)) if self.packed else np.lexsort((time, axis))

    def running_max(self, axis: Integers, time: Integers) -> Integers:
        """Return for each of the points, sorted by axis, the largest time so far on its axis."""
        if self.packed:
            keys = self.key(axis, time)
            return np.maximum.accumulate(keys) - keys + time
        out = np.empty_like(time)
        begins = np.searchsorted(axis, np.arange(self.count + 1))
        for each in range(self.count):
            part = slice(begins[each], begins[each + 1])
            out[part] = np.maximum.accumulate(time[part])
        return out


class Points:
    """Sorted points (axis, time) for binary search."""

    def __init__(self, axes: Axes, axis: Integers, time: Integers) -> None:
        self.axes = axes
        self.axis = axis
        self.time = time
        self._keys = axes.key(axis, time) if axes.packed else None

    def find(self, axis: Integers, time: Integers, side: Literal["left", "right"]) -> Integers:
        """Return the number of points before each given one, as numpy.searchsorted does."""
        if self._keys is not None:
            return np.searchsorted(self._keys, self.axes.key(axis, time), side)
        every = np.arange(self.axes.count + 1)
        begins = np.searchsorted(self.axis, every)
        order = np.argsort(axis, kind="stable")
        bounds = np.searchsorted(axis[order], every)
        found = np.empty(len(axis), np.int64)
        for each in range(self.axes.count):
            queried = order[bounds[each] : bounds[each + 1]]
            part = self.time[begins[each] : begins[each + 1]]
            found[queried] = begins[each] + np.searchsorted(part, time[queried], side)
        return found


class Timeline:
    """Disjoint intervals, sorted by axis and time, that can be measured and cut."""

    def __init__(self, axes: Axes, axis: Integers, start: Integers, end: Integers) -> None:
        """Store intervals that are disjoint, not empty and sorted."""
        self.axis = axis
        self.start = start
        self.end = end
        self._starts = Points(axes, axis, start)
        self._ends = Points(axes, axis, end)
        # Total length of the intervals before each, and of all.
        self._before = np.zeros(len(start) + 1, np.int64)
        np.cumsum(end - start, out=self._before[1:])

    @classmethod
    def union(cls, axes: Axes, axis: Integers, start: Integers, end: Integers) -> Timeline:
        """Merge intervals that are sorted by axis and start, and not empty."""
        apart = (axis[1:] != axis[:-1]) | (start[1:] > end[:-1])
        if apart.all():
            return cls(axes, axis, start, end)
        so_far = axes.running_max(axis, end)
        first = np.ones(len(axis), bool)
        first[1:] = (axis[1:] != axis[:-1]) | (start[1:] > so_far[:-1])
        begins = np.flatnonzero(first)
        ends = np.append(begins[1:], len(axis)) - 1
        return cls(axes, axis[begins], start[begins], so_far[ends])

    def upto(self, axis: Integers, time: Integers) -> Integers:
        """Return the length of the set before each point (axis, time), earlier axes included."""
        if len(self.axis) == 0:
            return np.zeros(len(axis), np.int64)
        count = self._starts.find(axis, time, "left")
        last = np.maximum(count - 1, 0)
        beyond = np.where((count > 0) & (self.axis[last] == axis), self.end[last] - time, 0)
        return self._before[count] - np.maximum(beyond, 0)

    def within(self, axis: Integers, start: Integers, end: Integers) -> Integers:
        """Return the length of the set within each interval."""
        return self.upto(axis, end) - self.upto(axis, start)

    def touching(self, axis: Integers, start: Integers, end: Integers) -> tuple[Integers, Integers]:
        """Return the range of the set's intervals that overlap each interval, empty if none."""
        first = self._ends.find(axis, start, "right")
        end_place = self._starts.find(axis, end, "left")
        return first, np.maximum(first, end_place)

    def cut_in(
        self, axis: Integers, start: Integers, end: Integers
    ) -> tuple[Integers, Integers, Integers]:
        """Return the parts of each interval within the set: (interval's number, start, end)."""
        owner, place = expand(*self.touching(axis, start, end))
        begin, stop = self.start[place], self.end[place]
        return owner, np.maximum(start[owner], begin), np.minimum(end[owner], stop)

    def cut_out(
        self, axis: Integers, start: Integers, end: Integers
    ) -> tuple[Integers, Integers, Integers]:
        """Return the parts of each interval outside the set: (interval's number, start, end)."""
        first, end_place = self.touching(axis, start, end)
        owner, place = expand(first, end_place + 1)
        lasts = place == end_place[owner]
        begin, stop = start[owner], end[owner]
        if len(self.axis):
            inner = np.minimum(place, len(self.axis) - 1)
            stop = np.where(lasts, stop, np.minimum(self.start[inner], stop))
            earlier = np.maximum(place - 1, 0)
            begin = np.where(place == first[owner], begin, np.maximum(self.end[earlier], begin))
        kept = begin < stop
        return owner[kept], begin[kept], stop[kept]


def expand(first: Integers, end: Integers) -> tuple[Integers, Integers]:
    """Return the members of ranges [first, end): (number of the range, member), range by range."""
    counts = end - first
    owner = np.repeat(np.arange(len(first)), counts)
    offset = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    return owner, first[owner] + offset
