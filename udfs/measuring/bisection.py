"""Noisy binary search: at which of many commits in a row a level changed, and what to measure next.

One step at an unknown commit, from one unknown level to another, normal noise of unknown variance.
The probability of each commit is that of all values, with the levels and the variance integrated
out; the next measurement is the one that is expected to tell most about the commit (Horstein 1963
for known levels; Lindley 1956 for the information of an experiment).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_LEAST = 1e-12  # sum of squares: equal values are no proof
_STEP = 4.0  # variance of the step before anything is known, in variances of a run
_NONE = 0.05  # probability of no change before anything is known
_ENDS = 4  # values of each end before the search begins (bench_bisect)
_MOST_REPEATS = 8  # measurements of a commit at a time
_OUTLIER = 6.0  # deviations from the level of a commit that are no noise
_LEAST_SEEN = 6  # values of a level that show outliers
_TO_SIGMA = 1.4826  # of a normal distribution: deviation over median absolute deviation
_NEGLIGIBLE = 1e-4  # probability of a commit that tells nothing about further values
_GRID = 80  # points at which the density of a further value is computed
_NORMAL_ENTROPY = 0.5 * math.log(2 * math.pi * math.e)  # of a deviation of 1


@dataclass(frozen=True, slots=True)
class Belief:
    """Evidence of values: the probability of each commit, and of no change.

    `at[i]` is that of the change being made by commit i; that of the first, which is good, is 0.
    `before` and `after` are the levels on both sides of the most probable one, in the unit of the
    values, and `deviation` is that of a value. `outliers` are the numbers of values left out.
    """

    at: Floats
    none: float
    before: float
    after: float
    deviation: float
    outliers: Sequence[int]

    @property
    def culprit(self) -> int:
        """The most probable commit."""
        return int(self.at.argmax())

    def not_told_apart(self, probability: float) -> list[int]:
        """Return the fewest commits that have the change with a probability, in their order."""
        order = np.argsort(-self.at, kind="stable")
        reached = np.cumsum(self.at[order]) / max(float(self.at.sum()), 1e-300)
        enough = int(np.searchsorted(reached, probability - 1e-12)) + 1
        return sorted(int(one) for one in order[:enough])


def belief(commits: int, places: Sequence[int], values: Sequence[float]) -> Belief:
    """Return what values of commits say about the one that changed them.

    Args:
        commits: how many there are, from the good one, 0, to the bad one.
        places: the commit of each value.
        values: logarithms of what was measured.
    """
    at, data = np.asarray(places, dtype=np.int64), np.asarray(values, dtype=np.float64)
    kept = ~_far_from_all(data)
    found = _weigh(commits, at[kept], data[kept])
    kept &= _kept(at, data, found.culprit)
    if not kept.all():
        found = _weigh(commits, at[kept], data[kept])
    left = [int(one) for one in np.flatnonzero(~kept)]
    return Belief(found.at, found.none, found.before, found.after, found.deviation, left)


def next_measurement(
    commits: int,
    places: Sequence[int],
    values: Sequence[float],
    costs: Sequence[float] | None = None,
) -> tuple[int, int]:
    """Return the commit to measure next and how often, for the most information for its cost.

    Args:
        commits, places, values: as those of `belief`.
        costs: what it takes to build each commit, in runs: 0 where it is built, infinite where it
            cannot be.
    """
    build = np.zeros(commits) if costs is None else np.asarray(costs, dtype=np.float64)
    usable = np.flatnonzero(np.isfinite(build))
    counts = np.bincount(np.asarray(places, dtype=np.int64), minlength=commits)
    # by turns: a machine that drifts is no change
    end = min(usable[0], usable[-1], key=lambda one: counts[one])
    if counts[end] < _ENDS:
        return int(end), min(2, int(_ENDS - counts[end]))
    known = belief(commits, places, values)
    kept = np.ones(len(values), dtype=bool)
    kept[list(known.outliers)] = False
    at, data = np.asarray(places, dtype=np.int64)[kept], np.asarray(values, dtype=np.float64)[kept]
    count, total = _sums(commits, at, data)
    below = np.cumsum(known.at)  # that a commit has the change
    repeats = [1] if not build[usable].any() else [1, 2, 3, 5, _MOST_REPEATS]
    cases = [(int(one), often) for one in _candidates(usable, below) for often in repeats]
    gain = [
        _information(known, count, total, one, often) / (often + build[one]) for one, often in cases
    ]
    return cases[int(np.argmax(gain))]


def _sums(commits: int, at: NDArray[np.int64], data: Floats) -> tuple[Floats, Floats]:
    """Return the number of values of each commit, and their sum."""
    count: Floats = np.bincount(at, minlength=commits).astype(np.float64)
    total: Floats = np.bincount(at, weights=data, minlength=commits).astype(np.float64)
    return count, total


def _information(known: Belief, count: Floats, total: Floats, one: int, often: int) -> float:
    """Return what the mean of further values of a commit is expected to tell about the change.

    That is the entropy of what they may be, by all that is believed, less what is noise in it.
    """
    at = np.flatnonzero(known.at > _NEGLIGIBLE)
    chances = known.at[at] / known.at[at].sum()
    number, sum_ = np.cumsum(count), np.cumsum(total)
    sides = np.array([number[at - 1], number[-1] - number[at - 1]])
    sums = np.array([sum_[at - 1], sum_[-1] - sum_[at - 1]])
    own = (one >= at).astype(np.int64)
    each = np.arange(len(at))
    # the own level is near the other one, as far as no value is known of it
    other = sums[1 - own, each] / np.maximum(sides[1 - own, each], 1)
    size = sides[own, each] + 1 / _STEP
    middle = (sums[own, each] + other / _STEP) / size
    scale = max(known.deviation, float(_LEAST**0.5))
    width = scale * np.sqrt(1 / often + 1 / size)
    grid = np.linspace((middle - 4 * width).min(), (middle + 4 * width).max(), _GRID)
    apart = (grid - middle[:, None]) / width[:, None]
    density = chances @ (np.exp(-(apart**2) / 2) / width[:, None])
    density /= density.sum()
    step = grid[1] - grid[0]
    of_all = -float((density * np.log(density / step + 1e-300)).sum())
    return of_all - float(chances @ np.log(width)) - _NORMAL_ENTROPY


def _candidates(usable: NDArray[np.int64], below: Floats) -> NDArray[np.int64]:
    """Return commits worth a look: both ends, and those at even steps of the probability."""
    shares = np.linspace(0.1, 0.9, 9) * float(below[-1])
    at = np.searchsorted(below[usable], shares)
    near = np.concatenate([at - 1, at]).clip(0, len(usable) - 1)
    ends = [0, len(usable) - 1]
    found: NDArray[np.int64] = usable[np.unique(np.concatenate([near, ends]))]
    return found


def _far_from_all(data: Floats) -> NDArray[np.bool_]:
    """Return which values are farther from all others than these are from each other, twice.

    Both levels are among the others, as both ends were measured before.
    """
    far = np.zeros(len(data), dtype=bool)
    while (~far).sum() >= _LEAST_SEEN + 2:
        left = np.flatnonzero(~far)
        order = left[np.argsort(data[left])]
        values = data[order]
        for one, gap, width in (
            (order[-1], values[-1] - values[-2], values[-2] - values[0]),
            (order[0], values[1] - values[0], values[-1] - values[1]),
        ):
            if gap > 2 * width > 0:
                far[one] = True
                break
        else:
            break
    return far


def _kept(at: NDArray[np.int64], data: Floats, culprit: int) -> NDArray[np.bool_]:
    kept = np.ones(len(data), dtype=bool)
    for side in (at < culprit, at >= culprit):
        if side.sum() >= _LEAST_SEEN:
            middle = np.median(data[side])
            apart = np.abs(data - middle)
            scale = _TO_SIGMA * float(np.median(apart[side]))
            kept &= ~side | (apart <= _OUTLIER * scale) | (scale == 0)
    return kept


def _weigh(commits: int, at: NDArray[np.int64], data: Floats) -> Belief:
    count, total = _sums(commits, at, data)
    squares = np.array([float((data**2).sum())])
    log = _log_chances(count[None], total[None], squares)[0]
    chances = np.exp(log - log.max())
    chances /= chances.sum()
    shares = np.concatenate([[0.0], chances[1:]])
    culprit = max(int(shares.argmax()), 1)
    side = at < culprit
    middle = float(data.mean()) if len(data) else 0.0
    before = float(data[side].mean()) if side.any() else middle
    after = float(data[~side].mean()) if (~side).any() else middle
    left = float(((data - np.where(side, before, after)) ** 2).sum())
    variance = left / max(len(data) - 2, 1)
    return Belief(shares, float(chances[0]), before, after, variance**0.5, ())


def _log_chances(count: Floats, total: Floats, squares: Floats) -> Floats:
    """Return the logarithm of the probability of no change, and of each commit but the first.

    With flat levels, a step whose square times a normal density is its density, and a scale that
    is as probable as its double.

    Args:
        count, total: values of each commit and their sum, (cases, commits).
        squares: the sum of all squares, (cases).
    """
    number, sum_ = count.sum(1), total.sum(1)
    first = np.cumsum(count, 1)[:, :-1]
    second = number[:, None] - first
    own = np.cumsum(total, 1)[:, :-1]
    pairs = first * second
    weight = pairs / np.maximum(number, 1)[:, None]
    step = np.where(
        pairs > 0,
        (sum_[:, None] - own) / np.maximum(second, 1) - own / np.maximum(first, 1),
        0.0,
    )
    around = squares - sum_**2 / np.maximum(number, 1)
    explained = step**2 * weight * (_STEP * weight) / (1 + _STEP * weight)
    power = np.maximum(number - 1, 0) / 2
    none = -power * np.log(np.maximum(around, 0) + _LEAST) + np.log(_NONE)
    rest = np.maximum(around[:, None] - explained, 0) + _LEAST
    change = -np.log1p(_STEP * weight) / 2 - power[:, None] * np.log(rest)
    # Small steps are improbable: of a change that is searched for, something is known.
    shrunk = (step * _STEP * weight / (1 + _STEP * weight)) ** 2 / _STEP
    change += np.log(shrunk * 2 * power[:, None] / rest + 1 / (1 + _STEP * weight))
    change += np.log((1 - _NONE) / max(count.shape[1] - 1, 1))
    return np.concatenate([none[:, None], change], axis=1)
