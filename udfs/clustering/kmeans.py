"""k-means: k centres that minimise the squared distances of points to the nearest of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from udfs.clustering.clara import count
from udfs.clustering.points import (
    MULTIPLICATIONS,
    Doubles,
    Floats,
    InsufficientData,
    Points,
    distinct,
)

_STARTS = 10
_ROUNDS = 300


@dataclass(frozen=True, slots=True)
class Centres:
    """k centres (k x d), the number of each row's centre, and the sum of squared distances."""

    centres: Doubles
    labels: NDArray[np.int32]
    cost: float


def kmeans(rows: Floats, k: int, seed: int = 0) -> Centres:
    """Cluster points by Lloyd's algorithm from ten starts of k-means++.

    Sources: Lloyd 1982; Arthur and Vassilvitskii 2007 for the starts. A centre that loses all its
    points moves to the point that is farthest from its own. Clusters are numbered by their first
    rows.

    Args:
        rows: n x d finite numbers.
        k: number of clusters, at least 1.
        seed: of the starts; the same seed returns the same clusters.

    Raises:
        InsufficientData: there are fewer distinct points than clusters.
    """
    points = Points.of(rows)
    found = len(distinct(points.x, k))
    if found < k:
        raise InsufficientData(f"{count(found, 'distinct point')} cannot form {k} clusters")
    rng = np.random.default_rng(seed)
    best, least = np.zeros(len(rows), np.int64), np.inf
    for _ in range(_STARTS):
        own, cost = _lloyd(points.x, _start(points.x, k, rng))
        # A start that is better by rounding alone would make the numbering depend on it.
        if cost < least * (1 - 1e-12):
            best, least = own, cost
    _, first = np.unique(best, return_index=True)
    if len(first) < k:
        # Differences whose squares are 0 tell no points apart.
        raise InsufficientData(f"the points are too close to each other for {k} clusters")
    number = np.empty(k, np.int32)
    number[np.argsort(first)] = np.arange(k)
    labels = number[best]
    size = np.bincount(labels, minlength=k)
    centres = np.stack(
        [np.bincount(labels, column, k) / size for column in (rows / points.scale).T]
    )
    return Centres(centres.T * points.scale, labels, least * points.scale * points.scale)


def nearest(x: Floats, centres: Doubles) -> tuple[NDArray[np.int64], Doubles]:
    """Return the nearest centre of each row, the first of equals, and the squared distance."""
    labels = np.empty(len(x), np.int64)
    squared = np.empty(len(x))
    length = max(64, MULTIPLICATIONS // max(1, centres.size))
    norms = np.einsum("ij,ij->i", centres, centres)
    for at in range(0, len(x), length):
        rows = slice(at, at + length)
        labels[rows] = (norms - 2 * x[rows] @ centres.T).argmin(axis=1)
        apart = x[rows] - centres[labels[rows]]
        squared[rows] = np.einsum("ij,ij->i", apart, apart)
    return labels, squared


def _start(x: Floats, k: int, rng: np.random.Generator) -> Doubles:
    """Return k distinct points, each drawn with its squared distance to those before."""
    chosen = [int(rng.integers(len(x)))]
    squared = np.einsum("ij,ij->i", x - x[chosen[0]], x - x[chosen[0]])
    while len(chosen) < k:
        total = squared.sum()
        # Points so close that their squares are 0 are distinct all the same.
        weights = squared / total if total > 0 else _unlike(x, chosen)
        chosen.append(int(rng.choice(len(x), p=weights)))
        apart = x - x[chosen[-1]]
        squared = np.minimum(squared, np.einsum("ij,ij->i", apart, apart))
    return np.array(x[chosen], np.float64)


def _unlike(x: Floats, chosen: list[int]) -> Doubles:
    unlike = np.all([np.any(x != x[one], axis=1) for one in chosen], axis=0)
    weights: Doubles = unlike / unlike.sum()
    return weights


def _lloyd(x: Floats, centres: Doubles) -> tuple[NDArray[np.int64], float]:
    k = len(centres)
    labels, squared = nearest(x, centres)
    for _ in range(_ROUNDS):
        size = np.bincount(labels, minlength=k)
        for empty in np.flatnonzero(size == 0):
            far = int(squared.argmax())
            labels[far], squared[far] = empty, 0
        size = np.bincount(labels, minlength=k)
        sums = np.stack([np.bincount(labels, column, k) for column in x.T], axis=1)
        centres = sums / np.maximum(size, 1)[:, None]
        before = labels
        labels, squared = nearest(x, centres)
        if np.array_equal(labels, before):
            break
    return labels, float(squared.sum())
