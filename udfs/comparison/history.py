"""The noise of a single run, estimated from other runs: of its history, or of such metrics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from udfs.arrays import Floats
from udfs.changes.noise import estimate_noise
from udfs.changes.sides import Outliers, jump_levels, outliers
from udfs.comparison.spread import common_variance
from udfs.samples import Samples

_MIN_FREEDOM = 4.0  # degrees of freedom that show what is usual
_HEAVY_TAILS = 4.0  # degrees of freedom at most: noise of single runs is no Gaussian


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
        noise = estimate_noise(inner, jump_levels(inner, scale), scale).variance
        variance[at] = np.where(alternate, inner.var(axis=1, keepdims=True), noise)[:, 0]
    freedom = np.where(np.isfinite(variance), (history.counts - 1) / 2, np.nan)
    return History(variance, freedom, found)


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
