"""The noise of a single run, estimated from other runs: of its history, or of such metrics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from udfs.arrays import Flags, Floats, Integers
from udfs.changes.levels import find_levels
from udfs.changes.modes import find_modes, scale_of_modes
from udfs.changes.noise import OUTLIER_DIFFERENCE, estimate_noise
from udfs.changes.outliers import deviations_of_outliers, without_outliers
from udfs.changes.segments import MIN_POINTS
from udfs.comparison.samples import Samples
from udfs.comparison.spread import common_variance

MIN_HISTORY = 6  # values from which outliers are told from noise
_MIN_FREEDOM = 4.0  # degrees of freedom that show what is usual
_HEAVY_TAILS = 4.0  # degrees of freedom at most: noise of single runs is no Gaussian
_RETURNING = 2  # jumps up to which levels are steps (`udfs.changes.modes.keep_returning`)


class Outliers(NamedTuple):
    """Metrics with equally many values, in order of time: places `at`, and (series, points) each.

    `apart` is how far off outliers are, 0 of other values, and `inner` are the values with these
    clipped, in one unit; `scale` is the standard deviation of the noise, and `alternate` whether
    two levels do, (series, 1).
    """

    at: Integers
    apart: Floats
    inner: Floats
    scale: Floats
    alternate: Flags


def outliers(side: Samples, least: Floats) -> list[Outliers]:
    """Return the outliers of metrics that have `MIN_HISTORY` values or more.

    What is off up to the end may be a new level.

    Args:
        side: m metrics, values in order of time; any unit.
        least: (metrics), the least standard deviation of a value.
    """
    counts = side.counts
    found = []
    for points in np.unique(counts[counts >= MIN_HISTORY]):
        at = np.flatnonzero(counts == points)
        values = side.part(at).values.reshape(len(at), points)
        scale, alternate = scale_of_history(values)
        scale = np.maximum(scale, least[at, None])
        apart, inner = deviations_of_outliers(values, scale), without_outliers(values, scale)
        apart[np.cumprod(apart[:, ::-1] != 0, axis=1)[:, ::-1] > 0] = 0
        found.append(Outliers(at, apart, inner, scale, alternate))
    return found


class History(NamedTuple):
    """What other runs show: variance of the noise and its degrees of freedom, (metrics); outliers.

    NaN where a series is too short.
    """

    variance: Floats
    freedom: Floats
    outliers: list[Outliers]


def read_history(history: Samples) -> History:
    """Return what the other runs of a metric show.

    Neither changes of level count as noise, unless two levels alternate, nor outliers
    (`udfs.comparison.spikes`).

    Args:
        history: m metrics of one family, from other runs in order of time; series with fewer than
            `MIN_HISTORY` values show nothing.
    """
    variance = np.full(history.metrics, np.nan)
    found = outliers(history, np.zeros(history.metrics))
    for at, _, inner, scale, alternate in found:
        # Neighbours of one mode are alike: their differences do not show how far apart both are.
        noise = estimate_noise(inner, _levels(inner, scale), scale).variance
        variance[at] = np.where(alternate, scale**2, noise)[:, 0]
    freedom = np.where(np.isfinite(variance), (history.counts - 1) / 2, np.nan)
    return History(variance, freedom, found)


def scale_of_history(values: Floats) -> tuple[Floats, Flags]:
    """Return the standard deviation of the noise of series, and whether two levels alternate.

    Of these it is that of both together, as in `find_levels`.

    Args:
        values: (series, points).

    Returns:
        (series, 1) each.
    """
    centred = values - np.median(values, axis=1, keepdims=True)
    modes = find_modes(centred)
    scale = scale_of_modes(centred, modes)
    if values.shape[1] >= MIN_POINTS:
        jumps = _levels(centred, scale)[:, -1]
        rows = np.flatnonzero(jumps > _RETURNING)
        turns = rows[find_levels(centred[rows]).modes.alternate] if len(rows) else rows
        modes.alternate[turns] = True
    return scale_of_modes(centred, modes), modes.alternate[:, None]


def _levels(values: Floats, scale: Floats) -> Integers:
    """Return the number of the level of each point, (series, points); a jump begins another.

    A history may be too short to find changes in it (`udfs.changes`): what matters here is only
    which differences are none of the noise. Outliers are clipped already, levels last.

    Args:
        values: (series, points), without outliers.
        scale: (series, 1), standard deviation of the noise.
    """
    jumps = np.abs(np.diff(values, axis=1)) > OUTLIER_DIFFERENCE * np.sqrt(2) * scale
    return np.pad(np.cumsum(jumps, axis=1), ((0, 0), (1, 0)))


def usual_variance(variances: Floats, freedoms: Floats) -> tuple[float, float] | None:
    """Return what the variance of a single value usually is for such metrics, and how surely.

    The variances of other groups of equal runs are draws of a scaled inverse chi-squared
    distribution (Smyth 2004); a value of another such metric is then distributed as Student's t
    with its degrees of freedom. Where they are too few to estimate how they differ, they are
    pooled, with at most four degrees of freedom.

    Args:
        variances: of each group of equal runs, (groups).
        freedoms: the degrees of freedom of these, (groups).

    Returns:
        Variance and degrees of freedom; None where the groups have fewer than four of them in all,
        or none of them varies.
    """
    total = float(freedoms.sum())
    pooled = float(variances @ freedoms) / max(total, 1.0)
    if total < _MIN_FREEDOM or not pooled > 0:
        return None
    common, weight = common_variance(variances, freedoms, np.zeros(len(variances)))
    if weight > 0:
        return common, min(weight, total)
    return pooled, min(total, _HEAVY_TAILS)
