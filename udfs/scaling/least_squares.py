"""Non-negative least squares over all small sets of terms, for many functions at once.

For fixed exponents the fit is linear (variable projection: Golub and Pereyra, SIAM J. Numer.
Anal. 10, 1973), and of at most three terms it has a closed form. A solution with a negative
coefficient is skipped: the best one without that term is among the other sets (Lawson and
Hanson, Solving Least Squares Problems, 1974, chapter 23). Errors are relative, weights 1/y.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from udfs.arrays import Flags, Floats
from udfs.scaling.bases import Index
from udfs.scaling.moments import Moments, Spans

_SINGULAR = 1e-10  # squared sine below which terms are alike
_SINGULAR_PAIR = np.float32(1e-5)
"""Terms whose squared sine is below this cannot be distinguished."""
_BLOCK = 256  # functions at once, which stay in the cache


@dataclass(frozen=True, slots=True)
class Fit:
    """The best terms of a number of them, for each of n functions.

    `terms` are places among the terms of the basis, `coefficients` their factors, both
    n x terms; `feasible` is False where no exponents have all coefficients above zero.
    """

    name: str
    terms: Index
    coefficients: Floats
    feasible: Flags


def best_pair(moments: Moments, spans: Spans, cross: Floats) -> Fit:
    """Fit the best pair of a term of one span and one of the other; `cross` is their products."""
    size = np.sqrt(moments.square)
    best = _search(size, moments.right, spans, cross, None)
    return _solve("pn", moments.square, moments.right, spans, cross, best)


def best_pair_with_constant(moments: Moments, spans: Spans, cross: Floats) -> Fit:
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
    size: Floats, right: Floats, spans: Spans, cross: Floats, constant_of: Moments | None
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


def _solve(
    name: str, square: Floats, right: Floats, spans: Spans, cross: Floats, best: Index
) -> Fit:
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
