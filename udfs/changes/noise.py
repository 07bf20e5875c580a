"""The noise of a series: its scale, outliers and autocorrelation.

All estimates use differences of neighbouring points, of which a change of level affects only one,
so that changes need not be known beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from udfs.arrays import Floats, Integers

NORMAL = 1.4826  # median absolute deviation to standard deviation, for Gaussian noise
OUTLIER_DIFFERENCE = 3.5  # deviations at which a difference is large
_BLOCK = 8  # points that share a local scale, taken from three blocks; fewer in short series
_LEAST_BLOCK = 4  # points of a block in short series
_UNEVEN = 3.0  # the largest local scale over the least from which the noise is not the same
_LAGS = 4  # of the differences that rho is estimated from
_ERROR = 1.5  # variance of rho times points: 4/3 for white noise, by simulation 1.5 at rho = 0.5
MAX_RHO = 0.98  # above it the noise is a random walk
_PRIOR = 0.3  # standard deviation of the prior of rho, around 0
_RHO = np.linspace(0, MAX_RHO, 491)
# (D2 + D3 + D4) / (3 D1) for rho, where D is the mean square of differences at a lag.
_RATIO = 1 + _RHO + 2 * _RHO**2 / 3 + _RHO**3 / 3


def noise_scale(values: Floats) -> Floats:
    """Return the standard deviation of the noise of each series, from first differences.

    A robust form of von Neumann's successive differences: the median absolute difference; where
    most neighbours are equal, the mean absolute difference.

    Args:
        values: (series, points).

    Returns:
        (series, 1), in the unit of the values; 0 for constant series.
    """
    steps = np.abs(np.diff(values, axis=1))
    scale = NORMAL * np.median(steps, axis=1, keepdims=True) / np.sqrt(2)
    mean = np.sqrt(np.pi) / 2 * steps.mean(axis=1, keepdims=True)
    out: Floats = np.where(scale > 0, scale, mean)
    return out


def local_scale(values: Floats) -> Floats:
    """Return the standard deviation of the noise around each point, (series, points).

    0 where the series is too short to tell its parts apart.
    """
    points = values.shape[1]
    if points < 4 * _LEAST_BLOCK:
        return np.zeros_like(values)
    block = min(max(_LEAST_BLOCK, points // 6), _BLOCK)
    steps = np.abs(np.diff(values, axis=1))
    windows = sliding_window_view(steps, 3 * block - 1, axis=1)[:, ::block]
    middle = NORMAL * np.median(windows, axis=2) / np.sqrt(2)
    # The first window is centred on the second block, the last one is used for all later blocks.
    at = np.clip(np.arange(points) // block - 1, 0, middle.shape[1] - 1)
    out: Floats = middle[:, at]
    return out


@dataclass(frozen=True, slots=True)
class Noise:
    """Estimates of the noise of each series; the arrays are (series, 1), around (series, points).

    rho is its first-order autocorrelation, within 0..MAX_RHO, and error the standard error of
    rho; variance, and step, the mean square difference of neighbours, are in the squared unit of
    the values. around is how many times as large as in the whole series both are around each point,
    at least 1; it is 1 where the noise is about the same everywhere.
    """

    rho: Floats
    error: Floats
    variance: Floats
    step: Floats
    around: Floats

    def of(self, rows: Integers) -> Noise:
        """Return the estimates of some of the series."""
        return Noise(*(getattr(self, field.name)[rows] for field in fields(self)))

    def replaced(self, rows: Integers, other: Noise) -> Noise:
        """Return the estimates with those of some of the series replaced."""
        out = Noise(*(getattr(self, field.name).copy() for field in fields(self)))
        for field in fields(self):
            getattr(out, field.name)[rows] = getattr(other, field.name)
        return out

    @property
    def inflation(self) -> Floats:
        """Long-run variance over variance, 1 or more."""
        return inflation_of(self.rho)


def inflation_of(rho: Floats) -> Floats:
    """Return long-run variance over variance of first-order autoregressive noise."""
    out: Floats = (1 + rho) / (1 - rho)
    return out


def white_noise(count: int, points: int) -> Noise:
    """Return uncorrelated noise of unknown variance for `count` series of so many points."""
    zero = np.zeros((count, 1))
    return Noise(zero, zero, zero, zero, np.ones((count, points)))


def error_of_rho(points: Floats | int) -> Floats:
    """Return the standard error of the autocorrelation of series of so many points."""
    return _PRIOR * np.sqrt(1 - _PRIOR**2 / (_PRIOR**2 + _ERROR / points))


def estimate_noise(values: Floats, segment: Integers, scale: Floats) -> Noise:
    """Return autocorrelation and variance of the noise, from mean squares of differences.

    For a first-order autoregressive process the mean square difference at lag l grows as
    1 - rho^l (the variogram; Haslett, On the sample variogram and the sample autocovariance for
    non-stationary time series, 1997). Differences across segments are left out. A normal prior
    shrinks rho of short series towards 0, because few points carry little information on it.

    Args:
        values: (series, points), without outliers.
        segment: (series, points), the number of the segment of each point.
        scale: (series, 1), the rough standard deviation; larger differences are clipped.
    """
    reach = OUTLIER_DIFFERENCE * np.sqrt(2) * scale
    squares = []
    for lag in range(1, _LAGS + 1):
        step = np.clip(values[:, lag:] - values[:, :-lag], -reach, reach)
        within = segment[:, lag:] == segment[:, :-lag]
        count = np.maximum(within.sum(axis=1, keepdims=True), 1)
        squares.append((step * step * within).sum(axis=1, keepdims=True) / count)
    near, far = squares[0], np.mean(squares[1:], axis=0)
    known = near > 0
    rho = np.interp(np.where(known, far / np.where(known, near, 1), 1), _RATIO, _RHO)
    weight = _PRIOR**2 / (_PRIOR**2 + _ERROR / values.shape[1])
    error = np.full_like(rho, error_of_rho(values.shape[1]))
    apart = 1 - np.mean([rho**lag for lag in range(2, _LAGS + 1)], axis=0)
    nearby = local_scale(values)
    uneven = nearby.max(axis=1, keepdims=True) > _UNEVEN * nearby.min(axis=1, keepdims=True)
    around = 2 * nearby**2 / np.where(known & uneven, near, np.inf)
    return Noise(weight * rho, error, far / 2 / apart, near, np.maximum(around, 1))
