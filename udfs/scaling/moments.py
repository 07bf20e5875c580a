"""Weighted products of terms with each other and with the times, from which fits are computed."""

from __future__ import annotations

import numpy as np

from udfs.scaling.bases import Array, Basis, relative_log

Spans = tuple[slice, slice]
_LOWEST, _HIGHEST = -24, 20
"""Range of the exponent of a product of two terms, in tenths."""


class Moments:
    """Products of k terms for n functions, weighted by 1/y^2: errors are relative.

    `square`, `first` and `right` (n x k) are each term's product with itself, with the constant
    (term 0) and with the times; `own` and `rest` are those with the constant eliminated from term
    and times, `mean` the share of the constant in a term, `level` (n) the constant alone.
    """

    def __init__(self, square: Array, first: Array, right: Array) -> None:
        self.square, self.first, self.right = square, first, right
        self.mean = first / first[:, :1]
        self.own = square - self.mean * first
        self.rest = right - self.mean * right[:, :1]
        self.level = right[:, 0] / first[:, 0]


class ColumnMoments(Moments):
    """Moments of terms given by their values, the same for all functions."""

    def __init__(self, columns: Array, y: Array) -> None:
        """Compute moments of terms at m points (m x k, the first constant) and times (n x m)."""
        self._columns, self._weight = columns, 1.0 / y**2
        super().__init__(
            self._weight @ (columns * columns), self._weight @ columns, (1.0 / y) @ columns
        )

    def cross(self, spans: Spans) -> Array:
        """Return the products of each term of one span with each of the other: a x b x n.

        Functions come last, because the long axis has to be the innermost to be fast.
        """
        pairs = self._columns.T[spans[0], None] * self._columns.T[None, spans[1]]
        products: Array = pairs @ self._weight.T
        return products


class PowerMoments(Moments):
    """Moments of the powers and logarithms of a basis, at counts that differ between functions.

    The product of a term with itself or the constant is a power, too, so some dozen sums of powers
    yield all products.
    """

    def __init__(self, basis: Basis, x: Array, y: Array) -> None:
        """Compute the moments for counts and times of n functions (n x m each)."""
        tenths, logs = basis.tenths, basis.logs
        step = (x / x[:, -1:]).T ** 0.1
        log = relative_log(x, x[:, -1]).T if basis.log else np.ones_like(step)
        weight = 1.0 / y.T
        powers, most = _powers(step), int(logs.max())
        lowest, highest = tenths.min(), tenths.max()
        right = _sums(powers[lowest - _LOWEST : highest - _LOWEST + 1], log, weight, most)
        sums = _sums(powers, log, weight * weight, 2 * most)
        super().__init__(
            sums[2 * logs, 2 * tenths - _LOWEST].T,
            sums[logs, tenths - _LOWEST].T,
            right[logs, tenths - lowest].T,
        )


def _powers(step: Array) -> Array:
    """Return the powers of m x n numbers from `_LOWEST` to `_HIGHEST`: powers x m x n."""
    powers = np.empty((_HIGHEST - _LOWEST + 1, *step.shape))
    powers[-_LOWEST] = 1.0
    for exponent in range(-_LOWEST + 1, len(powers)):
        np.multiply(powers[exponent - 1], step, out=powers[exponent])
    inverse = 1.0 / step
    for exponent in range(-_LOWEST - 1, -1, -1):
        np.multiply(powers[exponent + 1], inverse, out=powers[exponent])
    return powers


def _sums(powers: Array, log: Array, weight: Array, most: int) -> Array:
    """Sum weight * power * log^j over the counts: (most + 1) x powers x n.

    Args:
        powers: powers of the counts, k x m x n.
        log: the logarithm relative to the last count, m x n.
        weight: m x n.
        most: the highest j.
    """
    out = np.empty((most + 1, len(powers), powers.shape[2]))
    for order in range(most + 1):
        np.einsum("mn,kmn->kn", weight, powers, out=out[order])
        weight = weight * log
    return out
