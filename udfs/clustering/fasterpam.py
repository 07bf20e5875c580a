"""FasterPAM: k medoids of a few points whose distances are all known."""

from __future__ import annotations

from typing import Any

import numpy as np

from udfs.clustering.points import Doubles, Ints

# Candidates are looked at in blocks: small ones, as an exchange makes the rest of a block void, and
# larger ones while there is none, as long as their distances stay in the cache.
_FIRST_BLOCK = 8
_GROWTH = 4  # factor of the block where no swap was found
_DISTANCES = 2**14  # of a block, which stay in the cache
# Up to so many points times medoids, doing it for all takes less time than finding which need it.
_FEW = 2**13
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
    longest = max(1, _DISTANCES // n)
    medoids = start.copy()
    to_medoids = distances[medoids]
    own, nearest, second = _assign(to_medoids)
    units = np.eye(k)
    loss = nearest.sum()
    at = in_vain = 0
    block = _FIRST_BLOCK
    while in_vain < n:
        candidates = distances[at : at + min(block, longest, n - in_vain)]
        # The loss with the candidate beside all medoids, and what it grows by without each of them.
        added = np.minimum(candidates, nearest)
        removed = np.minimum(candidates, second)
        removed -= added
        losses = _sums(removed, own, units)
        losses += added.sum(axis=1, keepdims=True)
        better = losses < loss * (1 - _ROUNDING)
        first = int(better.argmax()) // k
        leaving = int(losses[first].argmin())
        if better[first, leaving]:
            changed: Any = slice(None)
            if to_medoids.size > _FEW:
                either = np.minimum(to_medoids[leaving], candidates[first])
                changed = np.flatnonzero(either <= second)
            medoids[leaving] = at + first
            to_medoids[leaving] = candidates[first]
            own[changed], nearest[changed], second[changed] = _assign(to_medoids[:, changed])
            loss = losses[first, leaving]
            at, in_vain, block = at + first + 1, 1, _FIRST_BLOCK
        else:
            at, in_vain, block = at + len(candidates), in_vain + len(candidates), block * _GROWTH
        at %= n
    return medoids


def _assign(to_medoids: Doubles) -> tuple[Ints, Doubles, Doubles]:
    """Return each point's nearest medoid, the distance to it, and that to the second nearest.

    The second nearest of one medoid is infinitely far.
    """
    points = np.arange(to_medoids.shape[1])
    own = to_medoids.argmin(axis=0)
    others = to_medoids.copy()
    others[own, points] = np.inf
    return own, to_medoids[own, points], others.min(axis=0)


def _sums(amounts: Doubles, own: Ints, units: Doubles) -> Doubles:
    """Return the sum of each row of amounts over the points of each medoid."""
    if len(own) * len(units) <= _FEW:
        return amounts @ units.take(own, axis=0)
    slots = own + len(units) * np.arange(len(amounts))[:, None]
    sums: Any = np.bincount(slots.ravel(), amounts.ravel(), len(amounts) * len(units))
    rows: Doubles = sums.reshape(len(amounts), len(units))
    return rows
