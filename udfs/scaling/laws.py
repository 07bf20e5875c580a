"""Prediction by smooth laws of scaling, each weighted by how well the points support it.

All laws of the grid are weighted by their posterior probability, and the interval comes from the
quantiles of their predictions (Bayesian model averaging: Hoeting et al., Statistical Science 14,
1999). Where few points leave the law open, laws that differ beyond the points share the weight, and
the interval is wide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from udfs.scaling.bases import Array, Basis, Index, Truth
from udfs.scaling.evidence import (
    Floats,
    LinearFits,
    Noise,
    PowerFits,
    fit_linear,
    fit_power,
    half_factors,
)

_KEPT: Final = 12
_PLACES: Final = 0xFF
"""Bits of a law's place: there are fewer than 256."""
_LIKELY: Final = 0.001
"""How far, as a squared logarithm, a law may be from the median for e times the probability."""
_LEAST: Final = 0.002
"""The least weight of a law that predicts."""
_CERTAIN: Final = 0.7
"""The weight of laws that fall faster than ideal speed-up from which on one of them may predict."""
_HALVINGS: Final = 7
_WIDEST: Final = 1e60
_ROUNDING: Final = 1e-9
AHEAD: Final = (2.0, 4.0, 8.0)
"""Counts over the largest one at which the law is chosen that predicts."""


@dataclass(frozen=True, slots=True)
class LawForecast:
    """Times of n functions at t counts, as one law predicts them, and how sure that is.

    The law is the one nearest to the median of all laws at the a counts ahead, so that prediction
    and formula are the same. `log_seconds` (n x a + t, the counts ahead first) are the logarithms
    of its times, `spread` the root mean square distance of all laws from them. `log_low` and
    `log_high` (n x t) are those of the 90 % interval, by all laws, of a measurement, and `noise`
    (n) is its standard deviation. `fitted` (n x m) are the logarithms of the law's times at the
    measured counts, `misfit` (n) is their root mean square distance from the measured ones.
    `superlinear` (n) is whether the points show that times fall faster than with ideal speed-up:
    no law that does so predicts without that.

    `place` (n) is the place of the law in `laws`, or -1 for a power of any exponent; `factors`
    (n x 3) are its terms at the largest count, or the power's time there and its exponent.
    """

    log_seconds: Array
    spread: Array
    log_low: Array
    log_high: Array
    noise: Array
    fitted: Array
    misfit: Array
    superlinear: Truth
    place: Index
    factors: Array


def law_forecast(
    basis: Basis, x: Array, y: Array, noise: Array, ahead: Array, at: Array
) -> LawForecast:
    """Predict the times of functions that were measured at the same counts.

    Args:
        basis: terms of the kind of function: those are likelier.
        x: the counts, ascending (m), three at least, the last above 1.
        y: times of n functions, n x m, s, above zero.
        noise: relative scatter of the repetitions, n; 0 where unknown.
        ahead: counts at which the law is chosen that predicts.
        at: further counts to predict.
    """
    m = len(x)
    last, level = y[:, -1:], np.log(y[:, -1:])
    y = np.clip(y / last, 1 / _WIDEST, _WIDEST)  # whose squares are numbers yet
    places = np.concatenate([x, ahead, at])
    believed = Noise.known(noise, m)
    linear = fit_linear(basis, places, x, y, believed)
    power = fit_power(x, y, believed, places)
    kept, weight = _heaviest(linear.evidence, power.evidence)
    members = _Members.of(linear, power, kept, believed)
    values, errors = members.values(slice(m, None)), members.errors(slice(m, None))
    first, rest = slice(len(ahead)), slice(len(ahead), None)
    ideal = members.values(slice(m - 1, m)) - np.log(ahead / x[-1])[:, None, None]
    below = (values[first] < ideal - _ROUNDING).any(0)
    superlinear = (weight * below).sum(0) > _CERTAIN
    wide = np.hypot(errors[rest], members.sigma)
    low, high = _quantiles(values[rest], wide, weight, (0.05, 0.95))
    apart = ((values[first] - _medians(values[first], weight)) ** 2).mean(0)
    apart += members.left / m
    with np.errstate(divide="ignore"):
        apart -= _LIKELY * np.log(weight)
    allowed = (weight > _LEAST) & (superlinear | ~below)
    chosen = np.argmin(np.where(allowed, apart, np.inf), axis=0)
    everyone = np.arange(len(y))
    seconds = values[:, chosen, everyone]
    spread = np.sqrt((weight * (errors**2 + (values - seconds[:, None]) ** 2)).sum(1))
    fitted = members.fitted(chosen, m)
    place = kept[chosen, everyone]
    is_power = place == len(linear.evidence)
    factors = np.where(
        is_power,
        [np.exp(power.log_seconds[:, m - 1]), power.slope, np.zeros(len(y))],
        [one[chosen, everyone] for one in (members.first, members.second, members.third)],
    )
    factors[0] *= last[:, 0]
    factors[1:] *= np.where(is_power, 1.0, last[:, 0])
    return LawForecast(
        log_seconds=seconds.T + level,
        spread=spread.T,
        noise=members.sigma[chosen, everyone],
        log_low=low.T + level,
        log_high=high.T + level,
        fitted=fitted + level,
        misfit=np.sqrt(((fitted - np.log(y)) ** 2).mean(1)),
        superlinear=superlinear,
        place=np.where(is_power, -1, place),
        factors=factors.T,
    )


def _heaviest(evidence: Floats, of_power: Floats) -> tuple[Index, Array]:
    """Return the laws with the largest weights, _KEPT x n, and these weights, whose sum is 1.

    Numbers are partitioned far faster than their places, so the place of a law takes the last bits
    of its distance from the best one.
    """
    odds = np.concatenate([evidence, of_power[None]])
    apart = (odds.max(0) - odds).T.astype(np.float32, order="C")
    keys = apart.view(np.uint32)
    keys &= ~np.uint32(_PLACES)
    keys |= np.arange(len(odds), dtype=np.uint32)
    kept = (np.partition(keys, _KEPT, axis=1)[:, :_KEPT].T & _PLACES).astype(np.intp)
    chosen = np.take_along_axis(odds, kept, 0).astype(np.float64)
    weight = np.exp(chosen - chosen.max(0))
    return kept, weight / weight.sum(0)


@dataclass(frozen=True, slots=True)
class _Members:
    """The laws that are kept of n functions, with `sigma`, the noise of a point by each: k x n.

    `left` are the squares that each leaves (k x n). The factors of the terms are `first`, `second`
    and, of the constant, `third`. The variance of a time over that of a point is
    v11 d1^2 - v12 d1 d2 + v22 d2^2 + v33, where d are the terms less their `means`.
    """

    sigma: Array
    left: Array
    law: Index
    is_power: Truth
    first: Array
    second: Array
    third: Array
    means: tuple[Array, Array]
    v11: Array
    v12: Array
    v22: Array
    v33: Array
    terms: Array
    power: PowerFits

    @classmethod
    def of(cls, linear: LinearFits, power: PowerFits, kept: Index, noise: Noise) -> _Members:
        """Return the kept laws of all."""
        column = np.arange(kept.shape[1])[None]
        singles, pairs = linear.ends
        is_power = kept == len(linear.evidence)
        law = np.where(is_power, 0, kept)
        cell = law * kept.shape[1] + column
        a, r1, left = (one.ravel()[cell] for one in (linear.g11, linear.r1, linear.left))
        single, triple = law < singles, law >= pairs
        further, third = np.where(single, 0, law - singles), np.where(triple, law - pairs, 0)
        b, c, r2 = (
            np.where(single, alone, one[further, column])
            for alone, one in ((0.0, linear.g12), (1.0, linear.g22), (0.0, linear.r2))
        )
        mean1, mean2 = (np.where(triple, one[third, column], 0.0) for one in linear.means)
        with np.errstate(all="ignore"):
            det = a * c - b * b
            v11, v12, v22 = c / det, 2 * b / det, np.where(single, 0.0, a / det)
            first, second = (c * r1 - b * r2) / det, (a * r2 - b * r1) / det
        constant = np.where(triple, linear.level - mean1 * first - mean2 * second, 0.0)
        v33 = np.where(triple, 1 / linear.size, 0.0)
        left = np.where(is_power, power.left, left)
        letters = np.where(is_power, 1.0, half_factors(law, linear.ends))
        return cls(
            noise.deviation(left, letters),
            left,
            law,
            is_power,
            first,
            second,
            constant,
            (mean1, mean2),
            v11,
            v12,
            v22,
            v33,
            linear.terms,
            power,
        )

    def values(self, places: slice) -> Array:
        """Return the logarithms of the laws' times at p places, p x k x n."""
        f1, f2 = self._terms(places)
        values = np.log(np.maximum(self.first * f1 + self.second * f2 + self.third, 1e-300))
        by_power = self.power.log_seconds.T[places, None]
        return np.where(self.is_power, by_power, values)

    def fitted(self, chosen: Index, points: int) -> Array:
        """Return the logarithms of the times by the laws at k places (n): n x points."""
        everyone = np.arange(len(chosen))
        f1, f2 = self.terms[:, self.law[chosen, everyone], :points]
        one, two, three = (
            factor[chosen, everyone, None] for factor in (self.first, self.second, self.third)
        )
        values = np.log(np.maximum(one * f1 + two * f2 + three, 1e-300))
        by_power = self.power.log_seconds[:, :points]
        return np.where(self.is_power[chosen, everyone, None], by_power, values)

    def errors(self, places: slice) -> Array:
        """Return the standard errors of these logarithms, p x k x n."""
        f1, f2 = self._terms(places)
        with np.errstate(all="ignore"):
            d1, d2 = f1 - self.means[0], f2 - self.means[1]
            variance = d1 * (d1 * self.v11 - d2 * self.v12) + d2 * d2 * self.v22 + self.v33
            error = np.sqrt(np.maximum(variance, 0))
            error /= self.first * f1 + self.second * f2 + self.third
        by_power = np.sqrt(self.power.variance[places, None, None])
        error = np.where(self.is_power, by_power, np.nan_to_num(error, nan=2.0))
        return np.minimum(error * self.sigma, 2.0)

    def _terms(self, places: slice) -> tuple[Array, Array]:
        one, two = self.terms[:, :, places]
        return np.take(one.T, self.law, axis=1), np.take(two.T, self.law, axis=1)


def _medians(values: Array, weight: Array) -> Array:
    """Return the weighted medians of k x n laws' values at p places: p x 1 x n, of p x k x n."""
    up_to = np.zeros_like(values)
    for k in range(len(weight)):
        up_to += weight[k] * (values[:, k : k + 1] <= values)
    medians: Array = np.where(up_to >= 0.5 - _ROUNDING, values, np.inf).min(1, keepdims=True)
    return medians


def _quantiles(mean: Array, sigma: Array, weight: Array, levels: tuple[float, ...]) -> Array:
    """Return quantiles of mixtures of Gaussians: levels x p x n, of p x k x n members.

    By bisection, with the logistic curve in place of the Gaussian's: at most .01 apart. It starts
    between the lowest and the highest of the members' own quantiles.
    """
    centre = mean[:, np.argmax(weight, axis=0), np.arange(mean.shape[2])]
    # Steps to the quantile are short: single precision is enough, and twice as fast.
    apart = (mean - centre[:, None]).astype(np.float32)
    steep = (1.702 / np.maximum(sigma, 1e-9)).astype(np.float32)
    weight = weight.astype(np.float32)
    level = np.array(levels, np.float32)[:, None, None]
    odds = np.log(level / (1 - level))[..., None]
    own = np.where(weight > _LEAST, apart + odds / steep, 0)
    low, high = own.min(2), own.max(2)
    with np.errstate(over="ignore"):
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            share = apart - middle[:, :, None]
            share *= steep
            np.exp(share, out=share)
            share += 1
            np.divide(weight, share, out=share)
            below = share.sum(2) < level
            np.copyto(low, middle, where=below)
            np.copyto(high, middle, where=~below)
    found: Array = centre + (low + high) / 2
    return found
