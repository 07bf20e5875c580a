"""Models of two parameters: parallelism p and problem size n.

The performance model normal form (Calotoiu et al., SC 2013): a constant and up to two products of
a term in p and a term in n. All pairs of products are searched, by the same non-negative least
squares as for one parameter; how many terms there are is decided by generalised cross-validation
(Golub, Heath and Wahba, Technometrics 21, 1979).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from udfs.arrays import Floats
from udfs.scaling.bases import Index
from udfs.scaling.least_squares import Fit, best_pair, best_pair_with_constant
from udfs.scaling.moments import Moments

MIN_POINTS = 5  # of both parameters together, that a surface needs
_TERM_COST = 0.001
"""The least improvement of the error by a further term."""
_P_POWERS = (0.0, -1.0, -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1.0)  # of the parallelism
_N_POWERS = (0.0, 1 / 3, 0.5, 2 / 3, 1.0, 1.5, 2.0, 3.0)  # of the problem size
P_TERMS = (*((power, 0) for power in _P_POWERS), (0.0, 1))
"""Exponent of p and of log2(p) of each term in p."""
N_TERMS = (*((power, 0) for power in _N_POWERS), (0.0, 1), (1.0, 1))
"""Exponent of n and of log2(n) of each term in n."""


@dataclass(frozen=True, slots=True)
class Surface:
    """The model of n functions; `error` is the cross-validated relative error (root mean square).

    `terms` are places among the products, -1 where there are fewer terms; `factors` are for
    terms that are 1 at the largest p and n.
    """

    largest: tuple[float, float]
    terms: Index
    factors: Floats
    error: Floats

    def at(self, p: Floats, n: Floats) -> Floats:
        """Return the seconds at points (p, n): functions x points."""
        values = products(p, n, self.largest)
        known = np.where(self.terms < 0, 0.0, self.factors)
        seconds: Floats = np.einsum("fk,fkc->fc", known, values.T[self.terms])
        return seconds


def products(p: Floats, n: Floats, largest: tuple[float, float]) -> Floats:
    """Return all products of a term in p and one in n, each 1 at the largest: points x products."""
    of_p = _terms(p, largest[0], P_TERMS)
    of_n = _terms(n, largest[1], N_TERMS)
    return (of_p[:, :, None] * of_n[:, None, :]).reshape(len(p), -1)


def fit_surface(p: Floats, n: Floats, y: Floats) -> Surface:
    """Fit functions that were measured at the same points.

    Args:
        p: parallelism of the points.
        n: problem size of the points.
        y: times of the functions at the points (functions x points), s, above zero.
    """
    largest = (float(p.max()), float(n.max()))
    columns = products(p, n, largest)
    level = y.max(1)
    moments = Moments(columns, y / level[:, None])
    everything = slice(0, columns.shape[1])
    cross = moments.cross((everything, everything))
    fits = [
        _lone(moments),
        best_pair(moments, (everything, everything), cross),
        best_pair_with_constant(moments, (everything, everything), cross),
    ]
    errors = np.stack([_cross_validate(fit, columns, y / level[:, None]) for fit in fits])
    chosen = np.argmin(errors + _TERM_COST * np.arange(len(fits))[:, None], axis=0)
    terms = np.full((len(y), 3), -1, np.intp)
    factors = np.zeros((len(y), 3))
    for place, fit in enumerate(fits):
        rows = chosen == place
        width = fit.terms.shape[1]
        terms[rows, :width], factors[rows, :width] = fit.terms[rows], fit.coefficients[rows]
    error = errors[chosen, np.arange(len(y))]
    return Surface(largest, terms, factors * level[:, None], error)


def _terms(x: Floats, last: float, exponents: tuple[tuple[float, int], ...]) -> Floats:
    """Return terms of one parameter, 1 at `last`: points x terms."""
    log = np.log2(np.maximum(x, 1.0)) / max(np.log2(last), 1e-9)
    return np.stack([(x / last) ** power * log**logs for power, logs in exponents], axis=1)


def _lone(moments: Moments) -> Fit:
    values = moments.right / moments.square
    best = np.argmax(values * moments.right, axis=1)[:, None]
    value = np.take_along_axis(values, best, 1)
    return Fit("p", best, value, np.ones(len(value), bool))


def _values(fit: Fit, columns: Floats) -> Floats:
    values: Floats = np.einsum("fk,fkc->fc", fit.coefficients, columns.T[fit.terms])
    return values


def _cross_validate(fit: Fit, columns: Floats, y: Floats) -> Floats:
    """Return the relative error by generalised cross-validation, with two parameters a term."""
    points = y.shape[1]
    spent = 2 * (fit.terms.shape[1] - ("c" in fit.name)) + ("c" in fit.name)
    left = ((_values(fit, columns) / y - 1) ** 2).mean(1)
    if spent >= points:
        return np.full(len(y), np.inf)
    return np.where(fit.feasible, np.sqrt(left) / (1 - spent / points), np.inf)
