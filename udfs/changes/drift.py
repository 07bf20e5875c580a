"""Changes of level against a drift: a series that rises steadily has no change of level."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from udfs.changes.segments import Splits

Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]


_CERTAIN = 15.0  # twice the log-likelihood by which a line is better than one level


def rise(values: Floats, lines: Floats, inflation: Floats | float) -> Marks:
    """Return whether a line fits a series without changes far better than one level; (series,).

    inflation is that of the noise around the line.
    """
    level = np.square(values - values.mean(axis=1, keepdims=True)).sum(axis=1)
    line = np.maximum(np.square(values - lines).sum(axis=1), 1e-300)
    independent = values.shape[1] / inflation
    out: Marks = independent * np.log(np.maximum(level, 1e-300) / line) > _CERTAIN
    return out


def straight_lines(values: Floats) -> Floats:
    """Return the least-squares line of each series, (series, points)."""
    time = np.arange(values.shape[1]) - (values.shape[1] - 1) / 2
    slope = np.einsum("ij,j->i", values, time) / (time @ time)
    out: Floats = values.mean(axis=1, keepdims=True) + slope[:, None] * time
    return out


def are_drifts(values: Floats, lines: Floats, splits: list[Splits], inflation: Floats) -> Marks:
    """Return whether a line fits a series better than its levels, by Schwarz's criterion.

    Schwarz, Estimating the dimension of a model, Annals of Statistics 6, 1978. A line and a single
    step count as equally many parameters.

    Args:
        values: (series, points), without outliers.
        lines: their least-squares lines, (series, points).
        splits: the changes of level of each series.
        inflation: (series,), long-run variance of the noise over its variance.

    Returns:
        (series,).
    """
    count, points = values.shape
    if not count:
        return np.zeros(0, bool)
    levels = np.array([len(places) + 1 for places in splits])
    starts = [i * points + at for i, places in enumerate(splits) for at in (0, *sorted(places))]
    sizes = np.diff([*starts, count * points])
    means = np.add.reduceat(values.ravel(), starts) / sizes
    residual = values - np.repeat(means, sizes).reshape(values.shape)
    from_levels = np.maximum(np.einsum("ij,ij->i", residual, residual), 1e-300)
    residual = values - lines
    from_line = np.einsum("ij,ij->i", residual, residual)
    independent = points / inflation
    out: Marks = independent * np.log(np.maximum(from_line / from_levels, 1e-300)) < (
        2 * levels - 4
    ) * np.log(independent)
    return out
