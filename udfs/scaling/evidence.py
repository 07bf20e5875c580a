"""How well laws of scaling explain measured times: closed-form fits, and their evidence.

For fixed exponents a law is linear in its factors, so that every law of the grid has a closed-form
likelihood: relative errors are Gaussian, their variance is unknown (conjugate inverse gamma prior,
informed by the scatter of repetitions) and factors have wide priors (Bayesian linear regression:
Bishop, Pattern Recognition and Machine Learning, 2006, chapter 3). The power law of any exponent is
fitted to logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log, pi
from typing import Final

import numpy as np
from numpy.typing import NDArray

from udfs.arrays import Flags, Floats
from udfs.scaling.bases import Basis, Index
from udfs.scaling.grid import CLASS_ODDS, STEEPEST, class_ends, laws, term_values

Singles = NDArray[np.float32]

_NOISE_WEIGHT: Final = 1.0  # degrees of freedom that the prior of the noise is worth
_NOISE: Final = 0.02
"""Prior of the relative noise: worth so many degrees of freedom, around this."""
_BETWEEN: Final = 0.007
"""Medians of repetitions in a row scatter less than those of other days, by this."""
EXACT: Final = 1e-5  # relative noise of times of a simulator or a formula
_EXACT_ODDS: Final = np.log(0.1)
"""Times that come from a simulator or a formula have hardly any noise."""
_TELLING: Final = 5  # points from which times may be exact
_NEARLY: Final = 0.1  # of the usual noise: a law misses exact times by less
REPEATED: Final = 2.0
"""Degrees of freedom of a point's noise where it was repeated: laws hardly depend on them."""
_FEW: Final = 4
"""Points that three terms fit whatever they are."""
_SINGULAR: Final = 1e-9  # of a determinant: terms that are alike


@dataclass(frozen=True, slots=True)
class Noise:
    """What is known of the relative noise of n functions before laws are fitted.

    `shape` and `scales` are those of the inverse gamma distribution of a point's variance, with the
    m points counted in: one for measurements and one for times without noise, with the logarithms
    of their `odds`; `repeated` is whether repetitions tell it.
    """

    points: int
    repeated: Flags
    shape: Floats
    scales: tuple[Floats, Floats]
    odds: tuple[Floats, Floats]

    @classmethod
    def known(cls, noise: Floats, points: int) -> Noise:
        """Return the prior, informed by the noise (n) of the median of repetitions, if above 0."""
        freedom = np.where(noise > 0, points * REPEATED, 0.0)
        noise = np.hypot(noise, _BETWEEN)
        # Fewer points lie on a law by chance, or as they are rounded.
        least = EXACT if points >= _TELLING else _NOISE
        measured, exact = ((_NOISE_WEIGHT * one**2) / 2 for one in (_NOISE, least))
        known = freedom * noise**2 / 2
        shape = (_NOISE_WEIGHT + freedom) / 2
        return cls(
            points,
            freedom > 0,
            shape + points / 2,
            (measured + known, exact + known),
            (shape * np.log(measured + known), _EXACT_ODDS + shape * np.log(exact + known)),
        )

    @property
    def normaliser(self) -> Floats:
        """What makes the evidence of laws of two factors the logarithm of a density (n)."""
        half = self.points / 2
        alone, repeated = (
            lgamma(shape + half - 1) - lgamma(shape) - (half - 1) * log(2 * pi)
            for shape in (_NOISE_WEIGHT / 2, _NOISE_WEIGHT / 2 + half * REPEATED)
        )
        return np.where(self.repeated, repeated, alone)

    def evidence(self, left: Floats, letters: Floats) -> Singles:
        """Return the logarithms of the evidence of laws, k x n, in single precision.

        `left` (k x n) are their sums of squared relative residuals, `letters` (k x 1, or k x n)
        half the number of their factors.
        """
        single = left.astype(np.float32)
        total = self._log_evidence(single, letters, 0, slice(None))
        # Times without noise need another look only where a law hardly misses them, and where
        # repetitions do not tell the noise.
        near = np.flatnonzero((single.min(0) < 2 * _NEARLY * self.scales[0]) & self.may_be_exact)
        if len(near):
            exact = self._log_evidence(single[:, near], letters, 1, near)
            total[:, near] = np.logaddexp(total[:, near], exact)
        return total

    def _log_evidence(
        self, left: Singles, letters: Floats, noise: int, places: Index | slice
    ) -> Singles:
        """Return the evidence if the times have this one of the two noises: k x places."""
        shape, scale, odds = (
            one[places].astype(np.float32)
            for one in (self.shape, self.scales[noise], self.odds[noise])
        )
        logs: Singles = left / np.float32(2)
        logs += scale
        np.log(logs, out=logs)
        logs *= letters.astype(np.float32) - shape
        logs += odds
        return logs

    @property
    def may_be_exact(self) -> Flags:
        """Whether times may have hardly any noise (n): repetitions, or few points, say no."""
        return ~self.repeated & (self.points >= _TELLING)

    def exact_evidence(self, left: Floats, letters: Floats, places: Index) -> Singles:
        """Return the evidence at places if the times have hardly any noise, as of `evidence`."""
        return self._log_evidence(left.astype(np.float32), letters, 1, places)

    def exact_deviation(self, left: Floats, letters: float) -> tuple[Floats, float]:
        """Return the deviation of points with hardly any noise, and its degrees of freedom.

        `letters` is half the number of all letters, exponents among them.
        """
        freedom = _NOISE_WEIGHT + self.points - 2 * letters
        return np.sqrt((left + _NOISE_WEIGHT * EXACT**2) / freedom), freedom

    def deviation(self, left: Floats, letters: Floats) -> Floats:
        """Return the relative standard deviation of a point by laws, k x n, as of `evidence`."""
        half = left / 2
        scales = [scale + half for scale in self.scales]
        first, exact = (
            odds - (self.shape - letters) * np.log(scale)
            for odds, scale in zip(self.odds, scales, strict=True)
        )
        share = np.exp(exact - np.logaddexp(first, exact))
        scale = (1 - share) * scales[0] + share * scales[1]
        deviation: Floats = np.sqrt(scale / (self.shape - 0.5))
        return deviation


@dataclass(frozen=True, slots=True)
class LinearFits:
    """Fits of k laws of fixed exponents to n functions, in closed form.

    `evidence` and `left`, the squares that are left, are k x n. The normal equations are
    g11, g12, g22 on the left and r1, r2 on the right, k x n; those with the second term lack the
    laws of one term, which come first. In laws of three terms the last one, a constant, is
    eliminated: `means` (2 x laws x n) are those of the other two, `level` (n) is that of the times,
    and `size` (n) the constant's square. `ends` is where laws of one and two terms end.
    """

    evidence: Singles
    left: Floats
    g11: Floats
    g12: Floats
    g22: Floats
    r1: Floats
    r2: Floats
    means: Floats
    level: Floats
    size: Floats
    ends: tuple[int, int]


def fit_linear(basis: Basis, x: Floats, y: Floats, noise: Noise) -> LinearFits:
    """Return the fits of all laws of fixed exponents to times at counts.

    Args:
        basis: terms of the kind of function.
        x: the measured counts, ascending (m).
        y: times of n functions over their last one, n x m.
        noise: what is known of their noise.
    """
    prior = laws(basis)[1]
    m, ends = len(x), class_ends(basis)
    singles, pairs = ends
    terms = term_values(basis, tuple(x.tolist()), float(x[-1]))
    inverse = 1 / y.T
    square = inverse**2
    one, two = terms[0], terms[1, singles:]
    products = np.concatenate([one * one, two * two, one[singles:] * two]) @ square
    g11, g22, g12 = np.split(products, [len(one), len(one) + len(two)])
    r1, r2 = np.split(np.concatenate([one, two]) @ inverse, [len(one)])
    sizes = g11[singles:] * g22
    # Of three terms the constant is eliminated.
    size, triples = square.sum(0), slice(pairs - singles, None)
    level = inverse.sum(0) / size
    means = terms[:, pairs:] @ square / size
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
    letters = half_factors(np.arange(len(prior)), ends)[:, None]
    evidence = noise.evidence(left, letters)
    # The prior width of a factor is that with which its term makes up the measured times.
    width = letters * np.log(m)
    evidence += (prior[:, None] - width).astype(np.float32)
    with np.errstate(divide="ignore"):
        evidence[singles:] += 0.5 * np.log((sizes / det).astype(np.float32))
    return LinearFits(evidence, left, g11, g12, g22, r1, r2, means, level, size, ends)


def half_factors(law: Index, ends: tuple[int, int]) -> Floats:
    """Return half the number of the factors of laws."""
    letters: Floats = 0.5 + 0.5 * (law >= ends[0]) + 0.5 * (law >= ends[1])
    return letters


@dataclass(frozen=True, slots=True)
class PowerFits:
    """The power law of any exponent: by linear regression of logarithms.

    `evidence`, `left` (the squares that are left), `slope` and `level`, the logarithm of the time
    at the counts' mean (n each); `middle` is the logarithm of that, `size` the square of the
    counts' distances from it.
    """

    evidence: Singles
    left: Floats
    slope: Floats
    level: Floats
    middle: float
    size: float


def fit_power(x: Floats, y: Floats, noise: Noise) -> PowerFits:
    """Return the fit of the power law to times at counts, arguments as of `fit_linear`."""
    log_x, log_y = np.log(x), np.log(y)
    m, centred = len(x), log_x - log_x.mean()
    size, level = (centred**2).sum(), log_y.mean(1)
    slope = np.clip(log_y @ centred / size, -STEEPEST, STEEPEST)
    left = ((log_y - level[:, None] - slope[:, None] * centred) ** 2).sum(1)
    of_points = noise.evidence(left[None], np.ones((1, 1)))[0]
    # The exponent's prior is as wide as the range of exponents.
    evidence = CLASS_ODDS[-1] - 0.5 * np.log(m * size / (2 * np.pi)) - np.log(2 * STEEPEST)
    evidence = (evidence + of_points).astype(np.float32)
    return PowerFits(evidence, left, slope, level, log_x.mean(), size)
