"""Reduction of training data that preserves their spread.

A self-organising map (Kohonen 1982; the batch form of 1995) sorts the segments into coarse
classes, k-means each class into small ones, and the segment nearest each small centre
represents its small class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from udfs.arrays import Floats, Integers
from udfs.clustering.kmeans import kmeans
from udfs.clustering.points import InsufficientData
from udfs.clustering.som import self_organising_map


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
