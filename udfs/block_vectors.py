"""Basic-block vectors of threads: sparse elements as dense vectors, equal vectors once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from udfs.arguments import ArgumentError
from udfs.arrays import Floats, Integers

# Above these limits a matrix, or the vectors themselves, would take more than 0.5 GB.
MAX_THREADS = 8192
_MAX_CELLS = 1 << 26  # threads x basic blocks of a matrix, which limits memory

# Elements processed at a time.
_PART = 1 << 16


class TooManyThreads(ArgumentError):
    """Too many threads, or too many blocks visited by them, for one matrix."""

    def __init__(self, threads: int, blocks: int | None = None) -> None:
        visiting = "" if blocks is None else f" that visit {blocks} basic blocks"
        super().__init__(
            f"{threads} threads{visiting} are too many for one matrix (limits: {MAX_THREADS} "
            f"threads, {_MAX_CELLS} threads x basic blocks); select one thread block"
        )


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of n threads, k of them distinct.

    `threads` (n) are ascending; `kinds` (n) is the index of each thread's vector in `distinct`
    (k x m, over the m blocks that any thread visited); `first` (k) is the index in `threads` of the
    first thread with that vector. `counts` is True where all weights are whole numbers.
    """

    threads: Integers
    kinds: Integers
    first: Integers
    distinct: Floats
    counts: bool


def collapse(
    threads: Integers, blocks: Integers, weights: Floats | Integers, *, as_shares: bool = False
) -> Vectors:
    """Return the vectors of sparse elements, equal vectors once.

    Args:
        threads: n, the thread of each element, in any order; equal elements add up.
        blocks: n, the block of each element.
        weights: n, visits or instructions of each element, whole and not negative.
        as_shares: divide each vector by its sum, unless that is 0.

    Raises `TooManyThreads` where threads x blocks exceed 2^26.
    """
    rows, columns = _Ranks.of(threads), _Ranks.of(blocks)
    shape = (rows.values.size, columns.values.size)
    if shape[0] * shape[1] > _MAX_CELLS:
        raise TooManyThreads(*shape)
    cells = np.zeros(shape[0] * shape[1])
    for part in _parts(weights):
        place = rows.places(threads[part]) * shape[1] + columns.places(blocks[part])
        low, high = int(place.min()), int(place.max())
        if high - low < 16 * _PART:
            cells[low : high + 1] += np.bincount(place - low, weights[part])
        else:
            np.add.at(cells, place, weights[part])
    dense = cells.reshape(shape)
    # Vectors are compared before the division: equal counts are equal shares to the last bit.
    first, kinds = _equal_rows(dense)
    distinct = dense[first] if first.size < shape[0] else dense
    if as_shares:
        sums = distinct.sum(axis=1, keepdims=True)
        distinct = distinct / np.where(sums > 0, sums, 1)
    return Vectors(rows.values, kinds, first, distinct, counts=not as_shares)


def _parts(values: Floats | Integers) -> Iterator[slice]:
    """Yield slices of a long column: allocating temporaries of its full length costs more time."""
    return (slice(at, at + _PART) for at in range(0, values.size, _PART))


@dataclass(frozen=True, slots=True)
class _Ranks:
    """The distinct values of a column, ascending, and the rank of each number from `low`."""

    values: Integers
    low: int
    table: Integers | None

    @classmethod
    def of(cls, column: Integers) -> _Ranks:
        """Return the ranks of a column."""
        low = int(column.min(initial=0))
        span = int(column.max(initial=0)) - low + 1
        if span > 8 * column.size + 4096:
            return cls(np.unique(column), low, None)
        found = np.zeros(span, np.bool_)
        for part in _parts(column):
            found[column[part] - low] = True
        return cls(np.flatnonzero(found) + low, low, np.cumsum(found) - 1)

    def places(self, part: Integers) -> Integers:
        """Return the ranks of some values of the column."""
        if self.table is None:
            return np.searchsorted(self.values, part)
        return self.table[part - self.low]


def _equal_rows(dense: Floats) -> tuple[Integers, Integers]:
    """Return the first row of each kind, in order of appearance, and the kind of every row."""
    factors = np.random.default_rng(1).integers(1, 1 << 62, dense.shape[1]) | 1
    hashes = np.zeros(len(dense), np.int64)
    step = max(1, (1 << 18) // max(1, dense.shape[1]))
    for at in range(0, len(dense), step):
        hashes[at : at + step] = dense[at : at + step].astype(np.int64) @ factors
    _, first, kinds = np.unique(hashes, return_index=True, return_inverse=True)
    repeated = np.flatnonzero(first[kinds] != np.arange(len(dense)))
    if not (dense[repeated] == dense[first[kinds[repeated]]]).all():
        # Distinct rows with equal hashes: rare, but possible.
        _, first, kinds = np.unique(dense, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    return first[order], place[kinds.ravel()]
