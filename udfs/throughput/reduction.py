"""Reduction of training data that preserves their spread.

A self-organising map (Kohonen 1982; the batch form of 1995) sorts the segments into coarse
classes, k-means each class into small ones, and the segment nearest each small centre
represents its small class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_EPOCHS = 15
_ROUNDS = 15


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
    """Return segments that represent all (n x m, standardised, no NaN).

    Args:
        x: points of the segments; distance is Euclidean.
        classes: nodes of the map; it is made as square as their number allows.
        share: share of each class's segments that is kept (rounded up).
        seed: of the first weights and centres.
    """
    random = np.random.default_rng(seed)
    label = nearest(x, _map(x, classes, random))
    chosen, sizes = [], []
    occupied = np.unique(label)
    for one in occupied:
        rows = np.flatnonzero(label == one)
        positions, counts = _representatives(
            x[rows], max(1, int(np.ceil(share * len(rows)))), random
        )
        chosen.append(rows[positions])
        sizes.append(counts)
    order = np.argsort(np.concatenate(chosen))
    return Reduction(
        np.concatenate(chosen)[order], np.concatenate(sizes)[order], classes=len(occupied)
    )


def nearest(x: Floats, centres: Floats) -> Integers:
    """Return for each point (n x m) the number of the nearest centre (k x m)."""
    half = (centres * centres).sum(axis=1) / 2
    out = np.empty(len(x), np.int64)
    for begin in range(0, len(x), 1 << 14):
        out[begin : begin + (1 << 14)] = (half - x[begin : begin + (1 << 14)] @ centres.T).argmin(1)
    return out


def _map(x: Floats, classes: int, random: np.random.Generator) -> Floats:
    """Return the trained map; its neighbourhood shrinks from half the grid to one node."""
    high = max(d for d in range(1, int(np.sqrt(classes)) + 1) if classes % d == 0)
    grid = np.stack(np.divmod(np.arange(classes), high), axis=1).astype(float)
    apart = ((grid[:, None] - grid[None]) ** 2).sum(axis=2)
    # The grid begins in the plane of the two widest components (Kohonen's linear start).
    _, wide, across = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)
    plane = across[:2] * wide[:2, None] / np.sqrt(len(x))
    place = (grid - grid.mean(axis=0)) / np.maximum(grid.std(axis=0), 1e-9)
    weights = x.mean(axis=0) + place[:, : len(plane)] @ plane
    weights += random.normal(0, 1e-3, weights.shape)
    widest = max(grid.max() / 2, 1.0)
    for epoch in range(_EPOCHS):
        radius = widest * (0.5 / widest) ** (epoch / (_EPOCHS - 1))
        pull = np.exp(-apart / (2 * radius * radius))
        label = nearest(x, weights)
        count = np.bincount(label, minlength=classes)
        sums = np.zeros_like(weights)
        np.add.at(sums, label, x)
        mass = pull @ count
        weights = np.where(mass[:, None] > 1e-9, (pull @ sums) / mass[:, None].clip(1e-9), weights)
    return np.asarray(weights)


def _representatives(x: Floats, k: int, random: np.random.Generator) -> tuple[Integers, Integers]:
    """Return the points nearest the centres of k-means (Lloyd), and the sizes of the classes."""
    centres = x[random.choice(len(x), k, replace=False)]
    for _ in range(_ROUNDS):
        label = nearest(x, centres)
        sums = np.zeros_like(centres)
        np.add.at(sums, label, x)
        count = np.bincount(label, minlength=k)
        fresh = np.where(count[:, None] > 0, sums / count[:, None].clip(1), centres)
        if np.array_equal(fresh, centres):
            break
        centres = fresh
    label = nearest(x, centres)
    used, label = np.unique(label, return_inverse=True)
    squared = ((x - centres[used][label]) ** 2).sum(axis=1)
    order = np.lexsort((squared, label))
    first = np.searchsorted(label[order], np.arange(len(used)))
    return order[first].astype(np.int64), np.bincount(label)
