"""k-means: k centres that minimise the squared distances of points to the nearest of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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

_ROUNDS = 300
_SETTLED = 1e-4  # of the variance: clusters of a cloud without gaps move on by less for long


@dataclass(frozen=True, slots=True)
class Centres:
    """k centres (k x d), the number of each row's centre, and the sum of squared distances."""

    centres: Doubles
    labels: NDArray[np.int32]
    cost: float


def kmeans(
    rows: Floats,
    k: int,
    seed: int = 0,
    times: NDArray[np.int64] | None = None,
    starts: int = 10,
) -> Centres:
    """Cluster points by Lloyd's algorithm from several starts of k-means++.

    Sources: Lloyd 1982; Arthur and Vassilvitskii 2007 for the starts. A start ends where centres
    together move by less than a hundredth of a standard deviation. A centre that loses all its
    points moves to the point that is farthest from its own. Clusters are numbered by their first
    rows.

    Args:
        rows: n x d finite numbers.
        k: number of clusters, at least 1.
        seed: of the starts; the same seed returns the same clusters.
        times: n numbers, how often each row occurs; once unless given.
        starts: number of starts, of which the best counts.

    Raises:
        InsufficientData: there are fewer distinct points than clusters.
    """
    points = Points.of(rows)
    found = len(distinct(points.x, k))
    if found < k:
        raise InsufficientData(f"{count(found, 'distinct point')} cannot form {k} clusters")
    rng = np.random.default_rng(seed)
    weights = np.ones(len(rows)) if times is None else times.astype(np.float64)
    best, least = np.zeros(len(rows), np.int64), np.inf
    for _ in range(starts):
        own, cost = _lloyd(points.x, weights, _start(points.x, weights, k, rng))
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
    centres = _means(rows / points.scale, weights, labels, k)
    return Centres(centres * points.scale, labels, least * points.scale * points.scale)


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


def _start(x: Floats, weights: Doubles, k: int, rng: np.random.Generator) -> Doubles:
    """Return k distinct points, each drawn with its squared distance to those before."""
    chosen = [int(rng.choice(len(x), p=weights / weights.sum()))]
    squared = np.einsum("ij,ij->i", x - x[chosen[0]], x - x[chosen[0]])
    while len(chosen) < k:
        total = weights @ squared
        # Points so close that their squares are 0 are distinct all the same.
        chance = weights * squared / total if total > 0 else _unlike(x, chosen)
        chosen.append(int(rng.choice(len(x), p=chance)))
        apart = x - x[chosen[-1]]
        squared = np.minimum(squared, np.einsum("ij,ij->i", apart, apart))
    return np.array(x[chosen], np.float64)


def _unlike(x: Floats, chosen: list[int]) -> Doubles:
    unlike = np.all([np.any(x != x[one], axis=1) for one in chosen], axis=0)
    weights: Doubles = unlike / unlike.sum()
    return weights


def _lloyd(x: Floats, weights: Doubles, centres: Doubles) -> tuple[NDArray[np.int64], float]:
    k = len(centres)
    settled = _SETTLED * float(x.var(axis=0).mean())
    labels, squared = nearest(x, centres)
    for _ in range(_ROUNDS):
        size = np.bincount(labels, minlength=k)
        for empty in np.flatnonzero(size == 0):
            far = int(squared.argmax())
            labels[far], squared[far] = empty, 0
        before, centres = centres, _means(x, weights, labels, k)
        labels, squared = nearest(x, centres)
        if float(((centres - before) ** 2).sum()) <= settled:
            break
    return labels, float(weights @ squared)


def _means(x: Floats, weights: Doubles, labels: NDArray[np.integer[Any]], k: int) -> Doubles:
    """Return the weighted mean of the rows of each label (k x d)."""
    sums = np.stack([np.bincount(labels, column * weights, k) for column in x.T], axis=1)
    # A row put into an empty cluster can empty that of another.
    size = np.bincount(labels, weights, k)
    means: Doubles = sums / np.where(size > 0, size, 1)[:, None]
    return means
