"""The noise of a single run, estimated from other runs: of its history, or of such metrics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from udfs.arrays import Flags, Floats, Integers
from udfs.changes.levels import find_levels
from udfs.changes.modes import LEAST_SHARE, find_modes
from udfs.changes.noise import OUTLIER_DIFFERENCE, estimate_noise, noise_scale
from udfs.changes.outliers import clip_outliers
from udfs.changes.segments import MIN_POINTS
from udfs.comparison.samples import Samples
from udfs.comparison.spread import common_variance

MIN_HISTORY = 6  # values from which outliers are told from noise
_MIN_FREEDOM = 4.0  # degrees of freedom that show what is usual
_HEAVY_TAILS = 4.0  # degrees of freedom at most: noise of single runs is no Gaussian
_QUARTER = (
    2.2219  # a quarter of all pairs of Gaussian values are nearer than 1 over this deviations
)
_PAIRED = 30  # points, about, that pairs are made of: 435 pairs show their scale to a tenth
_RETURNING = 2  # jumps up to which levels are steps (`udfs.changes.modes.keep_returning`)


class Outliers(NamedTuple):
    """Metrics with equally many values, in order of time: places `at`, and (series, points) each.

    `apart` is how far off outliers are, 0 of other values and of those up to the end, and `inner`
    are the values with these clipped, but where two levels `alternate`, in one unit; `scale` is the
    standard deviation of the noise within a level, and `settled` the points before those up to the
    end, (series, 1) each, as `alternate`.
    """

    at: Integers
    apart: Floats
    inner: Floats
    scale: Floats
    alternate: Flags
    settled: Integers


def outliers(side: Samples, least: Floats) -> list[Outliers]:
    """Return the outliers of metrics that have `MIN_HISTORY` values or more.

    What is off up to the end may be a new level. More than one that are an eighth of the values or
    more are no outliers but another level (`udfs.changes.modes`).

    Args:
        side: m metrics, values in order of time; any unit.
        least: (metrics), the least standard deviation of a value.
    """
    counts = side.counts
    found = []
    for points in np.unique(counts[counts >= MIN_HISTORY]):
        at = np.flatnonzero(counts == points)
        values = side.part(at).values.reshape(len(at), points)
        scale = np.maximum(_scale_within_levels(values), least[at, None])
        inner, apart = clip_outliers(values, scale)
        often = (apart != 0).sum(axis=1, keepdims=True) > max(1, LEAST_SHARE * points)
        alternate = often | _alternate(values, scale)
        at_end = np.cumprod(apart[:, ::-1] != 0, axis=1)[:, ::-1] > 0
        apart[at_end] = 0
        inner = np.where(alternate | at_end, values, inner)
        settled = points - at_end.sum(axis=1, keepdims=True)
        found.append(Outliers(at, apart, inner, scale, alternate, settled))
    return found


def _scale_within_levels(values: Floats) -> Floats:
    """Return the standard deviation of the noise of each series within its levels, (series, 1).

    That of neighbours, which a drift hardly changes, or that of any pairs, of which the nearest
    quarter is of one level where two alternate, whichever is less (Q of Rousseeuw and Croux,
    Alternatives to the median absolute deviation, 1993).

    Args:
        values: (series, points), at least four points.
    """
    some = values[:, :: 1 + (values.shape[1] - 1) // _PAIRED]
    one, other = np.triu_indices(some.shape[1], 1)
    apart = np.abs(some[:, one] - some[:, other])
    out: Floats = np.minimum(
        noise_scale(values), _QUARTER * np.quantile(apart, 0.25, axis=1, keepdims=True)
    )
    return out


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
    for at, _, inner, scale, alternate, _ in found:
        # Neighbours of one mode are alike: their differences do not show how far apart both are.
        noise = estimate_noise(inner, _levels(inner, scale), scale).variance
        variance[at] = np.where(alternate, inner.var(axis=1, keepdims=True), noise)[:, 0]
    freedom = np.where(np.isfinite(variance), (history.counts - 1) / 2, np.nan)
    return History(variance, freedom, found)


def _alternate(values: Floats, scale: Floats) -> Flags:
    """Return whether two levels alternate in series, as in `find_levels`, (series, 1).

    Args:
        values: (series, points).
        scale: (series, 1), standard deviation of the noise within a level.
    """
    centred = values - np.median(values, axis=1, keepdims=True)
    alternate = find_modes(centred).alternate
    if values.shape[1] >= MIN_POINTS:
        jumps = _levels(centred, scale)[:, -1]
        rows = np.flatnonzero((jumps > _RETURNING) & ~alternate)
        if len(rows):
            alternate[rows] = find_levels(centred[rows]).modes.alternate
    return alternate[:, None]


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
