"""Repetitions of many metrics as flat arrays, their scale and their resolution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from udfs.arrays import Flags, Floats, Integers

_DECIMALS = 12  # digits behind the point that are looked at
_EXACT = 1e-9  # relative, of a number that is a multiple of its last digit


@dataclass(frozen=True, slots=True)
class Samples:
    """Values of m metrics in a row: `values` (points), `owner` (points) the metric, from 0.

    The values of a metric are contiguous and in order of time.
    """

    values: Floats
    owner: Integers
    metrics: int

    @property
    def counts(self) -> Integers:
        """Values of each metric, (metrics)."""
        return np.bincount(self.owner, minlength=self.metrics).astype(np.int64)

    def sums(self, of: Floats) -> Floats:
        """Return the sums by metric (metrics) of one number a point."""
        return np.bincount(self.owner, of, self.metrics).astype(np.float64)

    def means(self) -> Floats:
        """Return the mean of each metric, (metrics); NaN where it has no value.

        That of equal values is their value, however many there are.
        """
        counts = self.counts
        first = np.full(self.metrics, np.nan)
        first[counts > 0] = self.values[(np.cumsum(counts) - counts)[counts > 0]]
        apart = self.sums(self.values - first[self.owner])
        out: Floats = first + apart / np.maximum(counts, 1)
        return out

    def deviations(self) -> Floats:
        """Return each point minus the mean of its metric, (points)."""
        out: Floats = self.values - self.means()[self.owner]
        return out

    def variances(self) -> Floats:
        """Return the variance of each metric, (metrics); NaN where it has fewer than two values."""
        free = self.counts - 1
        squares = self.sums(self.deviations() ** 2)
        out: Floats = np.where(free > 0, squares / np.maximum(free, 1), np.nan)
        return out

    def all(self, of: Flags) -> Flags:
        """Return for each metric whether a condition is true at all its points, (metrics)."""
        out: Flags = np.bincount(self.owner[~of], minlength=self.metrics) == 0
        return out

    def extremes(self) -> tuple[Floats, Floats]:
        """Return the least and the greatest value of each metric; NaN where it has none."""
        least, greatest = np.full(self.metrics, np.inf), np.full(self.metrics, -np.inf)
        np.minimum.at(least, self.owner, self.values)
        np.maximum.at(greatest, self.owner, self.values)
        known = self.counts > 0
        return np.where(known, least, np.nan), np.where(known, greatest, np.nan)

    def scaled(self, scale: Floats) -> Samples:
        """Return the samples in units of `scale` (metrics)."""
        return Samples(self.values / scale[self.owner], self.owner, self.metrics)

    def logs(self, which: Flags) -> Samples:
        """Return the samples with the values of some metrics as their natural logarithms."""
        chosen = which[self.owner]
        logs = np.log(np.where(chosen, self.values, 1.0))
        return Samples(np.where(chosen, logs, self.values), self.owner, self.metrics)

    def part(self, at: Integers) -> Samples:
        """Return the samples of some of the metrics, in their order."""
        place = np.full(self.metrics, -1)
        place[at] = np.arange(len(at))
        owner = place[self.owner]
        kept: Flags = owner >= 0
        return Samples(self.values[kept], owner[kept], len(at))


def resolutions(sides: Sequence[Samples]) -> Floats:
    """Return the power of ten, at most 1, that all values of each metric are multiples of.

    Values of other runs count, too: that of a single run may be a round number by chance.

    A timer with a resolution of 0.01 s returns equal values for different times: rounding to a step
    adds a variance of step^2 / 12 (Sheppard 1898).

    Returns:
        (metrics), in the unit of the values; 0 where they have too many digits to tell.
    """
    metrics = sides[0].metrics
    step = np.zeros(metrics)
    for decimals in reversed(range(_DECIMALS)):
        whole = np.ones(metrics, np.bool_)
        for side in sides:
            scaled = side.values * 10.0**decimals
            reach = _EXACT * np.maximum(np.abs(scaled), 1)
            rounded = np.round(scaled)
            # A value below the step is no multiple of it.
            lost = (rounded == 0) & (scaled != 0)
            whole &= side.all(~lost & (np.abs(scaled - rounded) <= np.minimum(reach, 1e-3)))
        step = np.where(whole, 10.0**-decimals, step)
    return step
