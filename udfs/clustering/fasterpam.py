"""FasterPAM: k medoids of a few points whose distances are all known."""

from __future__ import annotations

import numpy as np

from udfs.clustering.points import MULTIPLICATIONS, Doubles, Ints

# Candidates are looked at in blocks: small ones, as an exchange makes the rest of a block void, and
# larger ones while there is none, as long as their distances stay in the cache.
_FIRST_BLOCK = 8
_GROWTH = 4
_DISTANCES = 2**14
_ROUNDING = 1e-12  # of the loss; sums of some thousand distances are more exact than that


def fasterpam(distances: Doubles, start: Ints) -> Ints:
    """Return k medoids whose loss no exchange of one of them for another point lowers.

    The loss is the sum of the distances of all points to the nearest medoid. Schubert and Rousseeuw
    2021, "Fast and eager k-medoids clustering", Information Systems 101, 101804: all distances to
    one candidate show what its exchange for each of the medoids would make of the loss, as only
    points of the medoid that goes need their second nearest one. The first candidate that lowers
    the loss is taken at once, for the medoid where it lowers it most, and the search is over when
    all points were candidates in vain. Equal starts end in equal medoids.

    Args:
        distances: n x n finite numbers, symmetric, 0 along the diagonal.
        start: k different row numbers.

    Returns:
        k row numbers; a medoid is in the place of the one that it was exchanged for.
    """
    n, k = len(distances), len(start)
    longest = max(1, min(_DISTANCES // n, MULTIPLICATIONS // (n * k)))
    medoids = start.copy()
    to_medoids = distances[medoids]
    units = np.eye(k)
    nearest, second, members = _assign(to_medoids, units)
    loss = nearest.sum()
    at = in_vain = 0
    block = _FIRST_BLOCK
    while in_vain < n:
        candidates = distances[at : at + min(block, longest, n - in_vain)]
        # The loss with the candidate beside all medoids, and what it grows by without each of them.
        added = np.minimum(candidates, nearest)
        removed = np.minimum(candidates, second)
        removed -= added
        losses = removed @ members
        losses += added.sum(axis=1, keepdims=True)
        better = losses < loss * (1 - _ROUNDING)
        first = int(better.argmax()) // k
        leaving = int(losses[first].argmin())
        if better[first, leaving]:
            medoids[leaving] = at + first
            to_medoids[leaving] = candidates[first]
            nearest, second, members = _assign(to_medoids, units)
            loss = losses[first, leaving]
            at, in_vain, block = at + first + 1, 1, _FIRST_BLOCK
        else:
            at, in_vain, block = at + len(candidates), in_vain + len(candidates), block * _GROWTH
        at %= n
    return medoids


def _assign(to_medoids: Doubles, units: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """Return the distances of n points to their nearest and second nearest medoid, and members.

    Members are n x k: each point has the unit vector of its nearest medoid. Beside a single medoid
    the second nearest is infinitely far.
    """
    points = np.arange(to_medoids.shape[1])
    own = to_medoids.argmin(axis=0)
    others = to_medoids.copy()
    others[own, points] = np.inf
    return to_medoids[own, points], others.min(axis=0), units.take(own, axis=0)
