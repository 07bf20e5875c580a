"""Where in a series a change of level is most significant: every split of seeded intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from udfs.arrays import Flags, Floats, Integers
from udfs.changes.noise import Noise
from udfs.changes.significance import log_p

Span = tuple[Integers, Integers]

MIN_SIDE = 5  # points on each side of a split
_MIN_INTERVAL = 12  # points: two sides, and two more
_POOLED = 2.0  # weight, in points, of the pooled variance in each side's own
_DECAY = np.sqrt(0.5)
_LIKELIER = 10.0  # twice the log-likelihood by which a split is better than the clearest
_CHUNK = 16  # series processed at a time, so that they stay in the cache


@dataclass(frozen=True, slots=True)
class Intervals:
    """Intervals of a series that are searched; one element an interval.

    log_tests is the log of the number of tests by which an interval's p-value is multiplied.
    """

    starts: Integers
    ends: Integers
    log_tests: Floats


@lru_cache(maxsize=256)
def seeded_intervals(points: int) -> Intervals:
    """Return the seeded intervals of a series of `points` points, first the whole series.

    Lengths shrink by the square root of 2 and neighbours overlap by half (Kovacs, Buehlmann, Li,
    Munk, Seeded binary segmentation, Biometrika 110, 2023). Half of the error probability is
    spent on the whole series, the other half in equal parts on the shorter lengths.
    """
    levels = [np.array([[0, points]])]
    length = points * _DECAY
    while length >= _MIN_INTERVAL:
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
    """Cumulative sums and sums of squares of series, (series, points + 1), starting with 0.

    The series should lie around 0, or rounding errors become visible.
    """

    def __init__(self, values: Floats) -> None:
        self.count, self.points = values.shape
        self.first = np.zeros((self.count, self.points + 1))
        self.second = np.zeros_like(self.first)
        np.cumsum(values, axis=1, out=self.first[:, 1:])
        np.cumsum(values * values, axis=1, out=self.second[:, 1:])
        # The rounding error of a variance of 0.
        self.min_variance = 1e-12 * self.second[:, -1:] + 1e-300

    def between(self) -> tuple[Floats, Floats]:
        """Return the largest sum of squares between the sides of a split, and the sum within them.

        Returns:
            (series, intervals) each, for the intervals of `seeded_intervals`.
        """
        where = seeded_intervals(self.points)
        length = (where.ends - where.starts).astype(np.float64)
        base = self.first[:, where.starts]
        slope = (self.first[:, where.ends] - base) / length
        size, interval, split = _every_split(where.starts + MIN_SIDE, where.ends - MIN_SIDE)
        offsets = np.cumsum(size) - size
        n_left = (split - where.starts[interval]).astype(np.float64)
        weight = length[interval] / (n_left * (length[interval] - n_left))
        most = np.empty_like(base)
        for i in range(0, self.count, _CHUNK):
            rows = slice(i, i + _CHUNK)
            gap = slope[rows].take(interval, axis=1)
            gap *= n_left
            gap += base[rows].take(interval, axis=1)
            gap -= self.first[rows].take(split, axis=1)
            gap *= gap
            gap *= weight
            most[rows] = np.maximum.reduceat(gap, offsets, axis=1)
        total = self.second[:, where.ends] - self.second[:, where.starts] - slope**2 * length
        return most, np.maximum(total - most, self.min_variance)

    def best_splits(
        self, rows: Integers, begins: Integers, ends: Integers, splits: Span, noise: Noise
    ) -> tuple[Integers, Floats]:
        """Return for stretches of series the split with the largest squared t statistic, and that.

        The squared error of the difference is the larger of the pooled one and Welch's, so that a
        change of variance is not mistaken for a change of level, times the variance inflation by
        autocorrelation. The pooled variance is at least that of the noise of the whole series;
        in the statistic that is returned, also that of the noise around the split.

        Args:
            rows: (stretches,), the series of each stretch.
            begins: (stretches,), its first point.
            ends: (stretches,), the point after its last.
            splits: its first and its last split, (stretches,) each.
            noise: the noise of all series.
        """
        size, stretch, split = _every_split(*splits)
        row, begin, end = rows[stretch], begins[stretch], ends[stretch]
        inflation, variance = noise.inflation[row, 0], noise.variance[row, 0]
        one = self._side(row, begin, split)
        two = self._side(row, split, end)
        freedom = one[0] + two[0] - 2 * inflation
        pooled = np.maximum((one[2] + two[2]) / np.maximum(freedom, 1), variance)
        least = self.min_variance[row, 0]
        error = inflation * np.maximum(_squared_error(one, two, pooled, inflation), least)
        t_squared = np.where(freedom >= 1, (one[1] - two[1]) ** 2 / error, 0)
        offsets = np.cumsum(size) - size
        clearest = _first_of(t_squared == np.maximum.reduceat(t_squared, offsets)[stretch], stretch)
        # Between levels of very different variances another split may be far likelier.
        least = np.maximum(np.where(variance > 0, variance, pooled), least)
        misfit = sum(n * np.log(np.maximum(squares / n, least)) for n, _, squares in (one, two))
        misfit = np.where(np.abs(split - split[clearest][stretch]) < MIN_SIDE, misfit, np.inf)
        likeliest = _first_of(misfit == np.minimum.reduceat(misfit, offsets)[stretch], stretch)
        at = np.where(misfit[likeliest] < misfit[clearest] - _LIKELIER, likeliest, clearest)
        # Where the noise is larger than elsewhere, so is the error of the few points of a side.
        around = (variance * noise.around[row, split])[clearest]
        before, after = ([figure[clearest] for figure in side] for side in (one, two))
        pooled = np.maximum(pooled[clearest], around)
        wider = _squared_error(before, after, pooled, inflation[clearest])
        return split[at], t_squared[clearest] / np.maximum(
            inflation[clearest] * wider / error[clearest], 1
        )

    def jumps(self, rows: Integers, splits: Integers, points: int) -> Floats:
        """Return the difference of the means of so many points on both sides of each split."""
        before = self._side(rows, splits - points, splits)[1]
        return self._side(rows, splits, splits + points)[1] - before

    def _side(self, row: Integers, begin: Integers, end: Integers) -> tuple[Floats, Floats, Floats]:
        """Return number, mean and sum of squared deviations of the points [begin, end)."""
        n = (end - begin).astype(np.float64)
        first, second = self.first.ravel(), self.second.ravel()
        begin, end = row * (self.points + 1) + begin, row * (self.points + 1) + end
        mean = (first.take(end) - first.take(begin)) / n
        squares = second.take(end) - second.take(begin) - n * mean**2
        return n, mean, squares


def _squared_error(
    one: Sequence[Floats], two: Sequence[Floats], pooled: Floats, inflation: Floats
) -> Floats:
    """Return the squared error of the difference of two sides' means, the pooled or Welch's.

    Args:
        one, two: what `Sums._side` returns of each side.
        pooled: the variance of both sides.
        inflation: that of the variance by autocorrelation.
    """
    welch = sum(
        (squares + _POOLED * pooled) / (n * np.maximum(n - inflation + _POOLED, 1))
        for n, _, squares in (one, two)
    )
    out: Floats = np.maximum(pooled * (1 / one[0] + 1 / two[0]), welch)
    return out


def _first_of(marks: Flags, stretch: Integers) -> Integers:
    """Return the first marked position of each stretch."""
    marked = np.flatnonzero(marks)
    _, first = np.unique(stretch[marked], return_index=True)
    out: Integers = marked[first]
    return out


def _every_split(first: Integers, last: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the number of splits of each stretch, and stretch and position of every split."""
    size = last - first + 1
    stretch = np.repeat(np.arange(len(size)), size)
    place = np.arange(len(stretch)) - np.repeat(np.cumsum(size) - size, size) + first[stretch]
    return size, stretch, place


def significances(sums: Sums, squares: tuple[Floats, Floats], noise: Noise) -> Floats:
    """Return the log of the p-value of each interval of `seeded_intervals`, over the whole series.

    Args:
        sums: sums of the series.
        squares: what `Sums.between` returned.
        noise: noise of the series.

    Returns:
        (series, intervals).
    """
    where = seeded_intervals(sums.points)
    between, within = squares
    length = (where.ends - where.starts).astype(np.float64)
    freedom = length - 2 * noise.inflation
    variance = np.maximum(within / np.maximum(freedom, 1), noise.variance)
    t_squared = np.where(freedom >= 1, between / (noise.inflation * variance), 0)
    return log_p(t_squared, noise, length, MIN_SIDE) + where.log_tests


def choose_changes(sums: Sums, p: Floats, noise: Noise, log_alpha: float) -> Flags:
    """Choose changes, the most significant first; intervals that contain one are done.

    Args:
        sums: sums of the series.
        p: what `significances` returned for that noise.
        noise: noise of the series.
        log_alpha: log of the largest p-value.

    Returns:
        (series, points), whether a point is the first after a change.
    """
    where = seeded_intervals(sums.points)
    p = p.copy()
    marks = np.zeros((sums.count, sums.points), bool)
    rows = np.flatnonzero(p.min(axis=1) <= log_alpha)
    while len(rows):
        best = p[rows].argmin(axis=1)
        starts, ends = where.starts[best], where.ends[best]
        splits = starts + MIN_SIDE, ends - MIN_SIDE
        at, _ = sums.best_splits(rows, starts, ends, splits, noise)
        marks[rows, at] = True
        contains = (where.starts < at[:, None]) & (at[:, None] < where.ends)
        p[rows] = np.where(contains, 0, p[rows])
        rows = rows[p[rows].min(axis=1) <= log_alpha]
    return marks
