"""Similarity of threads by their basic-block vectors: distances, pictures, fluctuation rates.

The method is that of a patent on profiling CUDA programs in a modified GPU simulator (Huazhong
University of Science and Technology, 2012): the matrix of distances between the threads of a
thread block, read as a picture. Equal vectors are collapsed first, so that the work follows the
number of different ones.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

METRICS = ("euclidean", "manhattan")

# Neighbouring pixels differ where their brightness does by more than this.
TOLERANCE = 0.05
# The brightest pixel stands for at least this share of the longest vector: a loop of 200 rounds
# that some threads leave one round earlier stays within the tolerance.
FLOOR = 0.1

# Beyond these a matrix, or the vectors themselves, would take more than half a gigabyte.
MOST_THREADS = 8192
_MOST_CELLS = 1 << 26

_PART = 1 << 16
_EXACT = float(1 << 53)
_EXACT_SINGLE = 1 << 24
_WORTH_WORKERS = 1 << 20
_WORKERS = 4


class TooManyThreads(ValueError):
    """Threads are too many, or visit too many blocks, for one matrix."""

    def __init__(self, threads: int, blocks: int | None = None) -> None:
        visiting = "" if blocks is None else f" that visit {blocks} basic blocks"
        super().__init__(
            f"{threads} threads{visiting} are too many for one matrix, which takes {MOST_THREADS} "
            f"at most, and {_MOST_CELLS} of threads x basic blocks: ask for one thread block"
        )


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of n threads, k of them different.

    `threads` (n) ascending; `kinds` (n) says which of the different vectors is a thread's;
    `first` (k) is the first of `threads`, as an index, that has it; `different` (k x m) holds them
    over the m blocks that any thread visited. `counts` says that all weights are whole numbers.
    """

    threads: Integers
    kinds: Integers
    first: Integers
    different: Floats
    counts: bool


@dataclass(frozen=True, slots=True)
class Picture:
    """The matrix of k different vectors: their distances and the distance of a white pixel."""

    vectors: Vectors
    distances: Floats
    white: float

    @property
    def brightness(self) -> Floats:
        """The k x k pixels, 0..1."""
        return self.distances / self.white if self.white else self.distances


def collapse(
    threads: Integers, bbs: Integers, weights: Floats | Integers, *, shares: bool = False
) -> Vectors:
    """Make vectors of sparse elements, equal ones once.

    Args:
        threads: n, the thread of each element; in any order, and elements may come in parts.
        bbs: n, the block of each element.
        weights: n, visits or instructions of each element, whole and not negative.
        shares: divide each vector by its sum, unless that is 0.

    Raises `TooManyThreads` where threads x blocks are more than 2^26.
    """
    who, blocks = _Ranks.of(threads), _Ranks.of(bbs)
    shape = (who.values.size, blocks.values.size)
    if shape[0] * shape[1] > _MOST_CELLS:
        raise TooManyThreads(*shape)
    cells = np.zeros(shape[0] * shape[1])
    for part in _parts(weights):
        place = who.places(threads[part]) * shape[1] + blocks.places(bbs[part])
        first, last = int(place.min()), int(place.max())
        if last - first < 16 * _PART:
            cells[first : last + 1] += np.bincount(place - first, weights[part])
        else:
            np.add.at(cells, place, weights[part])
    dense = cells.reshape(shape)
    # Vectors are compared before they are divided: equal counts are equal shares to the last bit.
    first, kinds = _equal_rows(dense)
    different = dense[first] if first.size < shape[0] else dense
    if shares:
        sums = different.sum(axis=1, keepdims=True)
        different = different / np.where(sums > 0, sums, 1)
    return Vectors(who.values, kinds, first, different, counts=not shares)


def picture(vectors: Vectors, metric: str) -> Picture:
    """Give the matrix of the different vectors by a metric of `METRICS`.

    Raises `TooManyThreads` where more than `MOST_THREADS` vectors differ.
    """
    if len(vectors.different) > MOST_THREADS:
        raise TooManyThreads(vectors.threads.size)
    found = distances(vectors.different, metric, counts=vectors.counts)
    if metric == "euclidean":
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors.different, vectors.different))
    else:
        lengths = vectors.different.sum(axis=1)
    white = max(found.max(initial=0), FLOOR * lengths.max(initial=0))
    return Picture(vectors, found, float(white))


def fluctuation(seen: Picture) -> float | None:
    """Give the share of horizontally neighbouring pixels that differ by more than the tolerance.

    The picture has a row and a column for each thread, in order; None for a single thread. Equal
    neighbours need no look, and rows of equal threads are looked at once.
    """
    kinds, pixels = seen.vectors.kinds, seen.brightness
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
    """Give the k x k distances between k vectors.

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
        raise ValueError(f"the metric is {metric!r}; it can be {' or '.join(METRICS)}")
    varied = (vectors != vectors[:1]).any(axis=0)
    near = vectors if varied.all() else vectors[:, varied]
    compute = _euclidean if metric == "euclidean" else _manhattan
    return compute(near, counts=counts)


def _parts(values: Floats | Integers) -> Iterator[slice]:
    """Cut long columns: memory for what is made of them on the way costs more than the work."""
    return (slice(at, at + _PART) for at in range(0, values.size, _PART))


@dataclass(frozen=True, slots=True)
class _Ranks:
    """The different values of a column, ascending, and for each number from `low` its place."""

    values: Integers
    low: int
    table: Integers | None

    @classmethod
    def of(cls, column: Integers) -> _Ranks:
        low = int(column.min(initial=0))
        span = int(column.max(initial=0)) - low + 1
        if span > 8 * column.size + 4096:
            return cls(np.unique(column), low, None)
        found = np.zeros(span, np.bool_)
        for part in _parts(column):
            found[column[part] - low] = True
        return cls(np.flatnonzero(found) + low, low, np.cumsum(found) - 1)

    def places(self, part: Integers) -> Integers:
        if self.table is None:
            return np.searchsorted(self.values, part)
        return self.table[part - self.low]


def _equal_rows(dense: Floats) -> tuple[Integers, Integers]:
    """Give the first row of each kind, in order of appearance, and the kind of every row."""
    factors = np.random.default_rng(1).integers(1, 1 << 62, dense.shape[1]) | 1
    marks = np.zeros(len(dense), np.int64)
    step = max(1, (1 << 18) // max(1, dense.shape[1]))
    for at in range(0, len(dense), step):
        marks[at : at + step] = dense[at : at + step].astype(np.int64) @ factors
    _, first, kinds = np.unique(marks, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[kinds] != np.arange(len(dense)))
    if not (dense[again] == dense[first[kinds[again]]]).all():
        # Different rows may have one mark, though hardly ever do.
        _, first, kinds = np.unique(dense, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    return first[order], place[kinds.ravel()]


def _euclidean(vectors: Floats, *, counts: bool) -> Floats:
    norms = np.einsum("ij,ij->i", vectors, vectors)
    # Numbers of half the size go twice as fast, where their products and sums are exact.
    single = counts and 2 * norms.max(initial=0) < _EXACT_SINGLE
    factors = vectors.astype(np.float32) if single else vectors
    # A product with its own transpose takes half the work, but then copies one triangle slowly.
    other = factors.T if vectors.shape[1] > len(vectors) else factors.T.copy()
    squares = (factors @ other).astype(np.float64)
    squares *= -2
    squares += norms[:, None]
    squares += norms[None, :]
    if not counts or 2 * norms.max(initial=0) >= _EXACT:
        # Of other pairs ten digits are left.
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
    workers = min(len(parts), os.cpu_count() or 1, _WORKERS) if vectors.size > _WORTH_WORKERS else 1
    shared = np.zeros((len(vectors), len(vectors)))
    with ThreadPoolExecutor(workers) as pool:
        for part in pool.map(_shared, repeat(vectors), [parts[k::workers] for k in range(workers)]):
            shared += part
    found: Floats = sums[:, None] + sums[None, :] - 2 * (shared + shared.T)
    np.fill_diagonal(found, 0)
    return found


def _shared(vectors: Floats, parts: list[slice]) -> Floats:
    """Give the sums of min(a, b) over parts of the columns, above the diagonal.

    Numbers of half the size go twice as fast; the parts are so narrow that their sums are exact.
    """
    found = np.zeros((len(vectors), len(vectors)))
    for part in parts:
        columns = np.ascontiguousarray(vectors[:, part], np.float32)
        room = np.empty_like(columns)
        for a in range(len(columns) - 1):
            minima = np.minimum(columns[a + 1 :], columns[a], out=room[a + 1 :])
            found[a, a + 1 :] += np.einsum("ij->i", minima)
    return found
