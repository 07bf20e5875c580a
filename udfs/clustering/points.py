"""Points in space: nearest medoids and distances to them, in pieces that fit into the cache."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import frexp, ldexp
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from udfs.arguments import ArgumentError

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.int64]
Doubles = NDArray[np.float64]
In = TypeVar("In")
Out = TypeVar("Out")

WORKERS = max(1, min(8, os.cpu_count() or 1))
# OpenBLAS stays in the calling thread up to this many multiplications. Larger products would
# start more threads from each of ours.
MULTIPLICATIONS = 2**18
_MIN_ROWS = 64  # of a piece
_LARGEST_EXPONENT = 1023  # of a double


class InsufficientData(ArgumentError):
    """The points are too few for the question; the message tells users why."""


@dataclass(frozen=True, slots=True)
class Points:
    """Rows of metrics, moved to their mean and scaled by a power of two, which is exact.

    The scale keeps squares within the range of floating point, the shift keeps differences of
    squares precise.
    """

    x: Floats
    norms: Floats
    scale: float

    @classmethod
    def of(cls, rows: Floats) -> Points:
        """Return the points of an n x d matrix of finite numbers, n at least 1."""
        largest = max(float(rows.max(initial=0.0)), -float(rows.min(initial=0.0)))
        scale = ldexp(1.0, min(frexp(largest)[1], _LARGEST_EXPONENT))
        x = rows / scale
        x -= x.mean(axis=0)
        return cls.centred(x, scale)

    @classmethod
    def centred(cls, x: Floats, scale: float) -> Points:
        """Return the points of a matrix that is already centred and scaled."""
        return cls(x, np.einsum("ij,ij->i", x, x), scale)

    def __len__(self) -> int:
        return len(self.x)

    def pieces(self, medoids: int) -> list[slice]:
        """Return the pieces of rows in which distances to that many medoids are computed."""
        length = max(_MIN_ROWS, MULTIPLICATIONS // max(1, medoids * self.x.shape[1]))
        return [slice(at, at + length) for at in range(0, len(self), length)]

    def squared_distances(self, medoids: Ints, rows: slice) -> Floats:
        """Return the squared distances from k medoids to some rows, minus the rows' own norms.

        Medoids run along the first axis, so that a minimum over them runs along whole rows.
        """
        squared: Floats = (-2 * self.x[medoids]) @ self.x[rows].T
        squared += self.norms[medoids][:, None]
        return squared


def map_in_threads(function: Callable[[In], Out], parts: Sequence[In], workers: int) -> list[Out]:
    """Apply a function to all parts, in threads where there are several parts and workers."""
    if min(workers, len(parts)) <= 1:
        return [function(part) for part in parts]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(function, parts))


def cost(points: Points, medoids: Ints, workers: int = 1) -> float:
    """Return the sum of the distances to the nearest medoid, in units of the points' scale."""

    def piece(rows: slice) -> float:
        nearest = points.squared_distances(medoids, rows).min(axis=0)
        nearest += points.norms[rows]
        return float(np.sqrt(np.maximum(nearest, 0, out=nearest), out=nearest).sum())

    return sum(map_in_threads(piece, points.pieces(len(medoids)), workers))


def assign(points: Points, medoids: Ints, workers: int = 1) -> tuple[NDArray[np.int32], float]:
    """Return the number of each row's nearest medoid, the first of equals, and the exact cost.

    A medoid is its own nearest one. The cost uses distances from differences, so that copies of a
    medoid cost nothing.
    """
    labels = np.empty(len(points), np.int32)

    def piece(rows: slice) -> float:
        squared = points.squared_distances(medoids, rows)
        labels[rows] = squared.argmin(axis=0)
        apart = points.x[rows] - points.x[medoids[labels[rows]]]
        return float(np.sqrt(np.einsum("ij,ij->i", apart, apart)).sum())

    total = sum(map_in_threads(piece, points.pieces(len(medoids)), workers))
    labels[medoids] = np.arange(len(medoids))
    return labels, total


def distinct(rows: Floats, count: int) -> Ints:
    """Return the numbers of the first distinct rows, at most `count` of them."""
    head = rows[: 16 * count]
    found = _distinct(head, count)
    return found if len(found) == count or len(head) == len(rows) else _distinct(rows, count)


def _distinct(rows: Floats, count: int) -> Ints:
    found = [0]
    new = np.any(rows != rows[0], axis=1)
    while len(found) < count and new.any():
        found.append(int(new.argmax()))
        new &= np.any(rows != rows[found[-1]], axis=1)
    return np.array(found)
