"""Mixtures of laws: each with its evidence, what it predicts and how sure it is of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from udfs.arrays import Floats
from udfs.scaling.bases import Basis, Index
from udfs.scaling.evidence import (
    LinearFits,
    Noise,
    PowerFits,
    Singles,
    fit_linear,
    fit_power,
    half_factors,
)
from udfs.scaling.grid import law_shapes, term_values

_KEPT: Final = 12  # laws of a function, of most weight
_PLACES: Final = 0xFF
"""Bits of a law's place: there are fewer than 256."""
_FARTHEST: Final = 2.0
"""The largest standard error of a logarithm."""
_HALVINGS: Final = 8  # of the range in which a quantile is looked for
_LEAST: Final = 0.002  # weight of a law that can move a quantile


@dataclass(frozen=True, slots=True)
class Mixture:
    """k laws of each of n functions.

    `odds` (k x n) are the logarithms of their evidence: of the density of the points, relative to
    themselves. `values` (t x k x n) are the logarithms of their times over that at the last count,
    `errors` (same) the standard errors; `sigma` (k x n) is the relative noise of a point by
    each, `left` (k x n) the squares that it leaves. The terms are in `factors`, `exponents` and
    `logs` (3 x k x n) and `half` (k x n), as in `laws.LawForecast`; `after` (k x n) is how
    many of the last counts the law is of, 0 for all.
    """

    odds: Floats
    values: Floats
    errors: Floats
    sigma: Floats
    left: Floats
    factors: Floats
    exponents: Floats
    logs: Floats
    half: Floats
    after: Index

    @property
    def evidence(self) -> Floats:
        """The logarithm of the evidence of all laws together (n)."""
        total: Floats = np.logaddexp.reduce(self.odds, axis=0)
        return total

    @property
    def weight(self) -> Floats:
        """The laws' posterior probabilities: k x n."""
        weight: Floats = np.exp(self.odds - self.odds.max(0))
        weight /= weight.sum(0)
        return weight

    def likeliest(self, kept: int) -> Mixture:
        """Return so many laws with the largest evidence, of each function."""
        if kept >= len(self.odds):
            return self
        # Places of single precision are found twice as fast.
        order = np.argpartition(-self.odds.T.astype(np.float32), kept, axis=1)[:, :kept].T
        cells = order * order.shape[1] + np.arange(order.shape[1])
        parts = {name: getattr(self, name) for name in Mixture.__dataclass_fields__}
        return Mixture(
            **{
                name: np.take(part.reshape(*part.shape[:-2], -1), cells, axis=-1)
                for name, part in parts.items()
            }
        )

    def curves(self, chosen: Index, x: Floats, last: float) -> Floats:
        """Return the logarithms of the times of one law of each function, m x n.

        Args:
            chosen: the law's place (n).
            x: counts (m).
            last: the largest measured count, at which terms are 1.
        """
        everyone = np.arange(len(chosen))
        ratio = np.log(x / last)[:, None]
        tree = (np.log2(x) / np.log2(last))[:, None]
        total: Floats = np.zeros((len(x), len(chosen)))
        for parts in zip(self.factors, self.exponents, self.logs, strict=True):
            factor, exponent, logs = (part[chosen, everyone] for part in parts)
            total += factor * np.exp(exponent * ratio) * tree**logs
        half = self.half[chosen, everyone]
        share = x[:, None] * (1 + half) / (x[:, None] + half * last)
        total *= np.where(half > 0, share, 1.0)
        return np.log(np.maximum(total, 1e-300))


def joined(mixtures: Sequence[Mixture]) -> Mixture:
    """Return all laws of mixtures of the same functions."""
    parts = {
        name: [getattr(one, name) for one in mixtures] for name in Mixture.__dataclass_fields__
    }
    return Mixture(**{name: np.concatenate(part, axis=-2) for name, part in parts.items()})


def grid_laws(
    basis: Basis, x: Floats, at: Floats, y: Floats, noise: Noise, kept: int = _KEPT
) -> Mixture:
    """Return the laws of the grid that the points support most.

    Args:
        basis: terms of the kind of function.
        x: the measured counts, ascending (m).
        at: the counts at which times are wanted.
        y: times of n functions over their last one, n x m.
        noise: what is known of their noise.
        kept: how many laws are kept.
    """
    linear, power = fit_linear(basis, x, y, noise), fit_power(x, y, noise)
    best, odds = _heaviest(linear.evidence, power.evidence, kept)
    return _mixture(basis, linear, power, best, odds + noise.normaliser, noise, x, at)


def _heaviest(evidence: Singles, of_power: Singles, kept: int) -> tuple[Index, Floats]:
    """Return the laws with the largest evidence, kept x n, and that.

    Numbers are partitioned far faster than their places, so the place of a law takes the last bits
    of its distance from the best one.
    """
    odds = np.concatenate([evidence, of_power[None]])
    kept = min(kept, len(odds) - 1)
    apart = (odds.max(0) - odds).T.astype(np.float32, order="C")
    keys = apart.view(np.uint32)
    keys &= ~np.uint32(_PLACES)
    keys |= np.arange(len(odds), dtype=np.uint32)
    best = (np.partition(keys, kept, axis=1)[:, :kept].T & _PLACES).astype(np.intp)
    return best, np.take_along_axis(odds, best, 0).astype(np.float64)


def _mixture(
    basis: Basis,
    linear: LinearFits,
    power: PowerFits,
    kept: Index,
    odds: Floats,
    noise: Noise,
    x: Floats,
    at: Floats,
) -> Mixture:
    """Return the kept laws (k x n) of fits.

    The variance of a time over that of a point is v11 d1^2 - v12 d1 d2 + v22 d2^2 + v33, where d
    are the terms less their means.
    """
    column = np.arange(kept.shape[1])[None]
    singles, pairs = linear.ends
    powers, some = np.nonzero(kept == len(linear.evidence))
    kept[powers, some] = 0
    cell = kept * kept.shape[1] + column
    a, r1, left = (np.take(one, cell) for one in (linear.g11, linear.r1, linear.left))
    single, triple = kept < singles, kept >= pairs
    further = np.where(single, 0, kept - singles)
    third = np.where(triple, kept - pairs, 0)
    b, c, r2 = (
        np.where(single, alone, one[further, column])
        for alone, one in ((0.0, linear.g12), (1.0, linear.g22), (0.0, linear.r2))
    )
    means = [np.where(triple, one[third, column], 0.0) if len(one) else 0.0 for one in linear.means]
    with np.errstate(all="ignore"):
        det = a * c - b * b
        v11, v12, v22 = c / det, 2 * b / det, np.where(single, 0.0, a / det)
        first, second = (c * r1 - b * r2) / det, (a * r2 - b * r1) / det
    constant = np.where(triple, linear.level - means[0] * first - means[1] * second, 0.0)
    left[powers, some] = power.left[some]
    letters = half_factors(kept, linear.ends)
    letters[powers, some] = 1.0
    sigma = noise.deviation(left, letters)
    terms = term_values(basis, tuple(at.tolist()), float(x[-1]))
    f1, f2 = (np.take(one.T, kept, axis=1) for one in terms)
    values = f1 * first + f2 * second
    values += constant
    f1 -= means[0]
    f2 -= means[1]
    with np.errstate(all="ignore"):
        variance = f1 * (f1 * v11 - f2 * v12)
        variance += f2 * f2 * v22
        variance += np.where(triple, 1 / linear.size, 0.0)
        errors = np.sqrt(np.maximum(variance, 0, out=variance), out=variance)
        errors /= values
        errors[np.isnan(errors)] = _FARTHEST
        values = np.log(np.maximum(values, 1e-300, out=values), out=values)
    exponents, logs, half = (np.take(part, kept, axis=-1) for part in law_shapes(basis))
    factors = np.stack([first, second, constant])
    away = np.log(at)[:, None] - power.middle
    values[:, powers, some] = power.level[some] + power.slope[some] * away
    errors[:, powers, some] = np.sqrt(1 / len(x) + away**2 / power.size)
    for part in (factors, exponents, logs, half[None]):
        part[:, powers, some] = 0.0
    at_last = power.level + power.slope * (np.log(x[-1]) - power.middle)
    factors[0, powers, some], exponents[0, powers, some] = np.exp(at_last[some]), power.slope[some]
    errors *= sigma
    return Mixture(
        odds=odds,
        values=values,
        errors=np.minimum(errors, _FARTHEST, out=errors),
        sigma=sigma,
        left=left,
        factors=factors,
        exponents=exponents,
        logs=logs,
        half=half,
        after=np.zeros(kept.shape, np.intp),
    )


def medians(values: Floats, weight: Floats) -> Floats:
    """Return the weighted medians of k x n laws' values at p places: p x 1 x n, of p x k x n."""
    order = np.argsort(values, axis=1)
    up_to = np.cumsum(np.take_along_axis(np.broadcast_to(weight, values.shape), order, 1), axis=1)
    place = (up_to < 0.5 - 1e-9).sum(1, keepdims=True)
    found: Floats = np.take_along_axis(np.take_along_axis(values, order, 1), place, 1)
    return found


def quantiles(mean: Floats, sigma: Floats, weight: Floats, levels: tuple[float, ...]) -> Floats:
    """Return quantiles of mixtures of Gaussians: levels x p x n, of p x k x n members.

    By bisection, with the logistic curve in place of the Gaussian's: at most .01 apart. It starts
    between the lowest and the highest of the members' own quantiles.
    """
    centre = np.take_along_axis(mean, np.argmax(weight, axis=1)[:, None], 1)[:, 0]
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
    found: Floats = centre + (low + high) / 2
    return found
