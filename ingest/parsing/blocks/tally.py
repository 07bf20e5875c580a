"""Counting by keys, in arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

_PENDING = 1 << 18
_FEW = 1 << 10


def starts_of_runs(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where runs of equal values begin."""
    changes: NDArray[np.bool_] = np.ones(values.size, np.bool_)
    changes[1:] = values[1:] != values[:-1]
    return np.flatnonzero(changes)


def columns(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct small values, ascending, and the place of each value among them."""
    present = np.flatnonzero(np.bincount(values))
    place = np.zeros(int(values.max(initial=-1)) + 1, np.int64)
    place[present] = np.arange(present.size)
    return present, place[values]


def stable_order(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the order that sorts values of 0 and more, equal ones in their order."""
    # numpy has a radix sort for 16 bits, many times as fast as its others.
    short = values.max(initial=0) < 1 << 16
    return np.argsort(values.astype(np.uint16) if short else values, kind="stable")


def _distinct(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Count keys that lie close together, which takes no sorting; others are left as they are."""
    low = int(keys.min())
    if int(keys.max()) - low > 2 * keys.size:
        return keys, None
    counts = np.bincount(keys - low)
    present = np.flatnonzero(counts)
    return present + low, counts[present]


class Tally:
    """Counts by integer key; memory grows with the distinct keys only."""

    def __init__(self) -> None:
        self._keys = [np.zeros(0, np.int64)]
        self._counts = [np.zeros(0, np.int64)]
        self._pending = 0

    def add(self, keys: ArrayLike, counts: ArrayLike | None = None) -> None:
        """Count keys, once each or as often as `counts` has it."""
        keys = np.asarray(keys, np.int64)
        if counts is None and keys.size > _FEW:
            keys, counts = _distinct(keys)
        self._keys.append(keys)
        self._counts.append(
            np.ones(keys.size, np.int64) if counts is None else np.asarray(counts, np.int64)
        )
        self._pending += keys.size
        if self._pending > _PENDING:
            self.total()

    def total(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the distinct keys, ascending, and their counts."""
        if self._pending:
            keys, place = np.unique(np.concatenate(self._keys), return_inverse=True)
            counts = np.zeros(keys.size, np.int64)
            np.add.at(counts, place, np.concatenate(self._counts))
            self._keys, self._counts, self._pending = [keys], [counts], 0
        return self._keys[0], self._counts[0]
