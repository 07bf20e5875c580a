"""Changes of level against a drift: a series that rises steadily has no change of level."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from udfs.changes.noise import without_outliers
from udfs.changes.segments import Splits, segment_series

Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]


def changes(values: Floats, log_alpha: float) -> list[Splits]:
    """Return the changes of level of each series, in the presence of outliers and drifts.

    Where a straight line fits a series better than its levels do, by Schwarz's criterion
    (Estimating the dimension of a model, Annals of Statistics 6, 1978), changes are searched in the
    residuals of that line. A line and a single step count as equally many parameters.

    Args:
        values: (series, points), finite, at least `segments.MIN_POINTS` points.
        log_alpha: log of the accepted probability of a false alarm in a series without a change.

    Returns:
        for each series: index of the first point after a change -> log of its p-value.
    """
    middle = np.median(values, axis=1, keepdims=True)
    reach = np.abs(values - middle).max(axis=1, keepdims=True)
    # Squares of very large or small values would overflow or underflow.
    clean = without_outliers((values - middle) / np.where(reach > 0, reach, 1))
    out, inflation = segment_series(clean, log_alpha)
    found = np.array([row for row, splits in enumerate(out) if splits], np.int64)
    lines = _lines(clean[found])
    drifts = _drifts(clean[found], lines, [out[row] for row in found], inflation[found])
    rows, lines = found[drifts], lines[drifts]
    if len(rows):
        straight, _ = segment_series(clean[rows] - lines, log_alpha)
        for row, splits in zip(rows, straight, strict=True):
            out[row] = splits
    return out


def _lines(values: Floats) -> Floats:
    """Return the least-squares line of each series, (series, points)."""
    time = np.arange(values.shape[1]) - (values.shape[1] - 1) / 2
    slope = np.einsum("ij,j->i", values, time) / (time @ time)
    out: Floats = values.mean(axis=1, keepdims=True) + slope[:, None] * time
    return out


def _drifts(values: Floats, lines: Floats, splits: list[Splits], inflation: Floats) -> Marks:
    """Return whether a line fits a series better than its levels; (series,)."""
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
