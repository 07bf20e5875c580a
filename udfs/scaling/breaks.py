"""Laws that break at a count: one before it, and another, or the same at another level, after it.

A threshold in the network, hyper-threads, the border of a node, another algorithm in the MPI
library. The evidence of both parts multiplies (product partition models: Barry and Hartigan, Annals
of Statistics 20, 1992), so that a break is weighed with all smooth laws.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from udfs.arrays import Floats
from udfs.scaling.bases import Basis
from udfs.scaling.evidence import Noise
from udfs.scaling.mixture import Mixture, grid_laws

ENOUGH: Final = 3
"""Counts after a break from which on their law predicts."""
_BEFORE: Final = 3
"""Counts before it that carry a law."""
_ODDS: Final = -1.3
"""Prior probability of a break."""
_KEPT: Final = 16
"""Laws after a break that are kept: few counts leave many open (bench_scaling_laws)."""
_PLAIN: Final = Basis(log=False, growth_log=False, short=True)


def broken_laws(
    basis: Basis, x: Floats, at: Floats, y: Floats, noise: Floats
) -> tuple[list[Mixture], dict[int, Floats]]:
    """Return the laws that break before each count; none where fewer than four were measured.

    Args:
        basis: terms of the kind of function.
        x: the measured counts, ascending (m).
        at: the counts at which times are wanted (t).
        y: times of n functions over their last one, n x m.
        noise: relative noise of a point (n), 0 where unknown.

    Returns:
        The laws; and for each number of counts after a break the logarithms of times at the counts
        before it, by the law of those.
    """
    found, early, m = [], dict[int, Floats](), len(x)
    odds = _ODDS - np.log(max(m - _BEFORE, 1))
    for j in range(_BEFORE, m):
        known = Noise.known(noise, m - j)
        before = _part(_PLAIN, x[:j], np.append(x[j:], at), y[:, :j], Noise.known(noise, j), x[-1])
        early[m - j] = before.curves(np.zeros(len(y), np.intp), x[:j], x[-1])
        off, before = (
            before.values[: m - j, 0],
            replace(before, values=before.values[m - j :], errors=before.errors[m - j :]),
        )
        parts = [_goes_on(before, np.log(y[:, j:]).T - off, known)]
        if j < m - 1:
            parts.append(_part(basis, x[j:], at, y[:, j:], known, x[-1]))
        else:
            parts += _last_two(x, at, before, y)
        alike = odds - np.log(len(parts))
        later = (at >= x[j])[:, None, None]
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
    return found, early


def _part(basis: Basis, x: Floats, at: Floats, y: Floats, noise: Noise, largest: float) -> Mixture:
    """Return laws of a part of the counts, of the plainest the best alone."""
    kept = 1 if basis.short else _KEPT
    laws = grid_laws(basis, x, at, y / y[:, -1:], noise, kept)
    last = np.log(y[:, -1])
    # the terms at the last of all counts
    grown = (largest / x[-1]) ** laws.exponents
    grown *= (np.log2(largest) / np.log2(x[-1])) ** laws.logs
    return replace(laws, values=laws.values + last, factors=laws.factors * grown * np.exp(last))


def _goes_on(before: Mixture, off: Floats, known: Noise) -> Mixture:
    """Return the law of before at another level: times are off it by logarithms, q x n."""
    q, level = len(off), off.mean(0)
    left = ((off - level) ** 2).sum(0)[None]
    odds = _of_level(left, q, known)
    sigma = known.deviation(left, np.full((1, 1), 0.5))
    values = before.values + level
    shape = np.hypot(before.errors, sigma / np.sqrt(q))
    factors = before.factors * np.exp(level)
    return replace(
        before, odds=odds, values=values, errors=shape, sigma=sigma, left=left, factors=factors
    )


def _of_level(left: Floats, q: int, known: Noise) -> Floats:
    """Return the evidence of a law whose level alone is fitted to q counts."""
    if q == 1:
        return np.zeros(left.shape)
    evidence: Floats = known.evidence(left, np.full((1, 1), 0.5)).astype(float)
    evidence += known.normaliser - 0.5 * np.log(q)
    return evidence


def _last_two(x: Floats, at: Floats, before: Mixture, y: Floats) -> list[Mixture]:
    """Return a constant from the last count on, and the power law through the last two."""
    slope = np.log(y[:, -1] / y[:, -2]) / np.log(x[-1] / x[-2])
    away = np.log(at / x[-1])[:, None, None]
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
