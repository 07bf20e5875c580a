"""Distances between the points of clusters, for many clusterings in one pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from udfs.clustering.points import MULTIPLICATIONS, Floats, Points

_BLOCK = 256  # points of a block, which stays in the cache
_MAX_COLUMNS = 512  # clusters multiplied at a time


def dispersions(points: Points, labels: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return W of each clustering: half the sum of its clusters' mean distances per point.

    W = 1/2 sum over clusters of (sum of the distances of all pairs, each once) / size, as in R's
    clusGap (d.power = 1). Distances are computed in blocks of rows, and each block is summed for
    all clusters of all clusterings by a product with their indicators.

    Args:
        points: n points.
        labels: K x n cluster numbers, each row numbered from 0 without gaps.

    Returns:
        K numbers, in units of the points' scale.
    """
    clusters = labels.max(axis=1).astype(np.int64) + 1
    # Few enough clusterings at a time that the indicators stay small.
    passes = np.flatnonzero(np.diff(np.cumsum(clusters) // _MAX_COLUMNS)) + 1
    blocks = _Blocks.of(points)
    return np.concatenate([_one_pass(blocks, part) for part in np.split(labels, passes)])


def _one_pass(blocks: _Blocks, labels: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return W of some of the clusterings."""
    n = labels.shape[1]
    clusters = labels.max(axis=1).astype(np.int64) + 1
    own = labels + (np.cumsum(clusters) - clusters)[:, None]
    members = np.zeros((n, int(clusters.sum())), blocks.left.dtype)
    members[np.arange(n), own] = 1
    sizes = members.sum(axis=0)
    found = np.zeros(len(labels))
    for at in range(0, n, _BLOCK):
        # The distances above the diagonal count for those below it, too.
        sums = 2 * _cluster_sums(blocks, members, at, range(at + _BLOCK, n, _BLOCK))
        sums += _cluster_sums(blocks, members, at, range(at, at + 1))
        mine = own[:, at : at + _BLOCK]
        to_own = sums[np.arange(mine.shape[1]), mine]
        found += (to_own / (4 * sizes[mine])).sum(axis=1)
    return found


@dataclass(frozen=True, slots=True)
class _Blocks:
    """Operands from which blocks of distances are computed.

    One product of a row of `left` and one of `right` is a squared distance: |a|^2 + |b|^2 - 2ab.
    Rows of zeros fill `left` up to whole blocks. A block is a stack of products of `height` rows
    in one call, each small enough for MULTIPLICATIONS.
    """

    left: Floats
    right: Floats
    buffer: Floats

    @classmethod
    def of(cls, points: Points) -> _Blocks:
        n, d = points.x.shape
        one, norms = np.ones((n, 1), points.x.dtype), points.norms[:, None]
        left = np.zeros((n + -n % _BLOCK, d + 2), points.x.dtype)
        left[:n] = np.hstack([-2 * points.x, norms, one])
        right = np.hstack([points.x, one, norms]).T
        return cls(left, np.ascontiguousarray(right), np.empty(_BLOCK * _BLOCK, left.dtype))

    def distances(self, at: int, other: int) -> Floats:
        """Return the distances of a block of rows to another; valid until the next call."""
        height = _stack_height(len(self.right) * _BLOCK)
        columns = self.right[:, other : other + _BLOCK]
        width = columns.shape[1]
        stack = self.left[at : at + _BLOCK].reshape(-1, height, len(self.right))
        flat = self.buffer[: _BLOCK * width]
        np.matmul(stack, columns, out=flat.reshape(-1, height, width))
        block: Floats = flat.reshape(_BLOCK, width)
        if at == other:
            np.fill_diagonal(block, 0)
        # Rounding may leave a small negative number; abs is faster than a maximum with 0.
        np.sqrt(np.abs(flat, out=flat), out=flat)
        return block


def _cluster_sums(blocks: _Blocks, members: Floats, at: int, others: range) -> Floats:
    """Return the sums of distances of a block of rows to each cluster's members in other blocks."""
    clusters = members.shape[1]
    height = _stack_height(_BLOCK * clusters)
    sums = np.zeros((_BLOCK // height, height, clusters), members.dtype)
    part = np.empty_like(sums)
    for other in others:
        distances = blocks.distances(at, other).reshape(_BLOCK // height, height, -1)
        sums += np.matmul(distances, members[other : other + _BLOCK], out=part)
    return sums.reshape(_BLOCK, clusters)


def _stack_height(each: int) -> int:
    """Return the rows, a power of two, of a product with `each` multiplications a row."""
    return min(_BLOCK, 1 << max(0, (MULTIPLICATIONS // each).bit_length() - 1))
