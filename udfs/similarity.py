"""Similarity of threads by their basic-block vectors: distances, pictures, fluctuation rates.

The method is that of a patent on profiling CUDA programs in a modified GPU simulator (Huazhong
University of Science and Technology, 2012): the matrix of distances between the threads of a
thread block, read as a picture. Equal vectors are collapsed first, so the work depends on the
number of distinct ones.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from udfs.arguments import ArgumentError
from udfs.arrays import Floats
from udfs.block_vectors import MAX_THREADS, TooManyThreads, Vectors

METRICS = ("euclidean", "manhattan")

# Neighbouring pixels differ where their brightness differs by more than this.
TOLERANCE = 0.05
# White is at least this share of the length of the longest vector: a loop of 200 iterations that
# some threads leave one iteration earlier stays within the tolerance.
FLOOR = 0.1

_EXACT = float(1 << 53)
_EXACT_SINGLE = 1 << 24  # whole numbers up to it are exact in single precision
_MIN_PARALLEL_SIZE = 1 << 20  # elements of the vectors from which threads are worth their start
_WORKERS = 4  # threads


@dataclass(frozen=True, slots=True)
class Picture:
    """The matrix of k distinct vectors: their distances, and the distance of a white pixel."""

    vectors: Vectors
    distances: Floats
    white: float

    @property
    def brightness(self) -> Floats:
        """The k x k pixels, 0..1."""
        return self.distances / self.white if self.white else self.distances


def picture(vectors: Vectors, metric: str) -> Picture:
    """Return the matrix of the distinct vectors by a metric of `METRICS`.

    Raises `TooManyThreads` where there are more than `MAX_THREADS` distinct vectors.
    """
    if len(vectors.distinct) > MAX_THREADS:
        raise TooManyThreads(vectors.threads.size)
    found = distances(vectors.distinct, metric, counts=vectors.counts)
    if metric == "euclidean":
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors.distinct, vectors.distinct))
    else:
        lengths = vectors.distinct.sum(axis=1)
    white = max(found.max(initial=0), FLOOR * lengths.max(initial=0))
    return Picture(vectors, found, float(white))


def fluctuation(matrix: Picture) -> float | None:
    """Return the share of horizontally neighbouring pixels that differ by more than the tolerance.

    The picture has a row and a column for each thread, in order; None for a single thread. Equal
    neighbours are skipped, and rows of equal threads are compared once.
    """
    kinds, pixels = matrix.vectors.kinds, matrix.brightness
    if kinds.size < 2:
        return None
    size = len(pixels)
    left, right = kinds[:-1], kinds[1:]
    borders = (np.minimum(left, right) * size + np.maximum(left, right))[left != right]
    border, times = np.unique(borders, return_counts=True)
    rows = np.bincount(kinds, minlength=size).astype(np.float64)
    changes = 0.0
    step = max(1, (1 << 16) // size)
    for at in range(0, border.size, step):
        a, b = np.divmod(border[at : at + step], size)
        changed = np.abs(pixels[a] - pixels[b]) > TOLERANCE
        changes += float(times[at : at + step] @ (changed @ rows))
    return changes / (kinds.size * (kinds.size - 1))


def distances(vectors: Floats, metric: str, *, counts: bool) -> Floats:
    """Return the k x k distances between k vectors.

    Euclidean distances come from the Gram matrix, which is exact for whole numbers as long as it
    stays below 2^53; otherwise pairs that lie so close together that their difference cancels are
    subtracted element by element. Manhattan distances between whole numbers come from
    |a - b| = a + b - 2 min(a, b).

    Args:
        vectors: k x m, not negative.
        metric: euclidean or manhattan.
        counts: all elements are whole numbers.

    Raises `ValueError` for another metric.
    """
    if metric not in METRICS:
        raise ArgumentError(f"unknown metric {metric!r}; choose {' or '.join(METRICS)}")
    varied = (vectors != vectors[:1]).any(axis=0)
    columns = vectors if varied.all() else vectors[:, varied]
    compute = _euclidean if metric == "euclidean" else _manhattan
    return compute(columns, counts=counts)


def _euclidean(vectors: Floats, *, counts: bool) -> Floats:
    norms = np.einsum("ij,ij->i", vectors, vectors)
    # Single precision is twice as fast, and exact where products and sums stay below 2^24.
    single = counts and 2 * norms.max(initial=0) < _EXACT_SINGLE
    factors = vectors.astype(np.float32) if single else vectors
    # For a product with its own transpose BLAS does half the work, but copies a triangle slowly.
    other = factors.T if vectors.shape[1] > len(vectors) else factors.T.copy()
    squares = (factors @ other).astype(np.float64)
    squares *= -2
    squares += norms[:, None]
    squares += norms[None, :]
    if not counts or 2 * norms.max(initial=0) >= _EXACT:
        # Other pairs keep ten digits.
        close = squares < 1e-5 * (norms[:, None] + norms[None, :])
        for a in range(len(vectors)):
            others = np.flatnonzero(close[a, a + 1 :]) + a + 1
            if others.size:
                gaps = vectors[others] - vectors[a]
                squares[a, others] = squares[others, a] = (gaps**2).sum(axis=1)
        np.fill_diagonal(squares, 0)
    root: Floats = np.sqrt(squares, out=squares)
    return root


def _manhattan(vectors: Floats, *, counts: bool) -> Floats:
    sums: Floats = vectors.sum(axis=1)
    width = min(512, _EXACT_SINGLE // max(1, int(vectors.max(initial=0))))
    if not counts or width < 64 or 2 * sums.max(initial=0) >= _EXACT:
        from scipy.spatial.distance import pdist, squareform

        direct: Floats = squareform(pdist(vectors, "cityblock"))
        return direct
    parts = [slice(at, at + width) for at in range(0, vectors.shape[1], width)]
    workers = (
        min(len(parts), os.cpu_count() or 1, _WORKERS) if vectors.size > _MIN_PARALLEL_SIZE else 1
    )
    minima = np.zeros((len(vectors), len(vectors)))
    with ThreadPoolExecutor(workers) as pool:
        for part in pool.map(
            _sum_minima, repeat(vectors), [parts[k::workers] for k in range(workers)]
        ):
            minima += part
    found: Floats = sums[:, None] + sums[None, :] - 2 * (minima + minima.T)
    np.fill_diagonal(found, 0)
    return found


def _sum_minima(vectors: Floats, parts: list[slice]) -> Floats:
    """Return the sums of min(a, b) over parts of the columns, above the diagonal.

    In single precision, which is twice as fast; the parts are narrow enough for exact sums.
    """
    found = np.zeros((len(vectors), len(vectors)))
    for part in parts:
        columns = np.ascontiguousarray(vectors[:, part], np.float32)
        buffer = np.empty_like(columns)
        for a in range(len(columns) - 1):
            minima = np.minimum(columns[a + 1 :], columns[a], out=buffer[a + 1 :])
            found[a, a + 1 :] += np.einsum("ij->i", minima)
    return found
