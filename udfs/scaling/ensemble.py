"""Prediction by all members together, weighted by how well each predicted the last counts.

A member's error is its error, in logarithms, of predicting each of the last two counts from the
previous ones (rolling-origin evaluation: Tashman, Int. J. Forecasting 16, 2000), and in part its
distance from the points that it was fitted to. Weights are the densities that a Gaussian of that
error gives the two counts (stacking of predictive densities: Yao et al., Bayesian Analysis 13,
2018) times prior odds: few points can be fitted by any law with enough parameters, so each fitted
parameter costs (Jefferys and Berger, American Scientist 80, 1992). The prediction is the weighted
geometric mean.

Members are scaled through the last points, with most weight on the last one (exponential smoothing
of the level: Gardner, J. Forecasting 4, 1985).

The constants were chosen on public profiles, and laws whose truth is known;
`tests.bench.bench_scaling --left-out` chooses them without each data set in turn and prints the
errors on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from udfs.arrays import Flags, Floats
from udfs.scaling.bases import Basis

POWERS = {"p2": 2, "p3": 3, "p": 0}
"""Power laws through the last two, the last three and all counts."""
LINES = ("line 1/x", "line log", "line x")
"""Straight lines in 1/x, log2(x) and x, that may rise or fall."""
_MIN_VALUE = 1e-12
"""Smallest value relative to the last count: log2(x) alone is 0 at one process."""
ROLLED = 2
"""How many of the last counts are predicted from the previous ones."""
_NOISES = ((0.06, 1.0), (3e-4, 0.003))
"""The least standard deviations, as logarithms, of a count that a member predicts, and their odds:
times that come from a simulator or a formula have hardly any noise."""
_PARAMETER_COST = 1.5
"""The cost of a fitted parameter, as a logarithm of the odds."""
_ODDS = {"c": 1.5} | dict.fromkeys(LINES, -1.0)
"""Further logarithms of the odds: there are three lines."""
_TREE_ODDS = {"p2": 2.0, "p3": 3.0}
"""And of kinds of MPI calls that pass trees: their times at the last counts predict best, as the
library takes other algorithms at other counts (errors of 11 % one step out and 15 % two out on 119
series of collectives of four MPI libraries; 13 and 25 % without)."""
_SMOOTHED = np.array([0.01, 0.1, 1.0])
"""Weights of the last points in the level."""
_IN_SAMPLE = 0.4
"""Weight of the distance from the fitted points, relative to that of a predicted count."""
_MAX_MISS = 1.0  # logarithm beyond which a member is no worse
_IDEAL = -1.0
"""The steepest fall, as an exponent: with ideal speed-up."""
_SPREAD = 1.4
"""Weight of the distance between members in the uncertainty, relative to their error."""
_CHANGE = 0.03
"""The least uncertainty of an octave, as a logarithm."""
_NEAREST = 0.1
"""The least distance in octaves that an interval accounts for: repeated runs differ."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Predicted times of n functions at t counts.

    `log_seconds` and `scale` are n x t: the logarithm of the seconds and its uncertainty;
    `error` (n) is the error of all members together on the last counts, as a logarithm, `evidence`
    (n) the logarithm of the density with which they predicted these.
    """

    log_seconds: Floats
    scale: Floats
    error: Floats
    evidence: Floats


def forecast(basis: Basis, x: Floats, y: Floats, at: Floats, superlinear: Flags) -> Forecast:
    """Predict the times of functions measured at the same number of counts.

    Beyond the largest count members are scaled through the last points, below the smallest
    through the first; between counts, points are interpolated in logarithms.

    Args:
        basis: terms of the kind of function.
        x: counts of n functions, ascending, n x m, three at least.
        y: their times, n x m, s, above zero.
        at: counts to predict, n x t.
        superlinear: whether the points show that times fall faster than with ideal speed-up (n).
    """
    count = at.shape[1]
    names, values = _members(x, y, np.concatenate([at, x], axis=1))
    wanted, at_points, log_y = values[:, :, :count], values[:, :, count:], np.log(y)
    misses = _misses(names, x, y)
    errors = _errors(names, misses, _misfit(at_points, log_y))
    prior = _prior(names, basis.log)[:, None]
    weights = prior * _density(errors, ROLLED)
    weights /= weights.sum(0)
    error = _joint_error(weights, misses)

    up, down = np.log(at / x[:, -1:]), np.log(at / x[:, :1])
    # Times that fall faster than with ideal speed-up need evidence.
    steepest = np.where(superlinear[:, None], -np.inf, _IDEAL * up)
    above = np.maximum(wanted + _level(at_points, log_y), steepest)
    below = np.minimum(wanted - at_points[..., :1], _IDEAL * down)
    after, spread_after = _mean(weights, above)
    before, spread_before = _mean(weights, below)
    spread = np.select([up > 0, down < 0], [spread_after, spread_before])
    octaves = np.abs(np.log2(at[:, :, None] / x[:, None, :])).min(2).clip(_NEAREST)
    within = _interpolate(np.log(x), log_y, np.log(at))
    return Forecast(
        np.select([up > 0, down < 0], [log_y[:, -1:] + after, log_y[:, :1] + before], within),
        np.sqrt((_SPREAD * spread) ** 2 + (error[:, None] ** 2 + _CHANGE**2) * octaves),
        error,
        np.log((prior * _density(errors, len(misses))).sum(0)),
    )


def _prior(names: list[str], trees: bool) -> Floats:
    """Return the prior probabilities of members; `trees` is whether calls of the kind pass any."""
    more = _ODDS | _TREE_ODDS if trees else _ODDS
    fitted = {*LINES, *POWERS}
    odds = [more.get(name, 0.0) - _PARAMETER_COST * (name in fitted) for name in names]
    prior: Floats = np.exp(odds) / np.exp(odds).sum()
    return prior


def _density(errors: Floats, counts: int) -> Floats:
    """Return the density of so many predicted counts, by members' errors as logarithms.

    A Gaussian's of unknown variance, no less than those of `_NOISES`.
    """
    density = np.zeros_like(errors)
    for least, odd in _NOISES:
        density += odd * (2 * np.pi * (errors**2 + least**2)) ** (-counts / 2)
    return density


def _misses(names: list[str], x: Floats, y: Floats) -> Floats:
    """Return the errors of members in predicting each of the last counts from the previous ones.

    Rolls x members x n, as logarithms; NaN where a member has too many terms to be fitted.
    """
    log_y = np.log(y)
    rolls = min(ROLLED, x.shape[1] - 2)
    misses = np.full((rolls, len(names), len(y)), np.nan)
    for back in range(1, rolls + 1):
        kept = x.shape[1] - back
        early, times = x[:, :kept], y[:, :kept]
        begin = max(kept - len(_SMOOTHED), 0)
        tried, values = _members(early, times, x[:, begin : kept + 1])
        level = _level(values[..., :-1], log_y[:, :kept])
        truth = log_y[:, kept] - log_y[:, kept - 1]
        places = [names.index(name) for name in tried]
        misses[back - 1, places] = _clip(values[..., -1] + level[..., 0] - truth)
    return misses


def _errors(names: list[str], misses: Floats, misfit: Floats) -> Floats:
    """Return the root mean square error of every member, as logarithms: members x n.

    A member with too many terms to be fitted to the earlier counts is taken to be no better than
    the best that was fitted.
    """
    times_tried = np.isfinite(misses).sum(0)
    # The power law through the last two points ignores all others.
    share = np.where(np.array(names) == "p2", 0.0, _IN_SAMPLE)[:, None]
    square = np.nansum(misses**2, axis=0) + share * misfit
    square /= np.maximum(times_tried + share, 1)
    untried = times_tried == 0
    best = np.where(untried, np.inf, square).min(0)
    errors: Floats = np.sqrt(np.where(untried, misfit + best, square))
    return errors


def _joint_error(weights: Floats, misses: Floats) -> Floats:
    """Return the root mean square error on the last counts of all members together (n)."""
    shares = np.where(np.isfinite(misses), weights, 0.0)
    missed = (shares * np.nan_to_num(misses)).sum(1) / shares.sum(1)
    joint: Floats = np.sqrt((missed**2).mean(0))
    return joint


def _misfit(values: Floats, log_y: Floats) -> Floats:
    """Return the mean square distance from the points, scaled through the last one."""
    off = values - (log_y - log_y[:, -1:])
    square: Floats = np.nan_to_num((_clip(off[..., :-1]) ** 2).mean(-1), nan=_MAX_MISS)
    return square


def _level(values: Floats, log_y: Floats) -> Floats:
    """Return how far the last points lie above members' values there: members x n x 1."""
    used = min(len(_SMOOTHED), log_y.shape[1])
    share = _SMOOTHED[-used:] / _SMOOTHED[-used:].sum()
    above = _clip(log_y[:, -used:] - log_y[:, -1:] - values[..., -used:])
    level: Floats = (above @ share)[..., None]
    return level


def _clip(off: Floats) -> Floats:
    return np.clip(off, -_MAX_MISS, _MAX_MISS)


def _mean(weights: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Return the mean of the members that fit, and their distance from it: n x t each."""
    values = np.nan_to_num(values)
    mean = np.einsum("fn,fnt->nt", weights, values)
    return mean, np.sqrt(np.einsum("fn,fnt->nt", weights, (values - mean) ** 2))


def _interpolate(log_x: Floats, log_y: Floats, places: Floats) -> Floats:
    """Return each function's logarithms at n x t places, interpolated between its points."""
    after = (log_x[:, None, :] < places[:, :, None]).sum(2).clip(1, log_x.shape[1] - 1)
    x0, x1 = (np.take_along_axis(log_x, after - back, 1) for back in (1, 0))
    y0, y1 = (np.take_along_axis(log_y, after - back, 1) for back in (1, 0))
    lines: Floats = y0 + (y1 - y0) * (places - x0) / (x1 - x0)
    return lines


def _members(x: Floats, y: Floats, at: Floats) -> tuple[list[str], Floats]:
    """Return the logarithm of each member's value at other counts over its value at the last one.

    Every member is scaled through the last measured point. Members are straight lines: one-term
    hypotheses of the performance model normal form (Calotoiu et al., SC 2013), which have no
    exponent to fit and so can be fitted to two counts; a constant (c), even distribution of work
    (i: 1/x), and power laws. Laws of more terms are `laws`.

    Args:
        x: counts of n functions, ascending, n x m, two at least.
        y: their times, n x m, above zero.
        at: counts to predict, n x t.

    Returns:
        The names of the members, and members x n x t.
    """
    distance = np.log(at / x[:, -1:])
    powers = {
        name: _slope(x[:, -last:], y[:, -last:])[:, None] * distance
        for name, last in POWERS.items()
        if last <= x.shape[1] and (last or x.shape[1] > 3)
    }
    lines = np.log(np.maximum(_lines(x, y, at), _MIN_VALUE))
    plain = np.stack([0 * distance, -distance, *powers.values()])
    return [*LINES, "c", "i", *powers], np.concatenate([lines, plain])


def _lines(x: Floats, y: Floats, at: Floats) -> Floats:
    """Return lines (see `LINES`) over their values at the last count, 0 where those are negative.

    Least squares lines of relative errors.
    """
    y = y / y[:, -1:]
    weight = 1 / y**2
    weight /= weight.sum(1, keepdims=True)
    shapes = [np.stack([1 / one, np.log2(one), one]) for one in (x, at)]
    middle = np.einsum("nm,snm->sn", weight, shapes[0])[..., None]
    level = np.einsum("nm,nm->n", weight, y)[:, None]
    off = shapes[0] - middle
    weighted = weight * off
    slope = (weighted * y).sum(2, keepdims=True) / (weighted * off).sum(2, keepdims=True)
    last = level + slope * off[..., -1:]
    values: Floats = (level + slope * (shapes[1] - middle)) / np.where(last > 0, last, np.inf)
    return values


def _slope(x: Floats, y: Floats) -> Floats:
    """Return the exponents of power laws through n x m times, by least squares of logarithms."""
    centred = np.log(x) - np.log(x).mean(1, keepdims=True)
    exponents: Floats = (np.log(y) * centred).sum(1) / (centred * centred).sum(1)
    return exponents
