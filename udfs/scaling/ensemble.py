"""Prediction by all members together, each trusted as far as it foretold the last counts.

A member's error is how far, in logarithms, it missed each of the last three counts from the ones
in front of it (rolling-origin evaluation: Tashman, Int. J. Forecasting 16, 2000), and a little of
how far it lies from the points that it was fitted to. Weights are a soft-max of these errors times
prior odds: so few points can be met by any law with enough letters, so each fitted letter costs
(Jefferys and Berger, American Scientist 80, 1992). The prediction is the weighted geometric mean;
slopes of members are kept within those that times really have.

Members are scaled through the last points, the last one most by far (exponential smoothing of the
level: Gardner, J. Forecasting 4, 1985). Growth with a fitted exponent is damped unless it was
foretold exactly, because it seldom goes on at the same rate (damped trend: Gardner and McKenzie,
Management Science 31, 1985); laws of a fixed shape, as a line, are taken as they are.

The constants were chosen on public profiles; `tests.bench.bench_scaling --left-out` chooses them
without each data set in turn and prints what becomes of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from udfs.scaling.bases import Array, Basis, Truth
from udfs.scaling.least_squares import Fit
from udfs.scaling.members import LINES, fitted, has_exponent, letters, members

_ROLLED = 3
"""Counts that are foretold from those in front of them."""
_WARMTH = 4.0
"""Temperature of the soft-max over the least error, between `_TEMPERATURES`."""
_TEMPERATURES = (0.01, 0.4)
_LETTER = 1.0
"""What a fitted letter costs, as a logarithm of the odds."""
_ODDS = {"c": 0.5} | dict.fromkeys(LINES, -1.0)
"""Logarithms of the odds beside that: lines are three and tell much of what families tell."""
_SMOOTHED = np.array([0.01, 0.1, 1.0])
"""Say of the last points in the level."""
_IN_SAMPLE = 0.4
"""Say of the distance from the fitted points, over that of a missed count."""
_LARGEST_MISS = 1.0
_DAMPING = 0.15
_DAMPED_FROM = 0.03
"""Error from which growth is damped in full, as a logarithm."""
_SLOPES = (-1.2, 1.5)
_SPREAD = 1.4
"""What the distance between members adds to the uncertainty, over what their error adds."""
_QUANTILE = 1.65
_CHANGE = 0.03
"""What an octave changes at least, as a logarithm, however well the last counts were foretold."""
_NEAREST = 0.1
"""Octaves that an interval accounts for at least: the next run is never quite the same."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What n functions are foretold to take at t counts.

    `log_seconds` and `scale` are n x t: the logarithm of the seconds and its uncertainty;
    `error` (n) is how far all members together missed the last counts, as a logarithm. `fits` are
    the families fitted to all counts, `fit_errors` (fits x n) the error of each.
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

    Beyond the largest count members are scaled through the last points, below the smallest
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
    asked, there, log_y = values[:, :, :count], values[:, :, count:], np.log(y)
    misses = _misses(names, basis, x, y)
    errors = _errors(names, misses, _misfit(there, log_y))
    weights = _weights(names, errors, np.isfinite(there[..., -1]))
    error = _together(weights, misses)

    up, down = np.log(at / x[:, -1:]), np.log(at / x[:, :1])
    above = np.clip(asked + _level(there, log_y), _SLOPES[0] * up, _SLOPES[1] * up)
    below = np.clip(asked - there[..., :1], _SLOPES[1] * down, _SLOPES[0] * down)
    after, spread_after = _mean(weights, _damped(names, above, error))
    before, spread_before = _mean(weights, below)
    spread = np.select([up > 0, down < 0], [spread_after, spread_before])
    octaves = np.abs(np.log2(at[:, :, None] / x[:, None, :])).min(2).clip(_NEAREST)
    within = _joined(np.log(x), log_y, np.log(at))
    return Forecast(
        np.select([up > 0, down < 0], [log_y[:, -1:] + after, log_y[:, :1] + before], within),
        np.sqrt((_SPREAD * spread) ** 2 + (error[:, None] ** 2 + _CHANGE**2) * octaves),
        error,
        errors[: len(fits)],
        fits,
    )


def _damped(names: list[str], values: Array, error: Array) -> Array:
    """Give what members tell (members x n x t), growth with a fitted exponent damped."""
    damping = _DAMPING * np.minimum(error / _DAMPED_FROM, 1.0)
    kept = 1 - np.array([has_exponent(name) for name in names])[:, None] * damping
    damped: Array = np.where(values > 0, kept[..., None] * values, values)
    return damped


def _weights(names: list[str], errors: Array, fits: Truth) -> Array:
    """Give the weights of members (members x n), sharper where one is hardly ever off."""
    odds = np.array([_ODDS.get(name, 0.0) - _LETTER * letters(name) for name in names])
    best = np.where(fits, errors, np.inf).min(0)
    temperature = np.clip(_WARMTH * best, *_TEMPERATURES)
    weights = np.where(fits, np.exp((best - errors) / temperature + odds[:, None]), 0.0)
    total: Array = weights / weights.sum(0)
    return total


def _misses(names: list[str], basis: Basis, x: Array, y: Array) -> Array:
    """Give how far members miss each of the last counts from those in front of it.

    Rolls x members x n, as logarithms; NaN where a member has too many terms to be tried.
    """
    log_y = np.log(y)
    rolls = min(_ROLLED, x.shape[1] - 2)
    misses = np.full((rolls, len(names), len(y)), np.nan)
    for back in range(1, rolls + 1):
        kept = x.shape[1] - back
        early, times = x[:, :kept], y[:, :kept]
        fits = fitted(basis, early, times)
        begin = max(kept - len(_SMOOTHED), 0)
        tried, told = members(fits, basis, early, times, x[:, begin : kept + 1])
        level = _level(told[..., :-1], log_y[:, :kept])
        truth = log_y[:, kept] - log_y[:, kept - 1]
        places = [names.index(name) for name in tried]
        misses[back - 1, places] = _bounded(told[..., -1] + level[..., 0] - truth)
    return misses


def _errors(names: list[str], misses: Array, misfit: Array) -> Array:
    """Give the root mean square error of every member, as logarithms: members x n.

    A member that has too many terms to be tried on the earlier counts is held to be no better
    than the best that was tried.
    """
    times_tried = np.isfinite(misses).sum(0)
    # The power law through the last two points is not fitted to any other.
    share = np.where(np.array(names) == "p2", 0.0, _IN_SAMPLE)[:, None]
    square = np.nansum(misses**2, axis=0) + share * misfit
    square /= np.maximum(times_tried + share, 1)
    untried = times_tried == 0
    best = np.where(untried, np.inf, square).min(0)
    errors: Array = np.sqrt(np.where(untried, misfit + best, square))
    return errors


def _together(weights: Array, misses: Array) -> Array:
    """Give the root mean square of what members missed the last counts by together (n)."""
    shares = np.where(np.isfinite(misses), weights, 0.0)
    missed = (shares * np.nan_to_num(misses)).sum(1) / shares.sum(1)
    together: Array = np.sqrt((missed**2).mean(0))
    return together


def _misfit(there: Array, log_y: Array) -> Array:
    """Give the mean square distance from the points, scaled through the last one."""
    off = there - (log_y - log_y[:, -1:])
    square: Array = np.nan_to_num((_bounded(off[..., :-1]) ** 2).mean(-1), nan=_LARGEST_MISS)
    return square


def _level(there: Array, log_y: Array) -> Array:
    """Give how far the last points lie above what members tell of them: members x n x 1."""
    used = min(len(_SMOOTHED), log_y.shape[1])
    share = _SMOOTHED[-used:] / _SMOOTHED[-used:].sum()
    above = _bounded(log_y[:, -used:] - log_y[:, -1:] - there[..., -used:])
    level: Array = (above @ share)[..., None]
    return level


def _bounded(off: Array) -> Array:
    return np.clip(off, -_LARGEST_MISS, _LARGEST_MISS)


def _mean(weights: Array, values: Array) -> tuple[Array, Array]:
    """Give the mean of the members that fit, and how far they are from it: n x t each."""
    values = np.nan_to_num(values)
    mean = np.einsum("fn,fnt->nt", weights, values)
    return mean, np.sqrt(np.einsum("fn,fnt->nt", weights, (values - mean) ** 2))


def _joined(log_x: Array, log_y: Array, places: Array) -> Array:
    """Give each function's logarithms at n x t places between its points, on straight lines."""
    after = (log_x[:, None, :] < places[:, :, None]).sum(2).clip(1, log_x.shape[1] - 1)
    x0, x1 = (np.take_along_axis(log_x, after - back, 1) for back in (1, 0))
    y0, y1 = (np.take_along_axis(log_y, after - back, 1) for back in (1, 0))
    lines: Array = y0 + (y1 - y0) * (places - x0) / (x1 - x0)
    return lines
