"""Where in a series a change of level is most significant: every split of seeded intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from udfs.changes.noise import Noise
from udfs.changes.significance import log_p

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Marks = NDArray[np.bool_]
Span = tuple[Integers, Integers]

SHORTEST = 5  # points on each side of a split
_LEAST_INTERVAL = 12
_POOLED = 2.0  # points of pooled variance that each side's own is mixed with
_DECAY = np.sqrt(0.5)
_AT_ONCE = 16  # series: as many as stay in the cache


@dataclass(frozen=True, slots=True)
class Intervals:
    """Stretches of a series that are searched; one element an interval.

    log_tests is the log of the number of tests that an interval stands for.
    """

    starts: Integers
    ends: Integers
    log_tests: Floats


@lru_cache(maxsize=256)
def seeded(points: int) -> Intervals:
    """Give the seeded intervals of a series of so many points, first the whole of it.

    Lengths shrink by the square root of 2 and neighbours overlap by half (Kovacs, Buehlmann, Li,
    Munk, Seeded binary segmentation, Biometrika 110, 2023). Half of the error goes to the whole
    series, the other half in equal parts to the shorter lengths.
    """
    levels = [np.array([[0, points]])]
    length = points * _DECAY
    while length >= _LEAST_INTERVAL:
        count = 2 * int(np.ceil(points / length)) - 1
        starts = np.floor(np.linspace(0, points - length, count)).astype(np.int64)
        ends = np.minimum(starts + int(np.ceil(length)), points)
        levels.append(np.stack([starts, ends], axis=1))
        length *= _DECAY
    shares = [1 / 2, *[1 / 2 / (len(levels) - 1)] * (len(levels) - 1)] if levels[1:] else [1]
    tests = [len(level) / share for level, share in zip(levels, shares, strict=True)]
    starts, ends = np.concatenate(levels).T
    return Intervals(
        starts=starts,
        ends=ends,
        log_tests=np.log(np.repeat(tests, [len(level) for level in levels])),
    )


class Sums:
    """Cumulative sums and sums of squares of series, (series, points + 1), from a zero.

    The series should lie around 0, or rounding tells.
    """

    def __init__(self, values: Floats) -> None:
        self.count, self.points = values.shape
        self.first = np.zeros((self.count, self.points + 1))
        self.second = np.zeros_like(self.first)
        np.cumsum(values, axis=1, out=self.first[:, 1:])
        np.cumsum(values * values, axis=1, out=self.second[:, 1:])
        # What rounding leaves of a variance of nothing.
        self.least = 1e-12 * self.second[:, -1:] + 1e-300

    def between(self) -> tuple[Floats, Floats]:
        """Give the largest sum of squares between the sides of a split, and what is left within.

        Returns:
            (series, intervals) each, of the intervals of `seeded`.
        """
        where = seeded(self.points)
        length = (where.ends - where.starts).astype(np.float64)
        base = self.first[:, where.starts]
        slope = (self.first[:, where.ends] - base) / length
        size, interval, split = _every_split(where.starts + SHORTEST, where.ends - SHORTEST)
        offsets = np.cumsum(size) - size
        n_left = (split - where.starts[interval]).astype(np.float64)
        weight = length[interval] / (n_left * (length[interval] - n_left))
        most = np.empty_like(base)
        for i in range(0, self.count, _AT_ONCE):
            rows = slice(i, i + _AT_ONCE)
            gap = slope[rows].take(interval, axis=1)
            gap *= n_left
            gap += base[rows].take(interval, axis=1)
            gap -= self.first[rows].take(split, axis=1)
            gap *= gap
            gap *= weight
            most[rows] = np.maximum.reduceat(gap, offsets, axis=1)
        total = self.second[:, where.ends] - self.second[:, where.starts] - slope**2 * length
        return most, np.maximum(total - most, self.least)

    def best_splits(
        self, rows: Integers, begins: Integers, ends: Integers, splits: Span, noise: Noise
    ) -> tuple[Integers, Floats]:
        """Give of stretches of series the split with the largest squared t statistic, and that.

        The squared error of the difference is the larger of the pooled one and Welch's, so that a
        change of variance passes for no change of level, times the memory of the noise. The
        pooled variance is no less than that of the noise of the whole series.

        Args:
            rows: (stretches,), the series that a stretch is of.
            begins: (stretches,), its first point.
            ends: (stretches,), the point after its last.
            splits: its first and its last split, (stretches,) each.
            noise: that of all series.
        """
        size, stretch, split = _every_split(*splits)
        row, begin, end = rows[stretch], begins[stretch], ends[stretch]
        memory, variance = noise.memory[row, 0], noise.variance[row, 0]
        one = self._side(row, begin, split)
        two = self._side(row, split, end)
        freedom = one[0] + two[0] - 2 * memory
        pooled = np.maximum((one[2] + two[2]) / np.maximum(freedom, 1), variance)
        welch = sum(
            (squares + _POOLED * pooled) / (n * np.maximum(n - memory + _POOLED, 1))
            for n, _, squares in (one, two)
        )
        error = np.maximum(pooled * (1 / one[0] + 1 / two[0]), welch)
        error = memory * np.maximum(error, self.least[row, 0])
        t_squared = np.where(freedom >= 1, (one[1] - two[1]) ** 2 / error, 0)
        offsets = np.cumsum(size) - size
        most = np.maximum.reduceat(t_squared, offsets)
        # The first split of a stretch that reaches the stretch's largest statistic.
        reached = np.flatnonzero(t_squared == most[stretch])
        _, first = np.unique(stretch[reached], return_index=True)
        return split[reached[first]], most

    def _side(self, row: Integers, begin: Integers, end: Integers) -> tuple[Floats, Floats, Floats]:
        """Give number, mean and squared deviations of points from begin to before end."""
        n = (end - begin).astype(np.float64)
        first, second = self.first.ravel(), self.second.ravel()
        begin, end = row * (self.points + 1) + begin, row * (self.points + 1) + end
        mean = (first.take(end) - first.take(begin)) / n
        squares = second.take(end) - second.take(begin) - n * mean**2
        return n, mean, squares


def _every_split(first: Integers, last: Integers) -> tuple[Integers, Integers, Integers]:
    """Give the number of splits of each stretch, and the stretch and place of every split."""
    size = last - first + 1
    stretch = np.repeat(np.arange(len(size)), size)
    place = np.arange(len(stretch)) - np.repeat(np.cumsum(size) - size, size) + first[stretch]
    return size, stretch, place


def significances(sums: Sums, squares: tuple[Floats, Floats], noise: Noise) -> Floats:
    """Give the log of the p-value of each interval of `seeded`, over the whole series.

    Args:
        sums: of the series.
        squares: what `Sums.between` gave.
        noise: that of the series.

    Returns:
        (series, intervals).
    """
    where = seeded(sums.points)
    between, within = squares
    length = (where.ends - where.starts).astype(np.float64)
    freedom = length - 2 * noise.memory
    variance = np.maximum(within / np.maximum(freedom, 1), noise.variance)
    t_squared = np.where(freedom >= 1, between / (noise.memory * variance), 0)
    return log_p(t_squared, noise, length, SHORTEST) + where.log_tests


def chosen(sums: Sums, p: Floats, noise: Noise, log_alpha: float) -> Marks:
    """Choose changes, the most significant first; what holds a chosen one is searched no more.

    Args:
        sums: of the series.
        p: what `significances` gave for that noise.
        noise: that of the series.
        log_alpha: log of the largest p-value.

    Returns:
        (series, points), whether a point is the first after a change.
    """
    where = seeded(sums.points)
    p = p.copy()
    marks = np.zeros((sums.count, sums.points), bool)
    rows = np.flatnonzero(p.min(axis=1) <= log_alpha)
    while len(rows):
        best = p[rows].argmin(axis=1)
        starts, ends = where.starts[best], where.ends[best]
        splits = starts + SHORTEST, ends - SHORTEST
        at, _ = sums.best_splits(rows, starts, ends, splits, noise)
        marks[rows, at] = True
        holds = (where.starts < at[:, None]) & (at[:, None] < where.ends)
        p[rows] = np.where(holds, 0, p[rows])
        rows = rows[p[rows].min(axis=1) <= log_alpha]
    return marks
