"""Phases of a thread over time: the SimPoint method on the basic-block vectors of its intervals.

Sherwood, Perelman, Hamerly, Calder: Automatically characterizing large scale program behavior,
ASPLOS 2002: vectors projected at random to 15 dimensions, k-means for each number of phases, and
the smallest number whose Bayesian information criterion lies within a tenth of its range of the
best. Everything is deterministic.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from udfs.arrays import Floats, Integers
from udfs.arrow import returned
from udfs.clustering.kmeans import kmeans
from udfs.clustering.points import InsufficientData

DIMENSIONS = 15  # of the projection, as SimPoint has it
MAX_PHASES = 15  # that are tried
_NEAR_BEST = 0.9  # share of the best score from which fewer phases are taken
_SEED = 1  # of projection and starts, so that phases are the same each time
# Intervals that differ in 1 % of their instructions are not phases of their own: moving a share s
# between blocks has this variance in each dimension of the projection.
_MIN_VARIANCE = 0.01**2 / 6

_PHASES = returned("interval_phases")


def interval_phases(
    intervals: pa.ListArray, blocks: pa.ListArray, weights: pa.ListArray
) -> pa.ListArray:
    """Return the phase of each interval of each thread.

    Args:
        intervals: n lists of INTEGER, the interval of each element of a thread's vectors.
        blocks: n lists of INTEGER, its basic block.
        weights: n lists of BIGINT, instructions.

    Returns:
        n lists of structs (interval; phase, from 0 in order of appearance; distance to the centre
        of the phase, of projected vectors; weight, the phase's share of all instructions;
        representative, the interval nearest to the centre), by interval. NULL where a
        weight is NULL.
    """
    out: list[list[dict[str, object]] | None] = []
    for interval, block, weight in zip(intervals, blocks, weights, strict=True):
        if not interval.is_valid or weight.values.null_count:
            out.append(None)
            continue
        lists = (interval.values.to_numpy(), block.values.to_numpy())
        out.append(_phases(*lists, weight.values.to_numpy().astype(np.float64)))
    return pa.array(out, _PHASES)


def _phases(intervals: Integers, blocks: Integers, weights: Floats) -> list[dict[str, object]]:
    numbers, row = np.unique(intervals, return_inverse=True)
    points, sizes = project(row, blocks, weights)
    phase, distance = classify(points)
    total = np.bincount(phase, sizes) / max(sizes.sum(), 1)
    first = np.lexsort((np.arange(numbers.size), distance, phase))
    nearest = first[np.unique(phase[first], return_index=True)[1]]
    chosen = np.isin(np.arange(numbers.size), nearest)
    columns = (numbers, phase, distance, total[phase], chosen)
    names = [field.name for field in _PHASES.value_type]
    lists = (column.tolist() for column in columns)
    return [dict(zip(names, values, strict=True)) for values in zip(*lists, strict=True)]


def project(row: Integers, blocks: Integers, weights: Floats) -> tuple[Floats, Floats]:
    """Project sparse vectors, as shares of their sums, onto 15 dimensions.

    Args:
        row: the vector of each element, from 0.
        blocks: its basic block.
        weights: its instructions.

    Returns:
        n x 15 points and n sums.
    """
    # Sums depend on the order of their terms in the last bit; equal vectors have to stay equal.
    order = np.lexsort((blocks, row))
    row, blocks, weights = row[order], blocks[order], weights[order]
    distinct, column = np.unique(blocks, return_inverse=True)
    directions = np.random.default_rng(_SEED).uniform(-1, 1, (DIMENSIONS, distinct.size))
    sums: Floats = np.bincount(row, weights).astype(np.float64, copy=False)
    shares = weights / np.where(sums > 0, sums, 1)[row]
    sides = [np.bincount(row, shares * direction[column]) for direction in directions]
    points: Floats = np.stack(sides, axis=1).round(12).astype(np.float64, copy=False)
    return points, sums


def classify(points: Floats) -> tuple[Integers, Floats]:
    """Return the phase of each of n points, from 0 in order of appearance, and its distance.

    The distance is the one to the centre of the phase.
    """
    distinct, kind, times = np.unique(points, axis=0, return_inverse=True, return_counts=True)
    kind = kind.ravel()
    fits = list(_fits(distinct, times))
    scores = np.array([score(found, times) for found in fits])
    near_best = scores >= scores.min() + _NEAR_BEST * (scores.max() - scores.min())
    label, distance = fits[int(np.argmax(near_best))]
    label, distance = label[kind], distance[kind]
    order = np.unique(label, return_index=True)[1].argsort().argsort()
    return order[np.unique(label, return_inverse=True)[1]], distance


def _fits(points: Floats, times: Integers) -> Iterator[tuple[Integers, Floats]]:
    """Yield the clusters for each number of phases, as long as points can be told apart."""
    for phases in range(1, min(MAX_PHASES, len(points)) + 1):
        try:
            found = kmeans(points, phases, _SEED, times, starts=5)
        except InsufficientData:
            return
        distance = np.sqrt(((points - found.centres[found.labels]) ** 2).sum(axis=1))
        yield found.labels.astype(np.int64), distance


def score(found: tuple[Integers, Floats], times: Integers) -> float:
    """Return the Bayesian information criterion of a clustering; higher is better.

    Clusters are spherical Gaussians of one variance (Pelleg and Moore, X-means, ICML 2000).

    Args:
        found: the cluster, from 0, and the distance to its centre, of each of m points.
        times: how often each point occurs.
    """
    label, distance = found
    sizes = np.bincount(label, times)
    sizes = sizes[sizes > 0]
    total, clusters = float(sizes.sum()), sizes.size
    free = DIMENSIONS * max(total - clusters, 1.0)
    variance = max(float(times @ distance**2) / free, _MIN_VARIANCE)
    likelihood = (
        float(sizes @ np.log(sizes / total))
        - total * DIMENSIONS / 2 * np.log(2 * np.pi * variance)
        - float(times @ distance**2) / (2 * variance)
    )
    parameters = clusters * (DIMENSIONS + 1)
    return float(likelihood - parameters / 2 * np.log(total))
