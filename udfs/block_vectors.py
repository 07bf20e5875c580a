"""Basic-block vectors of threads: from sparse elements to dense vectors, equal ones once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Beyond these a matrix, or the vectors themselves, would take more than half a gigabyte.
MOST_THREADS = 8192
_MOST_CELLS = 1 << 26

# Elements that are worked on at a time.
_PART = 1 << 16


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
        low, high = int(place.min()), int(place.max())
        if high - low < 16 * _PART:
            cells[low : high + 1] += np.bincount(place - low, weights[part])
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
