"""CLARA: k medoids of many points, found on random samples and evaluated on all points."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from udfs.clustering.fasterpam import fasterpam
from udfs.clustering.points import Floats, InsufficientData, Ints, Points, assign, cost, distinct

SAMPLES = 5  # as Kaufman and Rousseeuw (1990) have it


@dataclass(frozen=True, slots=True)
class Clustering:
    """k medoids (row numbers, ascending), the medoid's number of each row, sum of distances."""

    medoids: Ints
    labels: NDArray[np.int32]
    cost: float


def clara(rows: Floats, k: int, seed: int = 0, workers: int = 1) -> Clustering:
    """Cluster points around k of them by CLARA (Kaufman and Rousseeuw 1990, chapter 3).

    Medoids are searched on five random samples, each including the best medoids so far, and
    evaluated by the sum of the Euclidean distances of all points to them; the best are kept. A
    sample's medoids come from FasterPAM (Schubert and Rousseeuw 2021). Kaufman and Rousseeuw
    sample 40 + 2k points; here it is 80 + 4k, or the root of n where that is more, because a
    sample of that size costs as much as its evaluation.

    Args:
        rows: n x d finite numbers.
        k: number of clusters, at least 1.
        seed: of the random samples; the same seed returns the same clusters.
        workers: threads.

    Raises:
        InsufficientData: there are fewer distinct points than clusters.
    """
    first = distinct(rows, k)
    if len(first) < k:
        raise InsufficientData(f"{count(len(first), 'distinct point')} cannot form {k} clusters")
    points = Points.of(rows)
    medoids = medoids_of(points, first, np.random.default_rng(seed), workers)
    labels, total = assign(points, medoids, workers)
    return Clustering(medoids, labels, total * points.scale)


def medoids_of(points: Points, first: Ints, rng: np.random.Generator, workers: int = 1) -> Ints:
    """Return as many medoids as there are distinct rows in `first`, ascending; see `clara`."""
    n, k = len(points), len(first)
    size = min(n, max(80 + 4 * k, isqrt(n)))
    best, best_cost = first, np.inf
    for _ in range(SAMPLES):
        # The rows of `first`, or the best so far, ensure at least k distinct points in a sample.
        sample = np.union1d(rng.choice(n, size, replace=False, shuffle=False), best)
        found = np.sort(sample[_partition(points.x[sample], k, rng)])
        found_cost = cost(points, found, workers)
        if found_cost < best_cost:
            best, best_cost = found, found_cost
    return best


def _partition(sample: Floats, k: int, rng: np.random.Generator) -> Ints:
    """Return the rows of a sample that FasterPAM chooses as medoids, from a random start."""
    from scipy.spatial.distance import cdist

    return fasterpam(cdist(sample, sample), rng.choice(len(sample), k, replace=False))


def count(number: int, what: str) -> str:
    """Return a number with its noun: 1 row, 2 rows."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
