"""Fitting a throughput model to measured segments: comparison of algorithms, reduction, bands.

Every algorithm is scored on the same segments of groups (programs, families of blocks) that it did
not learn from. A random split for comparison shows how much near-duplicates improve scores.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import kendalltau

from udfs.arrays import Floats, Integers
from udfs.clustering.kmeans import kmeans
from udfs.clustering.points import InsufficientData
from udfs.clustering.som import self_organising_map
from udfs.progress import Progress, silent
from udfs.throughput.algorithms import (
    WITH_DISTRIBUTIONS,
    Samples,
    algorithms,
    apply_network,
    train_boosting,
    train_combination,
    train_network,
)
from udfs.throughput.claims import BROKEN
from udfs.throughput.inputs import feature_range, network_inputs
from udfs.throughput.network import Arrays, principal, projected


@dataclass(frozen=True, slots=True)
class Reduction:
    """The segments that represent all.

    `chosen` (k) are their positions, `represents` (k) how many each represents, `classes` the
    number of occupied classes of the map.
    """

    chosen: Integers
    represents: Integers
    classes: int


def reduce_points(x: Floats, classes: int = 200, share: float = 0.15, seed: int = 0) -> Reduction:
    """Return segments that represent all (n x m, standardised, no NaN), with as much spread.

    A self-organising map (Kohonen 1982; the batch form of 1995) sorts the segments into coarse
    classes, k-means each class into small ones, and the segment nearest each small centre
    represents its small class.

    Args:
        x: points of the segments; distance is Euclidean.
        classes: cells of the map; it is made as square as their number allows.
        share: share of each class's segments that is kept (rounded up).
        seed: of the first centres.
    """
    high = max(d for d in range(1, int(np.sqrt(classes)) + 1) if classes % d == 0)
    try:
        label = self_organising_map(x, classes // high, high).cells
    except InsufficientData:
        label = np.zeros(len(x), np.int32)
    chosen, sizes = [], []
    occupied = np.unique(label)
    for one in occupied:
        rows = np.flatnonzero(label == one)
        positions, counts = _representatives(x[rows], int(np.ceil(share * len(rows))), seed)
        chosen.append(rows[positions])
        sizes.append(counts)
    order = np.argsort(np.concatenate(chosen))
    return Reduction(
        np.concatenate(chosen)[order], np.concatenate(sizes)[order], classes=len(occupied)
    )


def _representatives(x: Floats, k: int, seed: int) -> tuple[Integers, Integers]:
    """Return the points nearest the centres of k-means, and the sizes of the classes."""
    try:
        found = kmeans(x, min(k, len(np.unique(x, axis=0))), seed, starts=1)
    except InsufficientData:
        return np.zeros(1, np.int64), np.array([len(x)])
    squared = ((x - found.centres[found.labels]) ** 2).sum(axis=1)
    order = np.lexsort((squared, found.labels))
    first = np.searchsorted(found.labels[order], np.arange(len(found.centres)))
    return order[first].astype(np.int64), np.bincount(found.labels)


Score = tuple[str, str, str, float]

FOLDS = 10  # groups of segments, each held out in turn
# More segments than this are scored on one tenth of the groups, not on all tenths in turn.
_MANY = 5000
_HELD_OUT = "groups held out"
_RANDOM = "held out at random"
_LEAST_FACTOR, _MANY_BLOCKS = 0.5, 1000  # below which a bound is none; blocks to raise one
# Quantiles of the errors that form the band: a little over 90 %, because new programs differ.
_BAND = (0.04, 0.96)


@dataclass(frozen=True, slots=True)
class Thinned:
    """Effect of the reduction.

    `kept_of_all` segments represent all. With one tenth of the groups held out: the network learned
    from `segments` or from the `kept` that represent them (of `classes` classes of the map); its
    mean error (a share) and the training time in seconds for either.
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
    samples: Samples,
    reduction: Reduce | None = None,
    seed: int = 0,
    progress: Progress = silent,
    **training: Any,
) -> Fitted:
    """Score all algorithms, and fit the best that can be stored to all segments.

    Where `training` names an optimiser, the better network is fitted whatever its score.

    Args:
        samples: measured segments of at least two groups.
        reduction: classes of the map and the share of each that is kept; everything where omitted.
        seed: of all random numbers.
        progress: called with each step.
        training: fields of `udfs.throughput.network.Training` that differ from the defaults.
    """
    began = time.perf_counter()
    factors = bound_factors(samples) if samples.is_code else None
    if factors is not None:
        scaled = samples.bounds.copy()
        scaled[:, : len(factors)] *= np.where(factors > 0, factors, np.nan)
        samples = replace(samples, bounds=scaled)
    splits = _by_group(samples, seed)
    # Trainings of all algorithms, and two of one of them: to measure the reduction, and the last.
    total = len(splits) + 2 + (reduction is not None)
    progress(f"scoring on groups held out, {len(splits)} times")

    def trained(done: int) -> None:
        left = (time.perf_counter() - began) / done * (total - done)
        progress(f"groups held out: {done} of {len(splits)}", left)

    held_out, errors = _errors(samples, splits, reduction, seed, trained, **training)
    progress("scoring on segments held out at random, for comparison")
    random = [_at_random(len(samples.cycles), seed)]
    picked, at_random = _errors(samples, random, reduction, seed, **training)
    scores = [row for name, e in errors.items() for row in _scores(name, _HELD_OUT, e, held_out)]
    scores += [row for name, e in at_random.items() for row in _scores(name, _RANDOM, e, picked)]
    part, weights = _thin(samples, np.arange(len(samples.cycles)), reduction, seed)
    thinned = None
    if reduction is not None:
        progress("training on all segments, to measure the error caused by the reduction")
        thinned = _reduction_effect(
            samples, splits[0], reduction, seed, len(part.cycles), **training
        )
    chosen = _best(scores, samples.is_code, only_networks="optimiser" in training)
    progress(f"fitting the {chosen}")
    if chosen == "boosting":
        arrays = train_boosting(part, weights, seed)
    else:
        if chosen == WITH_DISTRIBUTIONS:
            part = part.whole()
        is_combined = chosen == "combined bounds"
        arrays = (
            train_combination(part, weights)
            if is_combined
            else train_network(part, weights, seed, **training)
        )
        arrays["band"], inside = _band(-errors[chosen])
        scores.append((chosen, _HELD_OUT, "in the band", inside))
    arrays["inputs"] = np.array([float(samples.x.shape[1])])
    if factors is not None:
        arrays["bound_factors"] = factors
    arrays["typical"] = samples.form.typical(samples.x)
    arrays |= part.inputs.arrays()
    arrays["range"] = feature_range(samples.x, arrays)
    return Fitted(chosen, arrays, scores, thinned, time.perf_counter() - began)


def bound_factors(samples: Samples) -> Floats:
    """Return what the bounds by width, chain and units (3) are multiplied by on the measured core.

    The table that they come from can be of another core. A bound holds where no more than
    BROKEN of the segments are faster. The width of a core is the same for all segments, so that
    it is learned from many of them in both directions; 0 withholds a bound of no use.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = samples.cycles[:, None] / samples.bounds[:, :3]
    ratios[~np.isfinite(ratios)] = np.nan
    factors = np.ones(3)
    for kind, column in enumerate(ratios.T):
        known = column[~np.isnan(column)]
        if not len(known):
            continue
        lowest = float(np.quantile(known, BROKEN))
        learned = lowest if kind == 0 and len(known) >= _MANY_BLOCKS else min(lowest, 1.0)
        factors[kind] = learned
    return np.where(factors < _LEAST_FACTOR, 0.0, factors)


def _errors(
    samples: Samples,
    splits: list[Split],
    reduction: Reduce | None,
    seed: int,
    trained: Callable[[int], None] = lambda _: None,
    **training: Any,
) -> tuple[Samples, dict[str, Floats]]:
    """Return the segments that were held out, and each algorithm's errors of their log cycles.

    `trained` is called with the number of splits that are done.
    """
    logs: dict[str, list[Floats]] = {}
    for number, (train, test) in enumerate(splits, 1):
        part, weights = _thin(samples, train, reduction, seed)
        for name, predict in algorithms(part, weights, seed, **training).items():
            logs.setdefault(name, []).append(predict(samples.at(test)))
        trained(number)
    held_out = samples.at(np.concatenate([test for _, test in splits]))
    actual = np.log(held_out.cycles)
    # As the view throughput_predictions does: no prediction is below the tightest bound.
    least = np.log(np.fmax.reduce(held_out.bounds, axis=1))
    return held_out, {
        name: np.maximum(np.concatenate(parts), least) - actual for name, parts in logs.items()
    }


def _band(errors: Floats) -> tuple[Floats, float]:
    """Return the band by errors (log actual - log predicted), and the share of them inside."""
    low, high = np.quantile(errors, _BAND)
    band = np.array([min(low, 0.0), max(high, 0.0)])
    return band, float(((errors >= band[0]) & (errors <= band[1])).mean())


def _thin(
    samples: Samples, rows: Integers, reduction: Reduce | None, seed: int
) -> tuple[Samples, Floats]:
    """Return the segments to train on and their weights."""
    part = samples.at(rows)
    weights = part.trust
    if not part.is_code:
        # Segments of a program are similar: it counts by the root of their number. Families of
        # blocks are large where their forms are common, which should count.
        _, group, size = np.unique(part.groups, return_inverse=True, return_counts=True)
        weights = weights / np.sqrt(size[group])
    if reduction is None:
        return part, weights
    done = reduce_samples(part, reduction, seed)
    return part.at(done.chosen), weights[done.chosen] * done.represents


def reduce_samples(samples: Samples, reduction: Reduce, seed: int) -> Reduction:
    """Return the segments that represent all, by the principal components of their features."""
    x = network_inputs(samples.x, samples.inputs.arrays())
    points = projected(x, principal(x))
    return reduce_points(points, reduction[0], reduction[1], seed)


def _by_group(samples: Samples, seed: int) -> list[Split]:
    """Split by group: each tenth of the groups held out in turn; with many segments only one."""
    names, group = np.unique(samples.groups, return_inverse=True)
    folds = min(FOLDS, len(names))
    part = np.random.default_rng(seed).permutation(len(names)) % folds
    tested = range(1 if len(group) > _MANY else folds)
    return [(np.flatnonzero(part[group] != k), np.flatnonzero(part[group] == k)) for k in tested]


def _at_random(n: int, seed: int) -> tuple[Integers, Integers]:
    order = np.random.default_rng(seed).permutation(n)
    return np.sort(order[n // 10 :]), np.sort(order[: n // 10])


def _scores(name: str, split: str, errors: Floats, samples: Samples) -> list[Score]:
    """Return scores of errors of log cycles: shares of the measured cycles, and rank agreement."""
    absolute = np.abs(np.expm1(errors))
    predicted = np.exp(errors) * samples.cycles
    tau = kendalltau(predicted / samples.instructions, samples.cycles / samples.instructions)
    return [
        (name, split, "mean error", float(absolute.mean())),
        (name, split, "median error", float(np.median(absolute))),
        (name, split, "Kendall's tau", float(tau.statistic)),
    ]


def _best(scores: list[Score], is_code: bool, only_networks: bool) -> str:
    """Return the best algorithm that can be stored: trees are stored for machine code only."""
    storable = ["network"] if is_code else ["network", WITH_DISTRIBUTIONS]
    if not only_networks:
        storable.append("boosting" if is_code else "combined bounds")
    error = {n: v for n, split, what, v in scores if split == _HELD_OUT and what == "mean error"}
    return min(storable, key=error.__getitem__)


def _reduction_effect(
    samples: Samples,
    split: Split,
    reduction: Reduce,
    seed: int,
    kept_of_all: int,
    **training: Any,
) -> Thinned:
    """Return errors and times of the network trained on all segments and on the kept ones."""
    train, test = split
    held_out = samples.at(test)
    errors, seconds, sizes = [], [], []
    for way in (None, reduction):
        began = time.perf_counter()
        part, weights = _thin(samples, train, way, seed)
        arrays = train_network(part, weights, seed, **training)
        seconds.append(time.perf_counter() - began)
        error = apply_network(held_out.x, arrays) - np.log(held_out.cycles)
        errors.append(float(np.abs(np.expm1(error)).mean()))
        sizes.append(len(part.cycles))
    classes = reduce_samples(samples.at(train), reduction, seed).classes
    return Thinned(kept_of_all, sizes[0], sizes[1], classes, *errors, *seconds)
