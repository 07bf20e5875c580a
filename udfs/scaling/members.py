"""The models of an ensemble, each as its prediction relative to the last count."""

from __future__ import annotations

import numpy as np

from udfs.scaling.bases import Array, Basis, relative_log
from udfs.scaling.least_squares import Fit, families
from udfs.scaling.moments import PowerMoments

POWERS = {"p2": 2, "p3": 3, "p": 0}
"""Power laws through the last two, the last three and all counts."""
LINES = ("line 1/x", "line log", "line x")
"""Straight lines in 1/x, log2(x) and x, that may rise or fall."""
_MIN_VALUE = 1e-12
"""Smallest value relative to the last count: log2(x) alone is 0 at one process."""


def fit_families(basis: Basis, x: Array, y: Array) -> list[Fit]:
    """Fit all families to n x m times, as multiples of each function's last time."""
    return families(PowerMoments(basis, x, y / y[:, -1:]), x.shape[1], basis.log)


def members(
    fits: list[Fit], basis: Basis, x: Array, y: Array, at: Array
) -> tuple[list[str], Array]:
    """Return the logarithm of each member's value at other counts over its value at the last one.

    Every member is scaled through the last measured point. Members are the families of terms
    (see `least_squares.families`), power laws, even distribution of work (i: 1/x) and straight
    lines: one-term hypotheses of the performance model normal form (Calotoiu et al., SC 2013),
    which have no exponent to fit and so can be fitted to two counts.

    Args:
        fits: from `fit_families`.
        basis: terms of the kind of function.
        x: counts of n functions, ascending, n x m, two at least.
        y: their times, n x m, above zero.
        at: counts to predict, n x t.

    Returns:
        The names of the members, and members x n x t; NaN where a family does not fit.
    """
    distance = np.log(at / x[:, -1:])
    powers = {
        name: slope(x[:, -last:], y[:, -last:])[:, None] * distance
        for name, last in POWERS.items()
        if last <= x.shape[1] and (last or x.shape[1] > 3)
    }
    values = np.concatenate([relative_values(fits, basis, at, x[:, -1]), _lines(x, y, at)])
    logs = np.log(np.maximum(values, _MIN_VALUE))
    names = [*(fit.name for fit in fits), *LINES, "i", *powers]
    return names, np.concatenate([logs, np.stack([-distance, *powers.values()])])


def fitted_parameters(name: str) -> int:
    """Return how many parameters of a member are fitted after it is scaled to the last point."""
    if name in POWERS or name in LINES:
        return 1
    return len(name) - 1 + name.count("d") + name.count("g")


def _lines(x: Array, y: Array, at: Array) -> Array:
    """Return lines (see `LINES`) over their values at the last count, 0 where those are negative.

    Least squares lines of relative errors.
    """
    y = y / y[:, -1:]
    weight = 1 / y**2
    weight /= weight.sum(1, keepdims=True)
    shapes = [np.stack([1 / one, np.log2(one), one]) for one in (x, at)]
    middle = np.einsum("nm,snm->sn", weight, shapes[0])[..., None]
    level = np.einsum("nm,nm->n", weight, y)[:, None]
    off = shapes[0] - middle
    weighted = weight * off
    slope = (weighted * y).sum(2, keepdims=True) / (weighted * off).sum(2, keepdims=True)
    last = level + slope * off[..., -1:]
    values: Array = (level + slope * (shapes[1] - middle)) / np.where(last > 0, last, np.inf)
    return values


def slope(x: Array, y: Array) -> Array:
    """Return the exponents of power laws through n x m times, by least squares of logarithms."""
    centred = np.log(x) - np.log(x).mean(1, keepdims=True)
    exponents: Array = (np.log(y) * centred).sum(1) / (centred * centred).sum(1)
    return exponents


def relative_values(fits: list[Fit], basis: Basis, at: Array, last: Array) -> Array:
    """Return the values of all fits over those at the last count, where all terms are 1.

    Args:
        fits: families fitted to n functions.
        basis: terms of the families.
        at: n x t counts.
        last: the last count of each function.

    Returns:
        Fits x n x t; NaN where a family does not fit.
    """
    terms = np.concatenate([fit.terms.T for fit in fits])
    factors = np.concatenate([_shares(fit).T for fit in fits])
    values = np.exp((basis.tenths[terms] / 10)[..., None] * np.log(at / last[:, None]))
    values *= factors[..., None]
    if basis.log:
        with_log = (basis.logs[terms] > 0)[..., None]
        values *= np.where(with_log, relative_log(at, last), 1.0)
    begins = np.cumsum([0, *(fit.terms.shape[1] for fit in fits[:-1])])
    total: Array = np.add.reduceat(values, begins, axis=0)
    return total


def _shares(fit: Fit) -> Array:
    """Return the share of each term at the last count; NaN where the family does not fit."""
    total = np.where(fit.feasible, fit.coefficients.sum(1), np.nan)
    shares: Array = fit.coefficients / total[:, None]
    return shares
