"""Scatter of repetitions: autocorrelation of the noise, and variances moderated by their family.

Few repetitions are a poor estimate of the noise of one metric; the metrics of one family, measured
in the same way in the same runs, are a better one together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, polygamma

from udfs.arrays import Flags, Floats, Integers
from udfs.samples import Samples

_PRIOR_RHO = 0.3  # standard deviation of the prior of rho, around 0
_RHO_ERROR = 1.5  # variance of rho times points
_SEEN = 1.3  # rho over what differences in units of the sides' own scatter show of it
_RAISED = 0.5  # standard errors by which rho is raised
_MAX_RHO = 0.9  # autocorrelation; above it few runs say nothing
_ORDERED = 0.7  # share of rho by which values count as fewer where all lie on one side of others
_MIN_VARIANCES = 6  # that the prior of a family is estimated from
_SMALLEST = 1e-300  # variance, against division by 0
_MOST_TIMES = 1e3  # that a variance is larger than what is estimated of it: it is known


@dataclass(frozen=True, slots=True)
class Spread:
    """Variance of a value of each metric, that of the mean over it, degrees of freedom; (metrics).

    `separable` is how many independent values separate from others as often as these by chance.
    """

    of_one: Floats
    of_mean: Floats
    freedom: Floats
    separable: Floats


def spreads(
    before: Samples, after: Samples, rounding: Floats, counting: Floats
) -> tuple[Spread, Spread]:
    """Return the spread of both sides of one family of metrics.

    Args:
        before: m metrics, positive ones as logarithms.
        after: the same metrics.
        rounding: (2, metrics), the least variance of a value on each side, by its resolution.
        counting: (2, metrics), the part of the variance that is known, as of the number of samples.

    Returns:
        The spreads of both sides; NaN for sides with fewer than two values.
    """
    independent = min(_independent(before), _independent(after))
    rho = _autocorrelation(before, after, independent)
    sides = [_raw(side, rho, rounding[i], counting[i]) for i, side in enumerate((before, after))]
    variances = np.stack([variance for variance, _, _ in sides])
    freedom = np.stack([free for _, free, _ in sides])
    prior, weight = common_variance(variances, freedom, np.maximum(rounding, counting))
    # The other metrics contribute as far as their scatter is independent.
    borrowed = np.minimum(weight, freedom * (independent - 1))
    moderated = moderate(variances, freedom, prior, borrowed)
    separable = (1 - _ORDERED * rho) * np.stack([before.counts, after.counts])
    first, second = (
        Spread(moderated[i], sides[i][2], freedom[i] + borrowed[i], separable[i]) for i in (0, 1)
    )
    return first, second


def moderate(variances: Floats, freedom: Floats, prior: Floats | float, borrowed: Floats) -> Floats:
    """Return variances together with a prior one, each with its degrees of freedom.

    One below the prior may be so by chance, and is raised; one above it is kept.
    """
    shrunk = (borrowed * prior + freedom * variances) / (borrowed + freedom)
    return np.maximum(variances, shrunk)


def _raw(
    side: Samples, rho: float, rounding: Floats, counting: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return variance, degrees of freedom, and the variance of the mean in units of the variance.

    For first-order autoregressive noise: the variance around the mean of n values is too small,
    that of the mean too large, and n values count as fewer (Bayley and Hammersley, The
    effective number of independent observations in an autocorrelated time series, 1946). Of a
    variance that is partly known only the rest is estimated, which raises the degrees of freedom
    (Satterthwaite, An approximate distribution of estimates of variance components, 1946).
    """
    n = side.counts
    longest = int(n.max(initial=0))
    lags = np.arange(1, max(longest, 2))
    weights = np.clip(1 - lags[None, :] / np.maximum(n, 1)[:, None], 0, 1)
    inflation = 1 + 2 * (weights * rho ** lags[None, :]).sum(axis=1)
    enough = n >= 2
    correction = np.where(enough, (n - 1) / np.where(enough, n - inflation, 1), np.nan)
    seen = side.variances() * correction
    variance = np.maximum(seen, np.where(enough, np.maximum(rounding, counting), np.nan))
    # The variance has n (1 - rho^2) / (1 + rho^2) independent squares.
    freedom = np.maximum(n * (1 - rho**2) / (1 + rho**2) - 1, 1)
    rest = np.where(counting > 0, np.maximum(seen - counting, 0), variance)
    freedom *= (variance / np.maximum(np.maximum(rest, variance / _MOST_TIMES), _SMALLEST)) ** 2
    return variance, np.where(enough, freedom, np.nan), inflation / np.maximum(n, 1)


def _autocorrelation(before: Samples, after: Samples, independent: float) -> float:
    """Return an upper estimate of the first-order autocorrelation of the repetitions of a family.

    From mean squares of differences at lags 1 and 2, whose ratio is 1 + rho and which need no mean
    (the variogram); shrunk towards 0 by a normal prior where repetitions are few, then raised by
    half a standard error.
    """
    near, far, points = 0.0, 0.0, 0
    for side, other in ((before, after), (after, before)):
        # The scale is that of both sides: with a side's own alone a metric counts little where its
        # steps are large, with that of the other few metrics count for all.
        scale = np.nan_to_num(side.variances()) + np.nan_to_num(other.variances())
        scale = scale[side.owner]
        known = scale > 0
        unit = np.where(known, side.values / np.sqrt(np.where(known, scale, 1)), 0)
        ones = known[1:] & (side.owner[1:] == side.owner[:-1])
        twos = known[2:] & (side.owner[2:] == side.owner[:-2])
        if not twos.any():
            continue
        count = int(twos.sum())
        near += count * float(np.mean((unit[1:] - unit[:-1])[ones] ** 2))
        far += count * float(np.mean((unit[2:] - unit[:-2])[twos] ** 2))
        points += int(side.counts.max())
    if near <= 0:
        return 0.0
    error = _RHO_ERROR / max(independent * points, 1)
    weight = _PRIOR_RHO**2 / (_PRIOR_RHO**2 + error)
    seen = np.clip(_SEEN * (far / near - 1), 0, 1)
    rho = weight * seen + _RAISED * _PRIOR_RHO * np.sqrt(1 - weight)
    return float(np.clip(rho, 0, _MAX_RHO))


def _independent(side: Samples) -> float:
    """Return the effective number of metrics with independent scatter.

    From the mean squared correlation of their repetitions, minus that expected by chance: 1 where
    all vary together, as they do when the whole machine slows down.
    """
    table = _aligned(side)
    points = table.shape[1]
    if points < 3:
        return 1.0
    unit = table - table.mean(axis=1, keepdims=True)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    metrics = len(unit)
    if metrics < 2:
        return 1.0
    # The sum of squared correlations is equal for both Gram matrices; this one is the smaller.
    squares = float(((unit.T @ unit) ** 2).sum())
    squared = (squares - metrics) / (metrics * (metrics - 1))
    chance = 1 / (points - 1)
    correlated = np.clip((squared - chance) / (1 - chance), 0, 1)
    return float(metrics / (1 + (metrics - 1) * correlated))


def _aligned(side: Samples) -> Floats:
    """Return the non-constant metrics with all repetitions, (metrics, points)."""
    counts: Integers = side.counts
    longest = int(counts.max(initial=0))
    full: Flags = (counts == longest) & (side.variances() > 0)
    if not full.any():
        return np.zeros((0, longest))
    out: Floats = side.values[full[side.owner]].reshape(-1, longest)
    return out


def common_variance(variances: Floats, freedom: Floats, rounding: Floats) -> tuple[float, float]:
    """Return the variance that a family has in common, and its degrees of freedom.

    From mean and variance of the log variances (Smyth, Linear models and empirical Bayes methods
    for assessing differential expression in microarray experiments, 2004, section 6.2); 0 degrees
    of freedom where the family is too small to estimate it.
    """
    usable = np.isfinite(variances) & (variances > np.maximum(rounding, _SMALLEST))
    if usable.sum() < _MIN_VARIANCES:
        return 0.0, 0.0
    half = freedom[usable] / 2
    logs = np.log(variances[usable]) - digamma(half) + np.log(half)
    excess = float(np.var(logs, ddof=1) - np.mean(polygamma(1, half)))
    if excess <= 0:
        return float(np.exp(np.mean(logs))), float("inf")
    prior = 2 * _trigamma_inverse(excess)
    mean = np.mean(logs) + digamma(prior / 2) - np.log(prior / 2)
    return float(np.exp(mean)), prior


def _trigamma_inverse(value: float) -> float:
    """Return x with trigamma(x) = value by Newton's method (Smyth 2004, appendix)."""
    x = 0.5 + 1 / value
    for _ in range(50):
        trigamma = float(polygamma(1, x))
        step = trigamma * (1 - trigamma / value) / float(polygamma(2, x))
        x += step
        if -step / x < 1e-8:
            break
    return x
