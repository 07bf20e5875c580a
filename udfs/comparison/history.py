"""The noise of a single run, estimated from other runs: of its history, or of such metrics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from udfs.changes.modes import find_modes, scale_of_modes
from udfs.changes.noise import OUTLIER_DIFFERENCE, estimate_noise
from udfs.changes.outliers import OUTLIERS_AT_END, without_outliers
from udfs.comparison.samples import Floats, Integers, Samples
from udfs.comparison.spread import common_variance

MIN_HISTORY = 6
_MIN_FREEDOM = 4.0  # degrees of freedom that show what is usual
_NOTABLE = 0.1  # variance by outliers over that of the noise from which tails are heavy
_HEAVY_TAILS = 4.0


@dataclass(frozen=True, slots=True)
class Past:
    """What the history of each metric shows, (metrics) each; NaN where it is too short.

    `variance` is that of its noise, with `freedom` degrees of freedom; of a single run, which may
    be an outlier, they are `variance_of_one` and `freedom_of_one`.
    """

    variance: Floats
    freedom: Floats
    variance_of_one: Floats
    freedom_of_one: Floats


def history_variances(history: Samples) -> Past:
    """Return the variance of the values of each series, and its degrees of freedom.

    Changes of level do not count as noise, unless two levels alternate. Of a single run outliers
    do: their mean contribution in the family is added to each variance; where it is notable, the
    degrees of freedom are at most four, the tails of Student's t that suit data with outliers
    (Lange, Little and Taylor, Robust statistical modeling using the t distribution, 1989).

    Args:
        history: m metrics of one family, from other runs in order of time; series with fewer than
            `MIN_HISTORY` values show nothing.
    """
    variance = np.full(history.metrics, np.nan)
    outlying = np.full(history.metrics, np.nan)
    counts = history.counts
    for points in np.unique(counts[counts >= MIN_HISTORY]):
        at = np.flatnonzero(counts == points)
        values = history.part(at).values.reshape(len(at), points)
        scale = scale_of_history(values)
        inner = without_outliers(values, scale)
        noise = estimate_noise(inner, _levels(inner, scale), scale).variance[:, 0]
        variance[at] = noise
        # At an end they may as well be another level.
        beyond = ((values - inner) ** 2)[:, OUTLIERS_AT_END:-OUTLIERS_AT_END].mean(axis=1)
        outlying[at] = beyond / np.where(noise > 0, noise, np.inf)
    known = np.isfinite(outlying)
    added = float(outlying[known].mean()) if known.any() else 0.0
    freedom = np.where(known, (counts - 1) / 2, np.nan)
    most = _HEAVY_TAILS if added > _NOTABLE else np.inf
    return Past(variance, freedom, variance * (1 + added), np.minimum(freedom, most))


def scale_of_history(values: Floats) -> Floats:
    """Return the standard deviation of the noise of series, (series, points), as (series, 1)."""
    return scale_of_modes(values, find_modes(values - np.median(values, axis=1, keepdims=True)))


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
