"""Sides that drift: runs in blocks, one after the other, on a machine that changes meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from udfs.comparison.samples import Booleans, Floats, Integers, Samples

# Runs of a side from which on a slope is told from noise.
_LEAST = 4
# Probability of such a slope without a drift, up to which one is reckoned with: at .3 half of the
# drifts of three times the noise between both sides are found with five runs each, nearly all with
# ten (tests/bench/bench_drift.py).
_SEEN = 0.3


@dataclass(frozen=True, slots=True)
class Drift:
    """The difference of two sides at the border between them, where both drift alike, (metrics).

    `is_seen` is whether the sides drift, `gap` the difference without it, with its `variance` and
    degrees of `freedom`.
    """

    is_seen: Booleans
    gap: Floats
    variance: Floats
    freedom: Floats

    def widen(
        self, usable: Booleans, p: Floats, ends: Floats, error: Floats
    ) -> tuple[Booleans, Floats, Floats]:
        """Return which differences a drift can be, with their p-values and ends of intervals.

        Args:
            usable: (metrics), whether the values are logarithms with a noise of their own.
            p: (metrics), p-values without a drift.
            ends: (2, metrics), ends of the intervals of the ratio without a drift.
            error: (metrics), probability of error of the intervals.
        """
        with np.errstate(all="ignore"):
            deviation = np.sqrt(self.variance)
            chance = 2 * stdtr(self.freedom, -np.abs(self.gap) / deviation)
            half = -stdtrit(self.freedom, error / 2) * deviation
            low, high = np.exp([self.gap - half, self.gap + half])
        can = self.is_seen & usable & (chance > p)
        both = np.stack([np.fmin(ends[0], low), np.fmax(ends[1], high)])
        return can, np.where(can, chance, p), np.where(can, both, ends)


def drift(before: Samples, after: Samples, order: Integers) -> Drift:
    """Return what is left of a difference where values drift within both sides by one slope.

    The analysis of covariance with the number of the run (Fisher, Statistical methods for research
    workers, 1932), of m metrics.

    Args:
        before, after: values in order of time.
        order: (metrics), 1 where all runs of `before` come first, -1 where those of `after` do, 0
            where they took turns, or it is not known: there nothing drifts.
    """
    counts = np.stack([before.counts, after.counts]).astype(np.float64)
    products, squares, spread = np.zeros((3, before.metrics))
    for side in (before, after):
        at = Samples(_places(side), side.owner, side.metrics).deviations()
        values = side.deviations()
        products += side.sums(at * values)
        squares += side.sums(values**2)
        spread += side.sums(at**2)
    with np.errstate(all="ignore"):
        slope = products / spread
        freedom = counts.sum(axis=0) - 3
        rest = np.maximum(squares - slope * products, 0) / freedom
        chance = 2 * stdtr(freedom, -np.abs(slope) / np.sqrt(rest / spread))
        between = order * counts.sum(axis=0) / 2
        gap = after.means() - before.means() - slope * between
        variance = rest * ((1 / counts).sum(axis=0) + between**2 / spread)
    is_seen = (counts >= _LEAST).all(axis=0) & (order != 0) & (chance < _SEEN)
    return Drift(is_seen, gap, variance, freedom)


def _places(side: Samples) -> Floats:
    """Return the number of each value in its metric, (points), from 0."""
    counts = side.counts
    first = np.cumsum(counts) - counts
    out: Floats = (np.arange(len(side.values)) - first[side.owner]).astype(np.float64)
    return out
