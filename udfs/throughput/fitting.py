"""Fitting a throughput model to measured segments: algorithms side by side, the reduction, bands.

Every algorithm is scored on the same segments of groups (programs, families of blocks) that it did
not learn from. The split at random beside it shows how much near-duplicates flatter.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import kendalltau

from udfs.throughput.algorithms import (
    Integers,
    Samples,
    algorithms,
    apply_network,
    train_boosting,
    train_network,
)
from udfs.throughput.inputs import taken
from udfs.throughput.network import Arrays, Floats, principal, projected
from udfs.throughput.reduction import Reduction, reduced

Score = tuple[str, str, str, float]
Tell = Callable[[str], None]

FOLDS = 10
# More segments than this are scored on one tenth of the groups, not on all tenths in turn.
_MANY = 5000
_HELD_OUT = "groups held out"
_RANDOM = "held out at random"
# Quantiles of the errors that make the band: a little more than 90 %, for new programs are new.
_BAND = (0.04, 0.96)


@dataclass(frozen=True, slots=True)
class Thinned:
    """What the reduction did.

    `kept_of_all` segments stand for all. On one tenth of the groups held out: the network learned
    from `segments` or from the `kept` that stand for them (of `classes` classes of the map), its
    mean error (a share) and the seconds that it took with either.
    """

    kept_of_all: int

    segments: int
    kept: int
    classes: int
    error_all: float
    error_kept: float
    seconds_all: float
    seconds_kept: float


@dataclass(frozen=True, slots=True)
class Fitted:
    """A model and how it scored; `scores` are rows (algorithm, split, measure, value)."""

    algorithm: str
    arrays: Arrays
    scores: list[Score]
    thinned: Thinned | None
    seconds: float


Reduce = tuple[int, float]
Split = tuple[Integers, Integers]


def fit_throughput(
    samples: Samples, reduction: Reduce | None = None, seed: int = 0, tell: Tell = lambda _: None
) -> Fitted:
    """Score all algorithms, and fit the best that can be stored to all segments.

    Args:
        samples: measured segments of at least two groups.
        reduction: classes of the map and the share of each that is kept; all where left out.
        seed: of all random numbers.
        tell: told in a few words what is being done.
    """
    began = time.perf_counter()
    splits = _by_group(samples, seed)
    tell(f"scoring on groups held out, {len(splits)} times")
    held, off = _errors(samples, splits, reduction, seed)
    tell("scoring on segments held out at random, for comparison")
    picked, at_random = _errors(samples, [_at_random(len(samples.cycles), seed)], reduction, seed)
    scores = [row for name, e in off.items() for row in _scored(name, _HELD_OUT, e, held)]
    scores += [row for name, e in at_random.items() for row in _scored(name, _RANDOM, e, picked)]
    part, weights = _thin(samples, np.arange(len(samples.cycles)), reduction, seed)
    thinned = None
    if reduction is not None:
        tell("training on all segments, to see what the reduction costs")
        thinned = _cost(samples, splits[0], reduction, seed, len(part.cycles))
    chosen = _best(scores, samples.is_code)
    tell(f"fitting the {chosen}")
    if chosen == "network":
        arrays = train_network(part, weights, seed)
        arrays["band"], inside = _band(-off["network"])
        scores.append(("network", _HELD_OUT, "in the band", inside))
    else:
        arrays = train_boosting(part, weights, seed)
    arrays["inputs"] = np.array([float(samples.x.shape[1])])
    arrays["typical"] = samples.form.typical(samples.x)
    return Fitted(chosen, arrays, scores, thinned, time.perf_counter() - began)


def _errors(
    samples: Samples, splits: list[Split], reduction: Reduce | None, seed: int
) -> tuple[Samples, dict[str, Floats]]:
    """Give the segments that were held out, and each algorithm's errors of their log cycles."""
    logs: dict[str, list[Floats]] = {}
    for train, test in splits:
        part, weights = _thin(samples, train, reduction, seed)
        for name, predict in algorithms(part, weights, seed).items():
            logs.setdefault(name, []).append(predict(samples.at(test)))
    held = samples.at(np.concatenate([test for _, test in splits]))
    actual = np.log(held.cycles)
    return held, {name: np.concatenate(parts) - actual for name, parts in logs.items()}


def _band(errors: Floats) -> tuple[Floats, float]:
    """Give the band by errors (log actual - log predicted), and the share of them inside."""
    low, high = np.quantile(errors, _BAND)
    band = np.array([min(low, 0.0), max(high, 0.0)])
    return band, float(((errors >= band[0]) & (errors <= band[1])).mean())


def _thin(
    samples: Samples, rows: Integers, reduction: Reduce | None, seed: int
) -> tuple[Samples, Floats]:
    """Give the segments to train on and their weights."""
    part = samples.at(rows)
    weights = part.trust
    if not part.is_code:
        # Segments of a program resemble each other: it counts by the root of their number. Families
        # of blocks are large where their forms are common, which is worth knowing.
        _, group, size = np.unique(part.groups, return_inverse=True, return_counts=True)
        weights = weights / np.sqrt(size[group])
    if reduction is None:
        return part, weights
    done = reduce_samples(part, reduction, seed)
    return part.at(done.chosen), weights[done.chosen] * done.stands_for


def reduce_samples(samples: Samples, reduction: Reduce, seed: int) -> Reduction:
    """Choose the segments that stand for all, by the principal components of their features."""
    x = taken(samples.x, samples.inputs.arrays())
    points = projected(x, principal(x))
    return reduced(points, reduction[0], reduction[1], seed)


def _by_group(samples: Samples, seed: int) -> list[Split]:
    """Split by group: each tenth of the groups held out in turn, of many segments only one."""
    names, group = np.unique(samples.groups, return_inverse=True)
    folds = min(FOLDS, len(names))
    part = np.random.default_rng(seed).permutation(len(names)) % folds
    held = range(1 if len(group) > _MANY else folds)
    return [(np.flatnonzero(part[group] != k), np.flatnonzero(part[group] == k)) for k in held]


def _at_random(n: int, seed: int) -> tuple[Integers, Integers]:
    order = np.random.default_rng(seed).permutation(n)
    return np.sort(order[n // 10 :]), np.sort(order[: n // 10])


def _scored(name: str, split: str, errors: Floats, samples: Samples) -> list[Score]:
    """Score errors of log cycles: percentages of the measured cycles, and the order."""
    absolute = np.abs(np.expm1(errors))
    predicted = np.exp(errors) * samples.cycles
    tau = kendalltau(predicted / samples.instructions, samples.cycles / samples.instructions)
    return [
        (name, split, "mean error", float(absolute.mean())),
        (name, split, "median error", float(np.median(absolute))),
        (name, split, "Kendall's tau", float(tau.statistic)),
    ]


def _best(scores: list[Score], is_code: bool) -> str:
    """Choose of those that can be stored: trees are kept for machine code alone."""
    able = ("network", "boosting") if is_code else ("network",)
    error = {n: v for n, split, what, v in scores if split == _HELD_OUT and what == "mean error"}
    return min(able, key=error.__getitem__)


def _cost(
    samples: Samples, split: Split, reduction: Reduce, seed: int, kept_of_all: int
) -> Thinned:
    """Train the network on all and on those kept, and compare on what is held out."""
    train, test = split
    held = samples.at(test)
    errors, seconds, sizes = [], [], []
    for way in (None, reduction):
        began = time.perf_counter()
        part, weights = _thin(samples, train, way, seed)
        arrays = train_network(part, weights, seed)
        seconds.append(time.perf_counter() - began)
        off = apply_network(held.x, arrays) - np.log(held.cycles)
        errors.append(float(np.abs(np.expm1(off)).mean()))
        sizes.append(len(part.cycles))
    classes = reduce_samples(samples.at(train), reduction, seed).classes
    return Thinned(kept_of_all, sizes[0], sizes[1], classes, *errors, *seconds)
