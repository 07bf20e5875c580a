"""Non-negative least squares over all small sets of terms, for many functions at once.

For fixed exponents the fit is linear (variable projection: Golub and Pereyra, SIAM J. Numer.
Anal. 10, 1973), and of at most three terms it has a closed form. A solution with a negative
coefficient is skipped: the best one without that term is among the other sets (Lawson and
Hanson, Solving Least Squares Problems, 1974, chapter 23). Errors are relative, weights 1/y.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from udfs.scaling.bases import CONSTANT, DECAYS, GROWTHS, INVERSE, LOG, Array, Index, Truth
from udfs.scaling.moments import Moments, Spans

_SINGULAR = 1e-10
_SINGULAR_PAIR = np.float32(1e-5)
"""Terms whose squared sine is below this cannot be distinguished."""
_BLOCK = 256


@dataclass(frozen=True, slots=True)
class Fit:
    """The best exponents of one family of terms, for each of n functions.

    `terms` are places among the terms of the basis, `coefficients` their factors, both
    n x terms; `feasible` is False where no exponents have all coefficients above zero.
    """

    name: str
    terms: Index
    coefficients: Array
    feasible: Truth


def families(moments: Moments, points: int, log: bool) -> list[Fit]:
    """Fit every family that has fewer terms than there are counts.

    Families are the constant (c), one decaying (d), growing (g) or logarithmic (l) term, these with
    a constant (cd, cg, cl), and ci, a constant part and one that is distributed evenly (Amdahl
    1967).

    Args:
        moments: products of the terms of a basis (see `bases`).
        points: how many counts they are of.
        log: whether the basis has a logarithmic term.
    """
    sorts = {"d": DECAYS, "g": GROWTHS} | ({"l": LOG} if log else {})
    fits = [_constant(moments)]
    fits += [_single(name, moments, span) for name, span in sorts.items()]
    if points > 2:
        lone = {"c" + name: span for name, span in sorts.items()} | {"ci": INVERSE}
        fits += [_with_constant(name, moments, span) for name, span in lone.items()]
    return fits


def _constant(moments: Moments) -> Fit:
    value = moments.level[:, None]
    return Fit("c", np.full(value.shape, CONSTANT), value, np.ones(len(value), bool))


def _single(name: str, moments: Moments, span: slice) -> Fit:
    right = moments.right[:, span]
    values = right / moments.square[:, span]
    return _best(name, span, values * right, values)


def _with_constant(name: str, moments: Moments, span: slice) -> Fit:
    own, rest = moments.own[:, span], moments.rest[:, span]
    usable = own > _SINGULAR * moments.square[:, span]
    values = rest / np.where(usable, own, 1.0)
    constant = moments.level[:, None] - moments.mean[:, span] * values
    usable &= (values >= 0) & (constant >= 0)
    return _best(name, span, np.where(usable, values * rest, -np.inf), values, constant)


def best_pair(moments: Moments, spans: Spans, cross: Array) -> Fit:
    """Fit the best pair of a term of one span and one of the other; `cross` is their products."""
    size = np.sqrt(moments.square)
    best = _search(size, moments.right, spans, cross, None)
    return _solve("pn", moments.square, moments.right, spans, cross, best)


def best_pair_with_constant(moments: Moments, spans: Spans, cross: Array) -> Fit:
    """Fit the best pair with a constant, by moments with the constant eliminated."""
    one, two = spans
    left = cross - moments.mean.T[one, None] * moments.first.T[None, two]
    # A term that is almost constant at these counts gets an infinite length, so it is never chosen.
    known = moments.own > _SINGULAR * moments.square
    size = np.sqrt(np.where(known, moments.own, np.inf))
    best = _search(size, moments.rest, spans, left, moments)
    fit = _solve("cpn", moments.own, moments.rest, spans, left, best)
    rows = np.arange(len(best))[:, None]
    constant = moments.level - (moments.mean[rows, fit.terms] * fit.coefficients).sum(1)
    return Fit(
        fit.name,
        np.insert(fit.terms, 0, 0, axis=1),
        np.insert(fit.coefficients, 0, constant, axis=1),
        fit.feasible & (constant >= 0),
    )


def _search(
    size: Array, right: Array, spans: Spans, cross: Array, constant_of: Moments | None
) -> Index:
    """Return for each function the non-negative pair with the smallest residual.

    The grid is searched in single precision on terms of length one, some functions at a time so
    that it stays in the cache; the pair found is solved for in double precision afterwards.
    `size` is the terms' length. The result is the place in the flattened grid, -1 where no pair
    fits.
    """
    one, two = spans
    inverse = (1 / size).T
    projection = (right.T * inverse).astype(np.float32)
    inverse = inverse.astype(np.float32)
    best = np.empty(len(right), np.intp)
    for begin in range(0, len(best), _BLOCK):
        some = slice(begin, begin + _BLOCK)
        c = cross[..., some].astype(np.float32)
        c *= inverse[one, None, some]
        c *= inverse[None, two, some]
        u, v = projection[one, None, some], projection[None, two, some]
        first = u - v * c
        second = v - u * c
        determinant = 1 - c * c
        least = np.minimum(first, second)
        if constant_of is not None:
            share = constant_of.mean.T[:, some].astype(np.float32) * inverse[:, some]
            constant = constant_of.level[some].astype(np.float32) * determinant
            constant -= share[one, None] * first
            constant -= share[None, two] * second
            np.minimum(least, constant, out=least)
        first *= u
        second *= v
        first += second
        first /= np.maximum(determinant, _SINGULAR_PAIR)
        np.copyto(first, -1.0, where=(least < 0) | (determinant < _SINGULAR_PAIR))
        gain = first.reshape(-1, first.shape[2])
        found = np.argmax(gain, axis=0)
        found[gain.max(0) < 0] = -1
        best[some] = found
    return best


def _solve(name: str, square: Array, right: Array, spans: Spans, cross: Array, best: Index) -> Fit:
    """Solve for the pair that was found for each function."""
    rows = np.arange(len(best))
    i, j = np.divmod(np.maximum(best, 0), cross.shape[1])
    terms = np.stack([i + spans[0].start, j + spans[1].start], axis=1)
    c = cross[i, j, rows]
    a, b = square[rows[:, None], terms].T
    u, v = right[rows[:, None], terms].T
    determinant = a * b - c * c
    known = (best >= 0) & (determinant > _SINGULAR * a * b)
    factors = np.stack([u * b - v * c, v * a - u * c], axis=1)
    coefficients = factors / np.where(known, determinant, 1.0)[:, None]
    feasible = known & (coefficients >= 0).all(1)
    return Fit(name, terms, coefficients, feasible)


def _best(name: str, span: slice, gain: Array, values: Array, constant: Array | None = None) -> Fit:
    """Return for each function the exponent of a single term with the smallest residual."""
    best = np.argmax(gain, axis=1)
    rows = np.arange(len(gain))
    terms, coefficients = [best + span.start], [values[rows, best]]
    if constant is not None:
        terms.insert(0, np.zeros_like(best))
        coefficients.insert(0, constant[rows, best])
    feasible = np.isfinite(gain[rows, best])
    return Fit(name, np.stack(terms, 1), np.stack(coefficients, 1), feasible)
