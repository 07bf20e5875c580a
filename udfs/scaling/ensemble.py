"""Prediction by all members together, each trusted as far as it foretold the last counts.

A member's error is how far, in logarithms, it missed each of the last two counts from the ones
in front of it (rolling-origin evaluation: Tashman, Int. J. Forecasting 16, 2000), and a little of
how far it lies from the points that it was fitted to. Weights are a soft-max of these errors, the
prediction is the weighted geometric mean. Growth is damped unless it was foretold exactly, because
times that grow seldom keep growing at the same rate (damped trend: Gardner and McKenzie,
Management Science 31, 1985).

The constants were chosen on public profiles; `tests.bench.bench_scaling --left-out` chooses them
without each data set in turn and prints what becomes of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from udfs.scaling.bases import Array, Basis, Truth
from udfs.scaling.least_squares import Fit
from udfs.scaling.members import fitted, members

_ROLLED = 2
_TEMPERATURES = (0.02, 0.2)
_IN_SAMPLE = 0.1
_LARGEST_MISS = 1.0
_DAMPING = 0.2
_DAMPED_FROM = 0.03
_SLOPES = (-1.2, 1.5)
_SPREAD = 0.5
_QUANTILE = 2.7
_NEAREST = 0.1
"""Octaves that an interval accounts for at least: the next run is never quite the same."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What n functions are foretold to take at t counts.

    `log_seconds` and `scale` are n x t: the logarithm of the seconds and its uncertainty;
    `error` (n) is the error of the members in the last counts, as a logarithm. `fits` are the
    families fitted to all counts, `fit_errors` (fits x n) the error of each.
    """

    log_seconds: Array
    scale: Array
    error: Array
    fit_errors: Array
    fits: list[Fit]

    def shifted(self, log_ratio: Array, error: Array) -> Forecast:
        """Give the forecast of times that are larger by n x t ratios, known up to `error` (n)."""
        scale = np.sqrt(self.scale**2 + error[:, None] ** 2)
        return replace(self, log_seconds=self.log_seconds + log_ratio, scale=scale)

    def interval(self, noise: Array) -> tuple[Array, Array]:
        """Give the 90 % interval in s, for functions whose repetitions scatter by `noise` (n).

        The factor was set so that intervals hold nine of ten left-out times of public profiles
        (split conformal prediction: Lei et al., J. Am. Stat. Assoc. 113, 2018).
        """
        half = _QUANTILE * np.sqrt(self.scale**2 + noise[:, None] ** 2)
        return np.exp(self.log_seconds - half), np.exp(self.log_seconds + half)


def forecast(basis: Basis, x: Array, y: Array, at: Array) -> Forecast:
    """Foretell the times of functions measured at equally many counts.

    Beyond the largest count members are scaled through the last point, below the smallest
    through the first; between counts the points themselves are joined in logarithms.

    Args:
        basis: terms of the kind of function.
        x: counts of n functions, ascending, n x m, three at least.
        y: their times, n x m, s, above zero.
        at: counts to foretell, n x t.
    """
    count = at.shape[1]
    fits = fitted(basis, x, y)
    names, values = members(fits, basis, x, y, np.concatenate([at, x], axis=1))
    errors = _errors(names, values[:, :, count:], basis, x, y)
    weights = _weights(errors, np.isfinite(values[:, :, -1]))
    error = np.sqrt((weights * errors**2).sum(0))
    values = np.nan_to_num(values)
    log_y = np.log(y)

    beyond = _mean(weights, values[:, :, :count])
    below_each = values[:, :, :count] - values[:, :, count, None]
    below = _mean(weights, below_each)
    up, down = np.log(at / x[:, -1:]), np.log(at / x[:, :1])
    kept = 1 - _DAMPING * np.minimum(error / _DAMPED_FROM, 1.0)[:, None]
    damped = np.where(beyond > 0, kept * beyond, beyond)
    after = log_y[:, -1:] + np.clip(damped, _SLOPES[0] * up, _SLOPES[1] * up)
    before = log_y[:, :1] + np.clip(below, _SLOPES[1] * down, _SLOPES[0] * down)
    spread_after = _deviation(weights, values[:, :, :count], beyond)
    spread = np.select([up > 0, down < 0], [spread_after, _deviation(weights, below_each, below)])
    octaves = np.abs(np.log2(at[:, :, None] / x[:, None, :])).min(2).clip(_NEAREST)
    within = _joined(np.log(x), log_y, np.log(at))
    return Forecast(
        np.select([up > 0, down < 0], [after, before], within),
        np.sqrt((_SPREAD * spread) ** 2 + error[:, None] ** 2 * octaves),
        error,
        errors[: len(fits)],
        fits,
    )


def _weights(errors: Array, fits: Truth) -> Array:
    """Give the soft-max weights of members (members x n), sharper where one is hardly ever off."""
    best = np.where(fits, errors, np.inf).min(0)
    temperature = np.clip(2 * best, *_TEMPERATURES)
    weights = np.where(fits, np.exp((best - errors) / temperature), 0.0)
    total: Array = weights / weights.sum(0)
    return total


def _errors(names: list[str], there: Array, basis: Basis, x: Array, y: Array) -> Array:
    """Give the root mean square error of every member, as logarithms: members x n.

    A member that has too many terms to be tried on the earlier counts is held to be no better
    than the best that was tried. `there` is what the members tell of the measured counts.
    """
    log_y = np.log(y)
    rolls = min(_ROLLED, x.shape[1] - 2)
    misses = np.full((rolls, len(names), len(y)), np.nan)
    for back in range(1, rolls + 1):
        kept = x.shape[1] - back
        early, times = x[:, :kept], y[:, :kept]
        fits = fitted(basis, early, times)
        tried, told = members(fits, basis, early, times, x[:, kept : kept + 1])
        truth = log_y[:, kept] - log_y[:, kept - 1]
        places = [names.index(name) for name in tried]
        misses[back - 1, places] = _bounded(told[:, :, 0] - truth) ** 2
    times_tried = np.isfinite(misses).sum(0)
    misfit = _misfit(there, log_y)
    # The power law through the last two points is not fitted to any other.
    share = np.where(np.array(names) == "p2", 0.0, _IN_SAMPLE)[:, None]
    square = np.nansum(misses, axis=0) + share * misfit
    square /= np.maximum(times_tried + share, 1)
    untried = times_tried == 0
    best = np.where(untried, np.inf, square).min(0)
    errors: Array = np.sqrt(np.where(untried, misfit + best, square))
    return errors


def _misfit(there: Array, log_y: Array) -> Array:
    """Give the mean square distance from the points, scaled through the last one."""
    off = there - (log_y - log_y[:, -1:])
    square: Array = np.nan_to_num((_bounded(off[..., :-1]) ** 2).mean(-1), nan=_LARGEST_MISS)
    return square


def _bounded(off: Array) -> Array:
    return np.minimum(np.abs(off), _LARGEST_MISS)


def _mean(weights: Array, values: Array) -> Array:
    mean: Array = np.einsum("fn,fnt->nt", weights, values)
    return mean


def _deviation(weights: Array, values: Array, mean: Array) -> Array:
    deviation: Array = np.sqrt(np.einsum("fn,fnt->nt", weights, (values - mean) ** 2))
    return deviation


def _joined(log_x: Array, log_y: Array, places: Array) -> Array:
    """Give each function's logarithms at n x t places between its points, on straight lines."""
    after = (log_x[:, None, :] < places[:, :, None]).sum(2).clip(1, log_x.shape[1] - 1)
    x0, x1 = (np.take_along_axis(log_x, after - back, 1) for back in (1, 0))
    y0, y1 = (np.take_along_axis(log_y, after - back, 1) for back in (1, 0))
    lines: Array = y0 + (y1 - y0) * (places - x0) / (x1 - x0)
    return lines
