"""Noisy binary search: at which of many commits in a row a level changed, and what to measure next.

One step at an unknown commit, from one unknown level to another, normal noise of unknown variance.
The probability of each commit is that of all values, with the levels and the variance integrated
out; the next measurement is the one that is expected to tell most about the commit (Horstein 1963
for known levels; Lindley 1956 for the information of an experiment).
"""

from __future__ import annotations

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
_ENDS = 3  # values of each end before the search begins
_MOST_REPEATS = 8
_OUTLIER = 6.0  # deviations from the level of a commit that are no noise
_LEAST_SEEN = 6  # values of a level that show outliers
_TO_SIGMA = 1.4826  # of a normal distribution: deviation over median absolute deviation
# Quantiles of a normal distribution with equal weights, at which a further value is tried.
_TRIED = np.array([-1.1503, -0.3186, 0.3186, 1.1503])
_DRAWN = 8  # commits that stand for all when a further value is predicted


@dataclass(frozen=True, slots=True)
class Belief:
    """What values say: the probability of each commit, and of no change.

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
    for end in (usable[0], usable[-1]):
        if counts[end] < _ENDS:
            return int(end), int(_ENDS - counts[end])
    known = belief(commits, places, values)
    kept = np.ones(len(values), dtype=bool)
    kept[list(known.outliers)] = False
    at, data = np.asarray(places, dtype=np.int64)[kept], np.asarray(values, dtype=np.float64)[kept]
    count, total = _sums(commits, at, data)
    below = np.cumsum(known.at)  # that a commit has the change
    repeats = [1] if not build[usable].any() else [1, 2, 3, 5, _MOST_REPEATS]
    cases = [
        (int(one), often, values_to_try)
        for one in _candidates(usable, below)
        for often in repeats
        for values_to_try in [_predicted(known, count, total, int(one), often)]
    ]
    tried = np.array([values for _, _, values in cases])
    own = np.array([one for one, _, _ in cases])
    often = np.array([times for _, times, _ in cases], dtype=np.float64)
    left = _entropy_after(count, total, float((data**2).sum()), own, often, tried)
    gain = (_entropy(known.at, known.none) - left) / (often + build[own])
    best = int(gain.argmax())
    return cases[best][:2]


def _sums(commits: int, at: NDArray[np.int64], data: Floats) -> tuple[Floats, Floats]:
    """Return the number of values of each commit, and their sum."""
    count: Floats = np.bincount(at, minlength=commits).astype(np.float64)
    total: Floats = np.bincount(at, weights=data, minlength=commits).astype(np.float64)
    return count, total


def _predicted(known: Belief, count: Floats, total: Floats, one: int, often: int) -> Floats:
    """Return equally probable means of further values of a commit, by all that is believed."""
    shares = np.cumsum(known.at)
    drawn = np.searchsorted(shares, (np.arange(_DRAWN) + 0.5) / _DRAWN * shares[-1])
    number, sum_ = np.cumsum(count), np.cumsum(total)
    first, own = number[drawn - 1], sum_[drawn - 1]
    has_change = one >= drawn
    size = np.where(has_change, number[-1] - first, first)
    mean = np.where(has_change, sum_[-1] - own, own) / np.maximum(size, 1)
    mean = np.where(size > 0, mean, sum_[-1] / number[-1])
    spread = known.deviation * np.sqrt(1 / often + 1 / np.maximum(size, 1))
    found: Floats = (mean[:, None] + spread[:, None] * _TRIED).ravel()
    return found


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


def _entropy_after(
    count: Floats,
    total: Floats,
    squares: float,
    own: NDArray[np.int64],
    often: Floats,
    tried: Floats,
) -> Floats:
    """Return the entropy to expect after further values of a commit, of each case.

    Args:
        count, total, squares: of the values so far, as for `_log_chances`.
        own, often: the commit of each case, and how often it is measured, (cases).
        tried: equally probable means of these values, (cases, tries).
    """
    cases, tries = tried.shape
    number = np.repeat(count[None], cases, axis=0)
    number[np.arange(cases), own] += often
    number = np.repeat(number, tries, axis=0)
    sums = np.repeat(total[None], cases * tries, axis=0)
    sums[np.arange(cases * tries), np.repeat(own, tries)] += (often[:, None] * tried).ravel()
    log = _log_chances(number, sums, squares + (often[:, None] * tried**2).ravel())
    chances = np.exp(log - log.max(1, keepdims=True))
    chances /= chances.sum(1, keepdims=True)
    entropy = -(chances * np.log(np.maximum(chances, 1e-300))).sum(1)
    found: Floats = entropy.reshape(cases, tries).mean(1)
    return found


def _entropy(at: Floats, none: float) -> float:
    every = np.append(at, none)
    return float(-(every * np.log(np.maximum(every, 1e-300))).sum())
