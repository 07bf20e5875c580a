"""The p-value of the largest of many t statistics in autocorrelated noise."""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr

from udfs.arrays import Floats, Integers
from udfs.changes.noise import MAX_RHO, Noise, inflation_of

JUMP = 5  # points on each side of a jump
# Gauss-Hermite nodes and weights, for expectations over a normal variable.
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
_LOG_WEIGHTS = np.log(_WEIGHTS / _WEIGHTS.sum())


def log_p(t_squared: Floats, noise: Noise, length: Floats, shortest: Integers | int) -> Floats:
    """Return the log p-value of the largest squared t statistic over the splits of a stretch.

    The tail of the maximum over all splits by Miller and Siegmund, Maximally selected chi square
    statistics, Biometrics 38, 1982; Student's t made normal by Wallace, Bounds on normal
    approximations to Student's and the chi-square distributions, 1959; averaged over the
    uncertainty of the autocorrelation, normal around the estimate.

    Args:
        t_squared: (series, stretches), the largest of each.
        noise: noise of each series, for which the statistics were computed.
        length: points of each stretch, broadcast against t_squared.
        shortest: the fewest points of a side, broadcast likewise.

    Returns:
        (series, stretches), at most 0.
    """
    if not noise.error.any():
        return _log_tail(t_squared, noise.rho, length, shortest)
    tails = np.empty((len(_NODES), *t_squared.shape))
    for tail, node in zip(tails, _NODES, strict=True):
        rho = np.clip(noise.rho + node * noise.error, 0, MAX_RHO)
        tail[:] = _log_tail(noise.inflation / inflation_of(rho) * t_squared, rho, length, shortest)
    highest = tails.max(axis=0)
    weights = np.exp(_LOG_WEIGHTS)[:, None, None]
    out: Floats = highest + np.log((weights * np.exp(tails - highest)).sum(axis=0))
    return out


def log_p_jump(difference: Floats, noise: Noise, points: Floats | float) -> Floats:
    """Return the log p-value of a jump anywhere in a series, whatever the autocorrelation.

    Of all first-order autoregressions whose neighbours differ equally much, the means of a few
    points on both sides of a split differ most in a random walk: their difference has a variance of
    1 + 2 (1^2 + ... + (m - 1)^2) / m^2 steps for m points. Differences of that size are tested with
    Student's t for half as many degrees of freedom as points, times the number of splits.

    Args:
        difference: (series, splits), of the means of `JUMP` points on both sides.
        noise: noise of each series.
        points: points of each series.

    Returns:
        (series, splits), at most 0.
    """
    steps = np.arange(1, JUMP)
    variance = noise.step * (1 + 2 * (steps @ steps) / JUMP**2)
    freedom = np.maximum(points / 2, 1)
    t_squared = difference**2 / np.maximum(variance, 1e-24)
    normal = ((8 * freedom + 1) / (8 * freedom + 3)) ** 2 * freedom
    tail = log_ndtr(-np.sqrt(normal * np.log1p(t_squared / freedom)))
    out: Floats = np.minimum(tail + np.log(2 * points), 0)
    return out


def _log_tail(t_squared: Floats, rho: Floats, length: Floats, shortest: Integers | int) -> Floats:
    """Return the log of the p-value for a known autocorrelation."""
    share = shortest / length
    spread = 2 * np.log((1 - share) / share)
    freedom = np.maximum((length - 2) * (1 - rho**2) / (1 + rho**2), 1)
    normal = ((8 * freedom + 1) / (8 * freedom + 3)) ** 2 * freedom
    b_squared = np.maximum(normal * np.log1p(t_squared / freedom), 1)
    b = np.sqrt(b_squared)
    tail = np.log((b - 1 / b) * spread + 4 / b) - b_squared / 2 - np.log(2 * np.pi) / 2
    out: Floats = np.minimum(tail, 0)
    return out
