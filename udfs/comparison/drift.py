"""Sides that drift: runs in blocks, one after the other, on a machine that changes meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from udfs.arrays import Flags, Floats, Integers
from udfs.samples import Samples

# Runs of a side from which on a slope is told from noise.
_LEAST = 4
# Probability of such a bend without one, up to which one is reckoned with: at .2 machines that go
# up and down differ for certain in 3 to 6 % of pairs, instead of 5 to 21 % without it
# (tests/bench/bench_drift.py).
_BENT = 0.2


@dataclass(frozen=True, slots=True)
class _Left:
    """The difference of two sides at the border between them, without a drift of both, (metrics).

    `gap` with its `variance` and degrees of `freedom`; `by_chance` is how probable the last term of
    the drift is without one.
    """

    gap: Floats
    variance: Floats
    freedom: Floats
    by_chance: Floats


def widen(
    sides: tuple[Samples, Samples],
    order: Integers,
    usable: Flags,
    p: Floats,
    ends: Floats,
    error: Floats,
) -> tuple[Flags, Floats, Floats]:
    """Return which certain differences a drift can be, and all p-values and ends of intervals.

    What is left without a slope that both sides share, and without a bend, by the analysis of
    covariance with the number of the run (Fisher, Statistical methods for research workers, 1932).
    A slope is reckoned with wherever it goes the way of the difference: one that is too small to be
    told from noise still makes a difference.

    Args:
        sides: values before and after in order of time, m metrics.
        order: (metrics), 1 where all runs of the first side come first, -1 where those of the other
            do, 0 where they took turns, or it is not known: there nothing drifts.
        usable: (metrics), whether the values are logarithms with a noise of their own.
        p: (metrics), p-values without a drift.
        ends: (2, metrics), ends of the intervals of the ratio without a drift.
        error: (metrics), probability of error of the intervals.
    """
    # runs from the border between both sides, below 0 before it
    near = [
        _places(side) + 0.5 - np.where(first, side.counts, 0)[side.owner]
        for side, first in zip(sides, (order >= 0, order < 0), strict=True)
    ]
    least = np.minimum(sides[0].counts, sides[1].counts)
    drifts = usable & (least >= _LEAST) & (order != 0)
    gap, undrifted = sides[1].means() - sides[0].means(), p
    for terms, most in ((1, 1.0), (2, _BENT)):
        left = _without(
            sides, [[at * np.abs(at) ** k for k in range(terms)] for at in near], drifts
        )
        with np.errstate(all="ignore"):
            drifts = drifts & (left.by_chance <= most) & ((gap - left.gap) * gap > 0)
            deviation = np.sqrt(left.variance)
            chance = 2 * stdtr(left.freedom, -np.abs(left.gap) / deviation)
            half = -stdtrit(left.freedom, error / 2) * deviation
            low, high = np.exp([left.gap - half, left.gap + half])
        at = drifts & (chance > p)
        both = np.stack([np.fmin(ends[0], low), np.fmax(ends[1], high)])
        gap, p, ends = left.gap, np.where(at, chance, p), np.where(at, both, ends)
    return (undrifted <= error) & (p > error), p, ends


def _without(sides: tuple[Samples, Samples], terms: list[list[Floats]], usable: Flags) -> _Left:
    """Return the difference of sides without terms of time.

    Args:
        sides: before and after, m metrics.
        terms: of each side k terms, (points).
        usable: (metrics), which have enough values.
    """
    k = len(terms[0])
    gram, products, between = (np.zeros((usable.size, *shape)) for shape in ((k, k), (k,), (k,)))
    squares = np.zeros(usable.size)
    for side, own, sign in zip(sides, terms, (-1, 1), strict=True):
        parts = [Samples(term, side.owner, side.metrics) for term in own]
        values, around = side.deviations(), [part.deviations() for part in parts]
        squares += side.sums(values**2)
        for i in range(k):
            between[:, i] += sign * parts[i].means()
            products[:, i] += side.sums(around[i] * values)
            for j in range(k):
                gram[:, i, j] += side.sums(around[i] * around[j])
    inverse = np.linalg.inv(np.where(usable[:, None, None], gram, np.eye(k)))
    slopes = np.einsum("mij,mj->mi", inverse, products)
    counts = np.stack([side.counts for side in sides]).astype(np.float64)
    with np.errstate(all="ignore"):
        freedom = counts.sum(axis=0) - 2 - k
        rest = np.maximum(squares - (slopes * products).sum(axis=1), 0) / freedom
        chance = 2 * stdtr(freedom, -np.abs(slopes[:, -1]) / np.sqrt(rest * inverse[:, -1, -1]))
        gap = sides[1].means() - sides[0].means() - (slopes * between).sum(axis=1)
        reach = np.einsum("mi,mij,mj->m", between, inverse, between)
        variance = rest * ((1 / counts).sum(axis=0) + reach)
    return _Left(gap, variance, freedom, chance)


def _places(side: Samples) -> Floats:
    """Return the number of each value in its metric, (points), from 0."""
    counts = side.counts
    first = np.cumsum(counts) - counts
    out: Floats = (np.arange(len(side.values)) - first[side.owner]).astype(np.float64)
    return out
