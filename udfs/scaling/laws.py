"""Prediction by smooth laws of scaling, each weighted by how well the points support it.

A law is a constant, a power a*p^c, a constant or a decaying term plus one further term (a power or
a power times a logarithm), work that is divided with a constant rest and a growing term, or
saturation a*p/(p + k); MPI functions that pass trees may have log2(p) beside a power. Factors are
positive. For fixed exponents a law is linear in its factors, so that every law of a grid has a
closed-form likelihood: relative errors are Gaussian, their variance is unknown (conjugate inverse
gamma prior, informed by the scatter of repetitions) and factors have wide priors (Bayesian linear
regression: Bishop, Pattern Recognition and Machine Learning, 2006, chapter 3). All laws are
weighted by their posterior probability, and the interval comes from the quantiles of their
predictions (Bayesian model averaging: Hoeting et al., Statistical Science 14, 1999). Where few
points leave the law open, laws that differ beyond the points share the weight, and the interval is
wide.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from udfs.scaling.bases import Array, Basis, Index, Truth

ROUND: Final = (-2.0, -1.5, -1.0, -0.5, 1 / 3, 0.5, 2 / 3, 1.0, 1.5, 2.0, 2.5, 3.0)
"""Exponents that laws of algorithms have: more probable than those between them."""
_LOGS: Final = tuple((a, b) for b in (1, 2) for a in (0.0, 0.5, 1.0, 1.5, 2.0))
_STEEPEST: Final = 3.2
_TREE_POWERS: Final = (0.5, 1.0, 1.5, 2.0)
"""Exponents of the terms beside log2(p)."""
_SLOW_DECAY: Final = -0.5
"""Of laws of two terms, beside 1/p: others have hardly other times at few counts."""
_HALVES: Final = np.exp(np.linspace(np.log(0.01), np.log(4.0), 20))
"""Counts at which saturation reaches half its limit, over the largest count."""

# Logarithms of prior probabilities.
_CLASS_ODDS: Final = np.log([0.19, 0.14, 0.40, 0.11, 0.04, 0.04, 0.08])
"""Of a constant, a power, a constant and a term, two terms, saturation, three terms, a power of any
exponent."""
_BETWEEN: Final = -2.0
"""Of exponents between the round ones."""
_WITH_LOG: Final = -0.2
_COMMON: Final = 1.4
"""Further odds of the laws that parallel algorithms have most often."""
_COMMON_TERMS: Final = frozenset({(-1.0, 0), (0.5, 0), (1.0, 0), (0.0, 1), (0.0, 2), (1.0, 1)})
"""Their exponents of p and of log2(p)."""
_TREE: Final = 1.0
"""Further odds of log2(p) and its square where the kind of function has it: levels of trees."""
_GROWING_TREE: Final = 1.0
"""And of p^a*log2(p) where the kind has that."""

_NOISE_WEIGHT: Final = 1.0
_NOISE: Final = 0.02
"""Prior of the relative noise: worth so many degrees of freedom, around this."""
_EXACT: Final = 3e-4
_EXACT_ODDS: Final = np.log(0.1)
"""Times that come from a simulator or a formula have hardly any noise."""
_NEARLY: Final = 0.1
_REPEATED: Final = 3
"""Repetitions of a count, where their scatter is known: laws hardly depend on their number."""
_FEW: Final = 4
"""Points that three terms fit whatever they are."""
_KEPT: Final = 12
_PLACES: Final = 0xFF
"""Bits of a law's place: there are fewer than 256."""
_LIKELY: Final = 0.001
"""How far, as a squared logarithm, a law may be from the median for e times the probability."""
_LEAST: Final = 0.002
"""The least weight of a law that predicts."""
_HALVINGS: Final = 7
_WIDEST: Final = 1e60
_SINGULAR: Final = 1e-9
_ROUNDING: Final = 1e-9
AHEAD: Final = (2.0, 4.0, 8.0)
"""Counts over the largest one at which the law is chosen that predicts."""


@dataclass(frozen=True, slots=True)
class Term:
    """p^exponent * log2(p)^logs, or with `half` saturation p/(p + half * largest count)."""

    exponent: float
    logs: int = 0
    half: float = 0.0

    def values(self, p: Array, last: float) -> Array:
        """Return the term at counts, over its value at the last one."""
        if self.half:
            ratio: Array = p * (1 + self.half) / (p + self.half * last)
            return ratio
        values: Array = (p / last) ** self.exponent
        return values * (np.log2(p) / np.log2(last)) ** self.logs if self.logs else values


CONSTANT: Final = Term(0.0)
Floats = NDArray[np.float32]
_OVERHEADS: Final = (Term(0.0, 1), *map(Term, (0.5, 1.0, 1.5, 2.0)), Term(1.0, 1))
"""Growing terms beside work that is divided and a constant rest."""
Law = tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class LawForecast:
    """Times of n functions at t counts, as one law predicts them, and how sure that is.

    The law is the one nearest to the median of all laws at the a counts ahead, so that prediction
    and formula are the same. `log_seconds` (n x a + t, the counts ahead first) are the logarithms
    of its times, `spread` the root mean square distance of all laws from them. `log_low` and
    `log_high` (n x t) are those of the 90 % interval, by all laws, of a measurement, and `noise`
    (n) is its standard deviation. `fitted` (n x m) are the logarithms of the law's times at the
    measured counts, `misfit` (n) is their root mean square distance from the measured ones.

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
    place: Index
    factors: Array


def _between(step: float, low: float, high: float) -> list[float]:
    grid = np.arange(low, high + step / 2, step)
    return [
        float(a) for a in grid if abs(a) > step / 2 and np.abs(np.array(ROUND) - a).min() > 0.03
    ]


def _log_prior(term: Term, basis: Basis) -> float:
    if term.half:
        return 0.0
    odds = 0.0 if term.logs or any(abs(term.exponent - a) < 1e-9 for a in ROUND) else _BETWEEN
    odds += _COMMON * ((term.exponent, term.logs) in _COMMON_TERMS)
    if basis.log and term.logs:
        grows = term.exponent != 0
        odds += _GROWING_TREE * (basis.growth_log and term.logs == 1) if grows else _TREE
    return odds + _WITH_LOG * bool(term.logs)


def _classes(basis: Basis) -> list[list[Law]]:
    """Return the laws of each class of `_CLASS_ODDS` but the last."""
    powers = [Term(a) for a in ROUND] + [Term(a, b) for a, b in _LOGS]
    grown = [Term(a) for a in (*ROUND, *_between(0.1, 0.1, _STEEPEST))]
    grown += [Term(a, b) for a, b in _LOGS]
    two: list[Law] = [
        (Term(decay), term)
        for decay, terms in ((-1.0, grown), (_SLOW_DECAY, powers))
        for term in terms
        if term.exponent > 0 or term.logs
    ]
    three: list[Law] = [(Term(-1.0), term, CONSTANT) for term in _OVERHEADS]
    if basis.log:
        tree = Term(0.0, 1)
        two += [(tree, Term(a, int(basis.growth_log))) for a in _TREE_POWERS]
        three += [(tree, Term(a, int(basis.growth_log)), CONSTANT) for a in _TREE_POWERS]
    return [
        [(CONSTANT,)],
        [(term,) for term in powers],
        [(CONSTANT, term) for term in (*grown, *(Term(a) for a in _between(0.2, -2.2, -0.2)))],
        two,
        [(Term(0.0, half=float(half)),) for half in _HALVES],
        three,
    ]


@cache
def laws(basis: Basis) -> tuple[tuple[Law, ...], Array]:
    """Return all laws, those of fewest terms first, and the logarithms of their probabilities."""
    found: list[Law] = []
    odds: list[Array] = []
    for members, of_class in zip(_classes(basis), _CLASS_ODDS, strict=False):
        prior = np.array([sum(_log_prior(term, basis) for term in law) for law in members])
        found += members
        odds.append(prior + of_class - np.log(np.exp(prior).sum()))
    order = np.argsort([len(law) for law in found], kind="stable")
    return tuple(found[i] for i in order), np.concatenate(odds)[order]


@cache
def _ends(basis: Basis) -> tuple[int, int]:
    """Return where the laws of one term end, and those of two."""
    sizes = np.array([len(law) for law in laws(basis)[0]])
    return int((sizes < 2).sum()), int((sizes < 3).sum())


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
    believed = _Noise.known(noise, m)
    linear = _linear(basis, places, x, y, believed)
    power = _power(x, y, believed, places)
    kept, weight = _heaviest(linear.evidence, power.evidence)
    members = _Members.of(linear, power, kept, believed)
    values, errors = members.values(slice(m, None)), members.errors(slice(m, None))
    first, rest = slice(len(ahead)), slice(len(ahead), None)
    wide = np.hypot(errors[rest], members.sigma)
    low, high = _quantiles(values[rest], wide, weight, (0.05, 0.95))
    apart = ((values[first] - _medians(values[first], weight)) ** 2).mean(0)
    apart += members.left / m
    with np.errstate(divide="ignore"):
        apart -= _LIKELY * np.log(weight)
    chosen = np.argmin(np.where(weight > _LEAST, apart, np.inf), axis=0)
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
class _Noise:
    """What is known of the relative noise of n functions before laws are fitted.

    `share` is the variance of a point over that of one measurement; `shape` and `scales` are those
    of the inverse gamma distribution of that variance, with the m points counted in: one for
    measurements and one for times without noise, with the logarithms of their `odds`.
    """

    share: Array
    shape: Array
    scales: tuple[Array, Array]
    odds: tuple[Array, Array]

    @classmethod
    def known(cls, noise: Array, points: int) -> _Noise:
        """Return the prior, informed by the scatter of repetitions where there are any."""
        freedom = np.where(noise > 0, points * (_REPEATED - 1.0), 0.0)
        measured, exact = ((_NOISE_WEIGHT * one**2) / 2 for one in (_NOISE, _EXACT))
        known = freedom * noise**2 / 2
        shape = (_NOISE_WEIGHT + freedom) / 2

        return cls(
            # the variance of a median of few repetitions
            np.where(noise > 0, 1.4 / _REPEATED, 1.0),
            shape + points / 2,
            (measured + known, exact + known),
            (shape * np.log(measured + known), _EXACT_ODDS + shape * np.log(exact + known)),
        )

    def evidence(self, left: Array, letters: Array) -> Floats:
        """Return the logarithms of the evidence of laws, k x n, in single precision.

        `left` (k x n) are their sums of squared relative residuals, `letters` (k x 1, or k x n)
        half the number of their factors.
        """
        single = left.astype(np.float32)
        total = self._log_evidence(single, letters, 0, slice(None))
        # Times without noise need another look only where a law hardly misses them, and where
        # repetitions do not tell the noise.
        near = np.flatnonzero(
            (single.min(0) < 2 * self.share * _NEARLY * self.scales[0])
            & (self.scales[1] < _NEARLY * self.scales[0])
        )
        if len(near):
            exact = self._log_evidence(single[:, near], letters, 1, near)
            total[:, near] = np.logaddexp(total[:, near], exact)
        return total

    def _log_evidence(
        self, left: Floats, letters: Array, noise: int, places: Index | slice
    ) -> Floats:
        """Return the evidence if the times have this one of the two noises: k x places."""
        share, shape, scale, odds = (
            one[places].astype(np.float32)
            for one in (self.share, self.shape, self.scales[noise], self.odds[noise])
        )
        logs = left / (2 * share)
        logs += scale
        np.log(logs, out=logs)
        logs *= letters.astype(np.float32) - shape
        logs += odds
        return logs

    def deviation(self, left: Array, letters: Array) -> Array:
        """Return the relative standard deviation of a point by laws, k x n, as of `evidence`."""
        half = left / (2 * self.share)
        scales = [scale + half for scale in self.scales]
        first, exact = (
            odds - (self.shape - letters) * np.log(scale)
            for odds, scale in zip(self.odds, scales, strict=True)
        )
        share = np.exp(exact - np.logaddexp(first, exact))
        scale = (1 - share) * scales[0] + share * scales[1]
        deviation: Array = np.sqrt(scale / (self.shape - 0.5) * self.share)
        return deviation


@dataclass(frozen=True, slots=True)
class _Linear:
    """Fits of k laws of fixed exponents to n functions, in closed form.

    `evidence` and `left`, the squares that are left, are k x n. The normal equations are
    g11, g12, g22 on the left and r1, r2 on the right, k x n; those with the second term lack the
    laws of one term, which come first. In laws of three terms the last one, a constant, is
    eliminated: `means` (2 x laws x n) are those of the other two, `level` (n) is that of the times,
    and `size` (n) the constant's square. `terms` are the terms' values at all places, 2 x k x
    places; `ends` where laws of one and two terms end.
    """

    evidence: Floats
    left: Array
    g11: Array
    g12: Array
    g22: Array
    r1: Array
    r2: Array
    means: Array
    level: Array
    size: Array
    terms: Array
    ends: tuple[int, int]


@lru_cache(maxsize=64)
def _terms(basis: Basis, places: tuple[float, ...], last: float) -> Array:
    """Return the values of the laws' first two terms at places, 2 x laws x places; 0 for none."""
    found, _ = laws(basis)
    terms = np.zeros((2, len(found), len(places)))
    for k, law in enumerate(found):
        for j, term in enumerate(law[:2]):
            terms[j, k] = term.values(np.array(places), last)
    return terms


def _linear(basis: Basis, places: Array, x: Array, y: Array, noise: _Noise) -> _Linear:
    prior = laws(basis)[1]
    m, ends = len(x), _ends(basis)
    singles, pairs = ends
    terms = _terms(basis, tuple(places.tolist()), float(x[-1]))
    inverse = 1 / y.T
    square = inverse**2
    one, two = terms[0, :, :m], terms[1, singles:, :m]
    products = np.concatenate([one * one, two * two, one[singles:] * two]) @ square
    g11, g22, g12 = np.split(products, [len(one), len(one) + len(two)])
    r1, r2 = np.split(np.concatenate([one, two]) @ inverse, [len(one)])
    sizes = g11[singles:] * g22
    # Of three terms the constant is eliminated.
    size, triples = square.sum(0), slice(pairs - singles, None)
    level = inverse.sum(0) / size
    means = terms[:, pairs:, :m] @ square / size
    g11[pairs:] -= means[0] ** 2 * size
    g22[triples] -= means[1] ** 2 * size
    g12[triples] -= means[0] * means[1] * size
    r1[pairs:] -= means[0] * level * size
    r2[triples] -= means[1] * level * size
    left = np.empty_like(g11)
    left[:singles] = m - r1[:singles] ** 2 / g11[:singles]
    a, b1 = g11[singles:], r1[singles:]
    det = a * g22
    least = _SINGULAR * det
    det -= g12 * g12
    first, second = g22 * b1 - g12 * r2, a * r2 - g12 * b1
    fits = (first > 0) & (second > 0) & (det > least)
    fits[triples] &= (m > _FEW) & (
        level * det[triples] > means[0] * first[triples] + means[1] * second[triples]
    )
    np.copyto(det, np.inf, where=~fits)
    first *= b1
    second *= r2
    first += second
    first /= det
    np.subtract(m, first, out=left[singles:])
    left[pairs:] -= level**2 * size
    np.maximum(left, 0, out=left)
    letters = _letters(np.arange(len(prior)), ends)[:, None]
    evidence = noise.evidence(left, letters)
    # The prior width of a factor is that with which its term makes up the measured times.
    width = letters * np.log(m / noise.share)
    evidence += (prior[:, None] - width).astype(np.float32)
    with np.errstate(divide="ignore"):
        evidence[singles:] += 0.5 * np.log((sizes / det).astype(np.float32))
    return _Linear(evidence, left, g11, g12, g22, r1, r2, means, level, size, terms, ends)


def _letters(law: Index, ends: tuple[int, int]) -> Array:
    """Return half the number of the factors of laws."""
    letters: Array = 0.5 + 0.5 * (law >= ends[0]) + 0.5 * (law >= ends[1])
    return letters


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
    power: _Power

    @classmethod
    def of(cls, linear: _Linear, power: _Power, kept: Index, noise: _Noise) -> _Members:
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
        letters = np.where(is_power, 1.0, _letters(law, linear.ends))
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


@dataclass(frozen=True, slots=True)
class _Power:
    """The power law of any exponent: by linear regression of logarithms.

    `evidence`, `left` (the squares that are left) and `slope` (n), `log_seconds` (n x places), and
    the `variance` (places) of these over that of a point.
    """

    evidence: Floats
    left: Array
    slope: Array
    log_seconds: Array
    variance: Array


def _power(x: Array, y: Array, noise: _Noise, places: Array) -> _Power:
    log_x, log_y = np.log(x), np.log(y)
    m, centred = len(x), log_x - log_x.mean()
    size, level = (centred**2).sum(), log_y.mean(1)
    slope = np.clip(log_y @ centred / size, -_STEEPEST, _STEEPEST)
    left = ((log_y - level[:, None] - slope[:, None] * centred) ** 2).sum(1)
    of_points = noise.evidence(left[None], np.ones((1, 1)))[0]
    # The exponent's prior is as wide as the range of exponents.
    evidence = _CLASS_ODDS[-1] - 0.5 * np.log(m * size / (2 * np.pi)) - np.log(2 * _STEEPEST)
    evidence = (evidence + np.log(noise.share) + of_points).astype(np.float32)
    away = np.log(places) - log_x.mean()
    return _Power(
        evidence,
        left,
        slope,
        level[:, None] + slope[:, None] * away,
        1 / m + away**2 / size,
    )


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
