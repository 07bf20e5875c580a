"""Outliers of a side of runs, told from a second level that values alternate with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from udfs.arrays import Flags, Floats, Integers
from udfs.changes.levels import find_levels
from udfs.changes.modes import LEAST_SHARE, find_modes
from udfs.changes.noise import OUTLIER_DIFFERENCE, noise_scale
from udfs.changes.outliers import OUTLIER, clip_outliers
from udfs.changes.segments import MIN_POINTS
from udfs.samples import Samples

MIN_HISTORY = 6  # values from which outliers are told from noise
_QUARTER = 2.2219  # a quarter of pairs of Gaussian values are within 1 / 2.2219 deviations
_PAIRED = 30  # points, about, that pairs are made of: 435 pairs show their scale to a tenth
_RETURNING = 2  # jumps up to which levels are steps (`udfs.changes.modes.keep_returning`)
_DIFFER = 1.96  # standard errors by which two shares differ for certain


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
    within = _QUARTER * np.quantile(apart, 0.25, axis=1, keepdims=True)
    # Pairs of rounded values that are equal do not show how far apart others of the level are.
    out: Floats = np.minimum(noise_scale(values), np.where(within > 0, within, np.inf))
    return out


def _alternate(values: Floats, scale: Floats) -> Flags:
    """Return whether two levels alternate in series, as in `find_levels`, (series, 1).

    Args:
        values: (series, points).
        scale: (series, 1), standard deviation of the noise within a level.
    """
    centred = values - np.median(values, axis=1, keepdims=True)
    alternate = find_modes(centred).alternate
    if values.shape[1] >= MIN_POINTS:
        jumps = jump_levels(centred, scale)[:, -1]
        rows = np.flatnonzero((jumps > _RETURNING) & ~alternate)
        if len(rows):
            alternate[rows] = find_levels(centred[rows]).modes.alternate
    return alternate[:, None]


def jump_levels(values: Floats, scale: Floats) -> Integers:
    """Return the number of the level of each point, (series, points); a jump begins another.

    A history may be too short to find changes in it (`udfs.changes`): what matters here is only
    which differences are none of the noise. Outliers are clipped already, levels last.

    Args:
        values: (series, points), without outliers.
        scale: (series, 1), standard deviation of the noise.
    """
    jumps = np.abs(np.diff(values, axis=1)) > OUTLIER_DIFFERENCE * np.sqrt(2) * scale
    return np.pad(np.cumsum(jumps, axis=1), ((0, 0), (1, 0)))


def without_spikes(
    sides: Sequence[Samples], least: Floats
) -> tuple[list[Samples], list[list[Outliers]], Flags]:
    """Return both sides with their outliers clipped, these, and which sides have two levels.

    An outlier tells how often runs of the series are spikes, and little of the scatter of others:
    in a variance it would hide any change that is smaller than itself. Clipped to three deviations
    of the others it has a bounded influence on mean and variance (Huber, Robust statistics, 1981,
    on Winsorized variances). That holds as long as they are rare, and both sides may have equally
    many values there: where the shares differ for certain, by the arcsine of their roots (Anscombe,
    The transformation of Poisson, binomial and negative-binomial data, 1948), they are another
    level. Then nothing is clipped on either side: a few values can all be of the one or the other.

    Args:
        sides: before and after, values in order of time; those with fewer than `MIN_HISTORY` values
            have no outliers.
        least: (2, metrics), the least variance of a value on each side.

    Returns:
        Both sides; outliers of each; whether two levels alternate on a side, (2, metrics).
    """
    found = [outliers(side, np.sqrt(some)) for side, some in zip(sides, least, strict=True)]
    counts = np.stack([side.counts for side in sides])
    error = np.sqrt((1 / (counts + 1 / 2)).sum(axis=0))
    alternate = np.zeros(least.shape, np.bool_)
    for i, (side, groups) in enumerate(zip(sides, found, strict=True)):
        # of outliers above and below, where they begin and end
        low, high = np.full((2, 2, side.metrics), [[[np.inf]], [[-np.inf]]])
        for at, apart, inner, scale, turns, _ in groups:
            alternate[i, at] = turns[:, 0]
            middle, reach = np.median(inner, axis=1), OUTLIER * scale[:, 0]
            for which, off in enumerate((apart > 0, apart < 0)):
                low[which, at] = middle - reach + np.where(off, apart, np.inf).min(axis=1)
                high[which, at] = middle + reach + np.where(off, apart, -np.inf).max(axis=1)
        near = [(low[:, s.owner] <= s.values) & (s.values <= high[:, s.owner]) for s in sides]
        every = zip(sides, near, strict=True)
        number = np.stack([s.sums(np.where(one.any(axis=0), 1.0, 0.0)) for s, one in every])
        angles = 2 * np.arcsin(np.sqrt((number + 3 / 8) / (counts + 3 / 4)))
        alternate[i] |= np.abs(angles[1] - angles[0]) > _DIFFER * error
    clipped = []
    for side, groups in zip(sides, found, strict=True):
        values = side.values.copy()
        for at, _, inner, *_ in groups:
            rare = ~alternate[:, at].any(axis=0)
            values[np.isin(side.owner, at[rare])] = inner[rare].ravel()
        clipped.append(Samples(values, side.owner, side.metrics))
    return clipped, found, alternate
