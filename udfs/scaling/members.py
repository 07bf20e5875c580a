"""The models of an ensemble, each as its prediction relative to the last count."""

from __future__ import annotations

import numpy as np

from udfs.arrays import Floats

POWERS = {"p2": 2, "p3": 3, "p": 0}
"""Power laws through the last two, the last three and all counts."""
LINES = ("line 1/x", "line log", "line x")
"""Straight lines in 1/x, log2(x) and x, that may rise or fall."""
_MIN_VALUE = 1e-12
"""Smallest value relative to the last count: log2(x) alone is 0 at one process."""


def members(x: Floats, y: Floats, at: Floats) -> tuple[list[str], Floats]:
    """Return the logarithm of each member's value at other counts over its value at the last one.

    Every member is scaled through the last measured point. Members are straight lines: one-term
    hypotheses of the performance model normal form (Calotoiu et al., SC 2013), which have no
    exponent to fit and so can be fitted to two counts; a constant (c), even distribution of work
    (i: 1/x), and power laws. Laws of more terms are `laws`.

    Args:
        x: counts of n functions, ascending, n x m, two at least.
        y: their times, n x m, above zero.
        at: counts to predict, n x t.

    Returns:
        The names of the members, and members x n x t.
    """
    distance = np.log(at / x[:, -1:])
    powers = {
        name: slope(x[:, -last:], y[:, -last:])[:, None] * distance
        for name, last in POWERS.items()
        if last <= x.shape[1] and (last or x.shape[1] > 3)
    }
    lines = np.log(np.maximum(_lines(x, y, at), _MIN_VALUE))
    plain = np.stack([0 * distance, -distance, *powers.values()])
    return [*LINES, "c", "i", *powers], np.concatenate([lines, plain])


def _lines(x: Floats, y: Floats, at: Floats) -> Floats:
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
    values: Floats = (level + slope * (shapes[1] - middle)) / np.where(last > 0, last, np.inf)
    return values


def slope(x: Floats, y: Floats) -> Floats:
    """Return the exponents of power laws through n x m times, by least squares of logarithms."""
    centred = np.log(x) - np.log(x).mean(1, keepdims=True)
    exponents: Floats = (np.log(y) * centred).sum(1) / (centred * centred).sum(1)
    return exponents
