"""The models that an ensemble is made of, as what each foretells relative to the last count."""

from __future__ import annotations

import numpy as np

from udfs.scaling.bases import Array, Basis, share_of_log
from udfs.scaling.least_squares import Fit, families
from udfs.scaling.moments import PowerMoments

POWERS = {"p2": 2, "p3": 3, "p": 0}
"""Power laws through the last two, the last three and all counts."""
_WIDEST = 3
"""Terms of the largest family."""
_LEAST = 1e-12
"""Smallest value relative to the last count: log2(x) alone is 0 at one process."""


def fitted(basis: Basis, x: Array, y: Array) -> list[Fit]:
    """Fit all families to n x m times, as multiples of each function's last time."""
    return families(PowerMoments(basis, x, y / y[:, -1:]), x.shape[1], basis.log)


def members(
    fits: list[Fit], basis: Basis, x: Array, y: Array, at: Array
) -> tuple[list[str], Array]:
    """Give the logarithm of each member's value at other counts over its value at the last one.

    So every member is scaled through the last measured point. Members are the families of terms
    (see `least_squares.families`), power laws, and even sharing (i: 1/x).

    Args:
        fits: what `fitted` gives.
        basis: terms of the kind of function.
        x: counts of n functions, ascending, n x m, two at least.
        y: their times, n x m, above zero.
        at: counts to foretell, n x t.

    Returns:
        The names of the members, and members x n x t; NaN where a family does not fit.
    """
    distance = np.log(at / x[:, -1:])
    powers = {
        name: slope(x[:, -last:], y[:, -last:])[:, None] * distance
        for name, last in POWERS.items()
        if last <= x.shape[1] and (last or x.shape[1] > 3)
    }
    logs = np.log(np.maximum(relative_values(fits, basis, at, x[:, -1]), _LEAST))
    names = [*(fit.name for fit in fits), "i", *powers]
    return names, np.concatenate([logs, np.stack([-distance, *powers.values()])])


def slope(x: Array, y: Array) -> Array:
    """Give the exponents of the power laws through n x m times, by least squares of logarithms."""
    centred = np.log(x) - np.log(x).mean(1, keepdims=True)
    exponents: Array = (np.log(y) * centred).sum(1) / (centred * centred).sum(1)
    return exponents


def relative_values(fits: list[Fit], basis: Basis, at: Array, last: Array) -> Array:
    """Give the values of all fits over those at the last count, where all terms are 1.

    Args:
        fits: families fitted to n functions.
        basis: terms that they are of.
        at: n x t counts.
        last: the last count of each function.

    Returns:
        Fits x n x t; NaN where a family does not fit.
    """
    terms = np.zeros((_WIDEST, len(fits), len(last)), np.intp)
    factors = np.zeros((_WIDEST, len(fits), len(last)))
    for place, fit in enumerate(fits):
        share = fit.coefficients / np.where(fit.feasible, fit.coefficients.sum(1), np.nan)[:, None]
        terms[: share.shape[1], place], factors[: share.shape[1], place] = fit.terms.T, share.T
    values = np.exp((basis.tenths[terms] / 10)[..., None] * np.log(at / last[:, None]))
    if basis.log:
        with_log = (basis.logs[terms] > 0)[..., None]
        values *= np.where(with_log, share_of_log(at, last), 1.0)
    total: Array = (factors[..., None] * values).sum(0)
    return total
