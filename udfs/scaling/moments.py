"""Weighted products of terms with each other and with the times, from which fits are computed."""

from __future__ import annotations

from udfs.arrays import Floats

Spans = tuple[slice, slice]


class Moments:
    """Products of k terms for n functions, weighted by 1/y^2: errors are relative.

    `square`, `first` and `right` (n x k) are each term's product with itself, with the constant
    (term 0) and with the times; `own` and `rest` are those with the constant eliminated from term
    and times, `mean` the share of the constant in a term, `level` (n) the constant alone.
    """

    def __init__(self, columns: Floats, y: Floats) -> None:
        """Compute moments of terms at m points (m x k, the first constant) and times (n x m)."""
        self._columns, self._weight = columns, 1.0 / y**2
        self.square = self._weight @ (columns * columns)
        self.first = self._weight @ columns
        self.right = (1.0 / y) @ columns
        self.mean = self.first / self.first[:, :1]
        self.own = self.square - self.mean * self.first
        self.rest = self.right - self.mean * self.right[:, :1]
        self.level = self.right[:, 0] / self.first[:, 0]

    def cross(self, spans: Spans) -> Floats:
        """Return the products of each term of one span with each of the other: a x b x n.

        Functions come last, because the long axis has to be the innermost to be fast.
        """
        pairs = self._columns.T[spans[0], None] * self._columns.T[None, spans[1]]
        products: Floats = pairs @ self._weight.T
        return products
