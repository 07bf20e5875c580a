"""Laws that break at a count: one before it, and another, or the same at another level, after it.

A threshold in the network, hyper-threads, the border of a node, another algorithm in the MPI
library. The evidence of both parts multiplies (product partition models: Barry and Hartigan, Annals
of Statistics 20, 1992), so that a break is weighed with all smooth laws.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from udfs.scaling.bases import Array, Basis
from udfs.scaling.evidence import Noise
from udfs.scaling.mixture import Mixture, grid_laws, normaliser

ENOUGH: Final = 3
"""Counts after a break from which on their law predicts."""
_BEFORE: Final = 3
"""Counts before it that carry a law."""
_ODDS: Final = -1.3
"""Prior probability of a break."""
_KEPT: Final = 16
"""Laws after a break that are kept: few counts leave many open (bench_scaling_laws)."""
_PLAIN: Final = Basis(log=False, growth_log=False, short=True)


def broken_laws(basis: Basis, places: Array, m: int, y: Array, noise: Array) -> list[Mixture]:
    """Return the laws that break before each count; none where fewer than four were measured.

    Args:
        basis: terms of the kind of function.
        places: all counts at which times are wanted, the m measured ones first.
        m: how many of them were measured.
        y: times of n functions over their last one, n x m.
        noise: relative noise of a point (n), 0 where unknown.
    """
    found = []
    odds = _ODDS - np.log(max(m - _BEFORE, 1))
    for j in range(_BEFORE, m):
        before = _part(_PLAIN, places, slice(0, j), m, y, noise)
        after = _goes_on(before, j, m, y, noise)
        parts = [after]
        if j < m - 1:
            parts.append(_part(basis, places, slice(j, m), m, y, noise))
        else:
            parts += _last_two(places, before, m, y)
        alike = odds - np.log(len(parts))
        later = (places >= places[j])[:, None, None]
        for part in parts:
            found.append(
                replace(
                    part,
                    odds=part.odds + before.evidence + alike,
                    values=np.where(later, part.values, before.values),
                    errors=np.where(later, part.errors, before.errors),
                    left=part.left + before.left,
                    after=np.full(part.odds.shape, m - j),
                )
            )
    return found


def _part(basis: Basis, places: Array, part: slice, m: int, y: Array, noise: Array) -> Mixture:
    """Return laws of a part of the counts, at all places; of the plainest the best alone."""
    own = np.arange(m)[part]
    rest = np.setdiff1d(np.arange(len(places)), own)
    order = np.concatenate([own, rest])
    last = np.log(y[:, own[-1]])
    known = Noise.known(noise, len(own))
    kept = 1 if basis.short else _KEPT
    laws = grid_laws(basis, places[order], len(own), y[:, own] / y[:, own[-1:]], known, kept)
    back = np.argsort(order)
    # the terms at the last of all counts
    own_last, largest = places[own[-1]], places[m - 1]
    grown = (largest / own_last) ** laws.exponents
    grown *= (np.log2(largest) / np.log2(own_last)) ** laws.logs
    return replace(
        laws,
        values=laws.values[back] + last,
        errors=laws.errors[back],
        factors=laws.factors * grown * np.exp(last),
    )


def _goes_on(before: Mixture, j: int, m: int, y: Array, noise: Array) -> Mixture:
    """Return the law of before at another level."""
    q = m - j
    known = Noise.known(noise, q)
    off = np.log(y[:, j:]).T - before.values[j:m, 0]
    level = off.mean(0)
    left = ((off - level) ** 2).sum(0)[None]
    odds = _of_level(left, q, known)
    sigma = known.deviation(left, np.full((1, 1), 0.5))
    values = before.values + level
    shape = np.hypot(before.errors, sigma / np.sqrt(q))
    factors = before.factors * np.exp(level)
    return replace(
        before, odds=odds, values=values, errors=shape, sigma=sigma, left=left, factors=factors
    )


def _of_level(left: Array, q: int, known: Noise) -> Array:
    """Return the evidence of a law whose level alone is fitted to q counts."""
    if q == 1:
        return np.zeros(left.shape)
    evidence: Array = known.evidence(left, np.full((1, 1), 0.5)).astype(float)
    evidence += normaliser(known, q) - 0.5 * np.log(q)
    return evidence


def _last_two(places: Array, before: Mixture, m: int, y: Array) -> list[Mixture]:
    """Return a constant from the last count on, and the power law through the last two."""
    slope = np.log(y[:, -1] / y[:, -2]) / np.log(places[m - 1] / places[m - 2])
    away = np.log(places / places[m - 1])[:, None, None]
    alone = np.zeros(before.odds.shape)
    none = np.zeros((3, *alone.shape))
    laws = []
    for exponent in (alone, alone + slope):
        laws.append(
            replace(
                before,
                odds=alone,
                values=exponent * away,
                errors=before.sigma + 0 * away,
                left=alone,
                factors=np.stack([alone + 1.0, alone, alone]),
                exponents=np.stack([exponent, alone, alone]),
                logs=none,
                half=alone,
            )
        )
    return laws
