"""The patent's bases as they stand, exponents free: by variable projection on grids that zoom in.

For fixed exponents each basis is linear in its factors, which have a closed form (Golub and
Pereyra, SIAM J. Numer. Anal. 10, 1973). The posterior of the exponents is summed over a grid, which
then moves to where it is not negligible, along its ridge: the exponents of a sum of decay and
growth depend on each other. Times with hardly any noise, as of a formula or rounded, get their
exponents by Gauss-Newton steps, and the posterior around them by Laplace's approximation (Tierney
and Kadane, Journal of the American Statistical Association 81, 1986). All functions with the same
counts are one array.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from udfs.arrays import Flags, Floats
from udfs.scaling.bases import Basis, Index
from udfs.scaling.evidence import Noise
from udfs.scaling.mixture import Mixture
from udfs.student import t_quantile

_LEAST, _DECAY, _GROWTH = 0.02, 2.2, 3.2
"""Range of the exponents."""
_COARSE: Final = (16, 14)
"""Exponents of growth and of decay that are tried first."""
_FINE: Final = 11  # exponents along each axis of the finer grid
_ZOOMS: Final = 2  # finer grids
_REACH: Final = 2.8
"""How far a finer grid reaches, in standard deviations of the tempered posterior."""
_TEMPER: Final = 0.5  # power of the posterior, which keeps its tails on the finer grid
_DRAWN: Final = 12  # exponents of growth that stand for the posterior
_MIDDLE: Final = _DRAWN // 2
"""Points of the posterior that stand for all of it."""
_STEPS: Final = 20
"""Gauss-Newton steps at most."""
_NEAR: Final = 2e-3
"""The relative distance from a law from which on its exponents lie in one cell of a grid."""
_IN_VAIN: Final = 3
"""Steps in a row that halve no function's squares, after which there are no more."""
_NEARLY: Final = 0.012  # relative error of the nearest grid law from which it is refined
_DAMPING: Final = 1e-4  # of the first step (Marquardt 1963)
_ZERO: Final = 1e-6  # factors that are 0 but for rounding
_SINGULAR: Final = 1e-12  # of a determinant: terms that are alike
_LETTERS: Final = np.full((1, 1), 1.5)
"""Half the factors."""
_RIDGE: Final = 1e-9  # added to squares, against division by 0
_FARTHEST: Final = 2.0  # error of a logarithm that is told apart
_TINY: Final = 1e-100  # length, against division by 0
_NORMAL: Final = 1.645  # 95 % quantile of the normal distribution
_ODDS: Final = -1.0
"""Prior probability of exponents that are no round ones."""


def letters(basis: Basis) -> int:
    """Return how many letters the basis has, exponents among them."""
    return 4 if basis.log else 5


def free_laws(basis: Basis, x: Floats, at: Floats, y: Floats, noise: Noise) -> Mixture:
    """Return draws of the posterior of the basis of a kind of function.

    The laws are a*p^c*log2(p)^logs + b*q + d, where q is log2(p) or p^-h; logs is 1 where the basis
    has `growth_log`.

    Args:
        basis: the kind's; with `log` it has log2(p) in place of a decaying term.
        x: the measured counts, ascending (m).
        at: the counts at which times are wanted.
        y: times of n functions over their last one, n x m.
        noise: what is known of their noise.
    """
    n, m, inverse, places = len(y), len(x), 1 / y.T, np.append(x, at)
    away = np.log(places / places[m - 1])
    tree = np.log2(places) / np.log2(places[m - 1])
    grown = tree if basis.growth_log else np.ones_like(tree)
    decays = not basis.log
    c = np.linspace(_LEAST, _GROWTH, _COARSE[0])[:, None, None]
    h = np.linspace(_LEAST, _DECAY, _COARSE[1])[None, :, None] if decays else np.zeros((1, 1, 1))
    for zoom in range(_ZOOMS + 1):
        found, _ = _fit(*_terms(c, h, away[:m], tree[:m], grown[:m], decays), inverse, 1)
        left = found.reshape(-1, n)
        evidence: Floats = noise.evidence(left, _LETTERS).astype(float).reshape(found.shape)
        step_c = np.diff(c, axis=0)[:1]
        step_h = np.diff(h, axis=1)[:, :1] if decays else np.ones((1, 1, 1))
        evidence += np.log(step_c) + np.log(step_h)
        if zoom == _ZOOMS:
            break
        c, h = _zoomed(c, h, evidence, decays)
    c, h = (np.broadcast_to(part, evidence.shape).reshape(-1, n) for part in (c, h))
    evidence = evidence.reshape(-1, n)
    total = np.logaddexp.reduce(evidence, axis=0)
    spread = np.log(_GROWTH - _LEAST) + (np.log(_DECAY - _LEAST) if decays else 0.0)
    drawn = _draws(evidence)
    # the one in the middle is the one nearest to the points
    drawn[_MIDDLE] = left.argmin(0)
    c, h = (np.take_along_axis(part, drawn, 0) for part in (c, h))
    left, factors = _fit(*_terms(c, h, away[:m], tree[:m], grown[:m], decays), inverse, 4)
    exponents = np.stack([c, h])
    terms = _Terms(away[:m], tree[:m], grown[:m], decays)
    rows, fine, fine_factors, fine_left = _polished(
        terms, np.stack([c[_MIDDLE], -h[_MIDDLE]]), left[_MIDDLE], y, noise.may_be_exact
    )
    fine[1] *= -1
    exponents[:, _MIDDLE, rows], factors[:, _MIDDLE, rows] = fine, fine_factors
    left[_MIDDLE, rows] = fine_left
    one, two = _terms(exponents[0], exponents[1], away, tree, grown, decays)
    parts = np.stack([one, np.broadcast_to(two, one.shape), np.ones_like(one)])
    values = (factors[:, None] * parts[:, m:]).sum(0)
    sigma = noise.deviation(left, _LETTERS)
    errors = _errors(parts, factors > 0, inverse, m) / np.maximum(values, 1e-300)
    errors = np.minimum(errors * sigma, _FARTHEST)
    odds = total - np.log(_DRAWN) + np.zeros_like(left)
    if len(rows):
        own = factors[:, _MIDDLE, rows], inverse[:, rows]
        point, freedom = noise.exact_deviation(left[_MIDDLE, rows], letters(basis) / 2)
        off, volume = _narrow(parts[:, :, _MIDDLE, rows], away, decays, *own, point)
        reach = t_quantile(freedom, 0.95) / _NORMAL
        errors[:, _MIDDLE, rows] = np.minimum(off * reach / values[:, _MIDDLE, rows], _FARTHEST)
        sigma[_MIDDLE, rows] = point
        # Exponents of terms that the points do not show are in all of their range.
        volume = np.where(np.isfinite(volume), np.minimum(volume, spread), spread)
        odds[_MIDDLE, rows] = noise.exact_evidence(left[_MIDDLE, rows], _LETTERS[0], rows) + volume
    alone = np.zeros_like(left)
    odds += noise.normaliser + _ODDS - spread - np.log(m) * _LETTERS[0]
    return Mixture(
        odds=odds,
        values=np.log(np.maximum(values, 1e-300)),
        errors=errors,
        sigma=sigma,
        left=left,
        factors=factors,
        exponents=np.stack([exponents[0], -exponents[1], alone]),
        logs=np.stack([alone + basis.growth_log, alone + basis.log, alone]),
        half=alone,
        after=np.zeros(alone.shape, np.intp),
    )


def _terms(
    c: Floats, h: Floats, away: Floats, tree: Floats, grown: Floats, decays: bool
) -> tuple[Floats, Floats]:
    """Return the two terms at places, the first axis; c and h are of any shape."""
    ones = (1,) * c.ndim
    away, tree, grown = (part.reshape(-1, *ones) for part in (away, tree, grown))
    one = np.exp(c * away)
    one *= grown
    return one, np.exp(-h * away) if decays else tree


def _products(one: Floats, two: Floats, inverse: Floats) -> tuple[Floats, ...]:
    """Return sums over the counts, weighted: of terms' squares, product, and with the times."""
    if one.shape[-1] == 1:
        square = inverse**2

        def summed(terms: Floats, weights: Floats) -> Floats:
            """Return the sums of terms that are the same for all functions."""
            flat = terms.reshape(len(terms), -1).T @ weights
            return flat.reshape(*terms.shape[1:-1], -1)

        (a, s, r), (b, t, q) = (
            (summed(term * term, square), summed(term, square), summed(term, inverse))
            for term in (one, two)
        )
        return a, b, summed(one * two, square), s, t, r, q
    of_one, of_two = (
        np.zeros((3, *np.broadcast_shapes(term.shape[1:], inverse.shape[1:])))
        for term in (one, two)
    )
    ab = np.zeros(np.broadcast_shapes(of_one.shape, of_two.shape)[1:])
    for i, weight in enumerate(inverse):
        u, v = one[i] * weight, two[i] * weight
        ab += u * v
        for sums, part in ((of_one, u), (of_two, v)):
            sums[0] += part * part
            sums[1] += part * weight
            sums[2] += part
    (a, s, r), (b, t, q) = of_one, of_two
    return a, b, ab, s, t, r, q


def _fit(one: Floats, two: Floats, inverse: Floats, wanted: int) -> tuple[Floats, Floats]:
    """Return the squares that are left, and with `wanted` 4 the three factors, of zero or more.

    Args:
        one: the first term at the m counts, m x c x 1 x n, n 1 where all functions have the same.
        two: the second, m x c x h x n, c 1 where all the first terms have the same.
        inverse: one over the times, m x n.
        wanted: 1 for the squares alone.
    """
    m = len(inverse)
    a, b, ab, s, t, r, q = _products(one, two, inverse)
    size, level = (inverse**2).sum(0), inverse.sum(0)
    constant = level / size
    base = level * constant

    def best(shape: tuple[int, ...], *fits: tuple[Any, ...]) -> Floats:
        """Return the largest gain of fits and its factors: wanted x shape."""
        found = np.zeros((wanted, *shape))
        for known, *parts in fits:
            better = known & (parts[0] > found[0])
            for place, part in zip(found, parts, strict=False):
                np.copyto(place, part, where=better)
        return found

    def alone(square: Floats, own: Floats, product: Floats, rest: Floats, share: Floats) -> Floats:
        """Return the gain and factor of one term, and the constant beside it."""
        factor = rest / own
        third = constant - factor * share
        known = own > _SINGULAR * square
        return best(
            square.shape,
            (True, base, 0.0, constant),
            (known & (factor > 0) & (third > 0), rest * factor + base, factor, third),
            (known & (third <= 0), product * product / square, product / square, 0.0),
        )

    with np.errstate(all="ignore"):
        # with the constant eliminated
        s_share, t_share = s / size, t / size
        ac, bc, abc = a - s * s_share, b - t * t_share, ab - s * t_share
        rc, qc = r - s * constant, q - t * constant
        first, second = alone(a, ac, r, rc, s_share), alone(b, bc, q, qc, t_share)
        det = a * b - ab * ab
        f, g = (b * r - ab * q) / det, (a * q - ab * r) / det
        pair = (f > 0) & (g > 0) & (det > _SINGULAR * a * b), f * r + g * q, f, g, 0.0
        det = ac * bc - abc * abc
        f, g = (bc * rc - abc * qc) / det, (ac * qc - abc * rc) / det
        third = constant - f * s_share - g * t_share
        known = (f > 0) & (g > 0) & (third > 0) & (det > _SINGULAR * ac * bc)
        found = best(
            ab.shape,
            (True, *first[:2], 0.0, *first[2:]),
            (True, second[0], 0.0, *second[1:]),
            pair,
            (known, f * rc + g * qc + base, f, g, third),
        )
    return np.maximum(m - found[0], 0.0), found[1:]


def _zoomed(c: Floats, h: Floats, evidence: Floats, decays: bool) -> tuple[Floats, Floats]:
    """Return a finer grid where the posterior is not negligible, along its ridge."""
    weight = np.exp(_TEMPER * (evidence - evidence.max((0, 1))))
    weight /= weight.sum((0, 1))
    middle = (weight * c).sum((0, 1))
    off = c - middle
    variance = (weight * off**2).sum((0, 1))
    step = (c[1] - c[0])[0]
    reach = _REACH * np.maximum(np.sqrt(variance), 0.5 * step)
    part = np.linspace(0, 1, _FINE)
    low, high = np.maximum(middle - reach, _LEAST), np.minimum(middle + reach, _GROWTH)
    fine = low + part[:, None] * (high - low)
    if not decays:
        return fine[:, None], h
    step = (h[:, 1] - h[:, 0]).max(0)
    centre = (weight * h).sum((0, 1))
    slope = (weight * off * (h - centre)).sum((0, 1)) / np.maximum(variance, (0.1 * step) ** 2)
    rest = (weight * (h - centre - slope * off) ** 2).sum((0, 1))
    reach = _REACH * np.maximum(np.sqrt(rest), 0.5 * step)
    along = np.clip(centre + slope * (fine - middle), _LEAST, _DECAY)
    low = np.clip(along - reach, _LEAST, _DECAY - 0.5 * reach)
    high = np.clip(along + reach, low + 0.5 * reach, _DECAY)
    return fine[:, None], low[:, None] + part[:, None] * (high - low)[:, None]


def _draws(evidence: Floats) -> Index:
    """Return the places of draws at even steps of the posterior: k x n."""
    up_to = np.cumsum(np.exp(evidence - evidence.max(0)), axis=0)
    up_to /= up_to[-1]
    steps = (np.arange(_DRAWN) + 0.5) / _DRAWN
    found: Index = (up_to[None] < steps[:, None, None]).sum(1)
    return found


@dataclass(frozen=True, slots=True)
class _Terms:
    """The two terms of a basis at the measured counts, and which of them has which exponent."""

    away: Floats
    tree: Floats
    grown: Floats
    decays: bool

    def projected(self, some: Floats, inverse: Floats) -> tuple[Floats, Floats, Floats]:
        """Return what the linear factors leave, these, and the slopes of the exponents.

        Args:
            some: exponents of n functions, n x 2.
            inverse: one over their times, n x m.
        """
        one = np.exp(some[:, :1] * self.away) * self.grown
        two = np.exp(some[:, 1:] * self.away) if self.decays else self.tree + 0 * one
        terms = np.stack([one, two, np.ones_like(one)], 2) * inverse[..., None]
        basis, upper = np.linalg.qr(terms)
        along = basis.sum(1)
        off = 1 - (basis @ along[..., None])[..., 0]
        factors = np.linalg.solve(upper + _SINGULAR * np.eye(3), along[..., None])[..., 0]
        slopes = factors[:, None, :2] * terms[..., :2] * self.away[:, None]
        slopes = slopes[..., : 1 + self.decays]
        return off, factors, slopes - basis @ (basis.transpose(0, 2, 1) @ slopes)

    def refined(self, exponents: Floats, inverse: Floats) -> tuple[Floats, Floats, Floats]:
        """Return exponents, factors and squares left after damped Gauss-Newton steps."""
        letters = 1 + self.decays
        off, factors, slopes = self.projected(exponents, inverse)
        left = (off**2).sum(1)
        damping, in_vain = np.full(len(left), _DAMPING), 0
        for _ in range(_STEPS):
            if in_vain == _IN_VAIN:
                break
            normal = slopes.transpose(0, 2, 1) @ slopes
            size = np.trace(normal, axis1=1, axis2=2) * damping + 1e-300
            normal += size[:, None, None] * np.eye(letters)
            move = np.linalg.solve(normal, (slopes * off[..., None]).sum(1)[..., None])[..., 0]
            tried = exponents.copy()
            tried[:, :letters] += move
            tried[:, 0] = np.clip(tried[:, 0], 0, _GROWTH)
            tried[:, 1] = np.clip(tried[:, 1], -_DECAY, 0)
            found = self.projected(tried, inverse)
            squares = (found[0] ** 2).sum(1)
            better = squares < left
            in_vain = 0 if (squares < left / 2).any() else in_vain + 1
            exponents[better], left[better] = tried[better], squares[better]
            for part, other in zip((off, factors, slopes), found, strict=True):
                part[better] = other[better]
            damping = np.where(better, damping / 30, damping * 30)
        return exponents, factors, left


def _polished(
    terms: _Terms, exponents: Floats, left: Floats, y: Floats, may_be_exact: Flags
) -> tuple[Index, Floats, Floats, Floats]:
    """Return rows of functions with hardly any noise, and their exponents, factors, squares left.

    Args:
        terms: the terms.
        exponents: those nearest to the points, 2 x n.
        left: the squares that they leave, n.
        y: times over their last one, n x m.
        may_be_exact: whether times may have hardly any noise, n.
    """
    m = y.shape[1]
    rows = np.flatnonzero(may_be_exact & (left < m * _NEARLY**2))
    found, factors, left = terms.refined(exponents.T[rows], 1 / y[rows])
    near = (np.sqrt(left / m) < _NEAR) & (factors > -_ZERO).all(1)
    return rows[near], found[near].T, np.maximum(factors[near], 0).T, left[near]


def _narrow(
    parts: Floats, away: Floats, decays: bool, factors: Floats, inverse: Floats, sigma: Floats
) -> tuple[Floats, Floats]:
    """Return the standard errors of values at places, t x n, and the exponents' posterior volume.

    Of exponents that are known far better than the cells of a grid: Laplace's approximation, by the
    slopes of all letters. The volume is a logarithm.

    Args:
        parts: the three terms at the m measured counts and at the places, 3 x (m + t) x n.
        away: logarithms of these over the last measured one.
        decays: whether the second term has an exponent.
        factors: the terms' factors, 3 x n.
        inverse: one over the times, m x n.
        sigma: relative standard deviation of a point, n.
    """
    m = len(inverse)
    slopes = (parts[:2] * factors[:2, None])[: 1 + decays] * away[:, None]
    columns = np.concatenate([slopes, parts])
    scaled = columns[:, :m] * inverse
    size = np.sqrt((scaled**2).sum(1)) + _TINY
    solved = np.linalg.pinv((scaled / size[:, None]).transpose(2, 1, 0), rcond=_SINGULAR)
    at = (columns[:, m:] / size[:, None]).transpose(2, 1, 0)
    of_exponents = solved[:, : 1 + decays] / size.T[:, : 1 + decays, None]
    spread = np.linalg.slogdet(of_exponents @ of_exponents.transpose(0, 2, 1))[1]
    volume = spread / 2 + (1 + decays) * np.log(np.sqrt(2 * np.pi) * sigma)
    return np.sqrt(((at @ solved) ** 2).sum(2)).T * sigma, volume


def _errors(parts: Floats, used: Flags, inverse: Floats, m: int) -> Floats:
    """Return the standard errors of the values at places, over the noise of a point.

    Args:
        parts: the three terms at the m measured counts and at the places, 3 x (m + t) x k x n.
        used: which terms a law has, 3 x k x n.
        inverse: one over the times, m x n.
        m: how many counts were measured.
    """
    scaled = parts[:, :m] * used[:, None] * inverse[:, None]
    size = np.sqrt((scaled**2).sum(1)) + 1e-300
    scaled /= size[:, None]
    # by the triangular factors of the products, which are 1 on the diagonal
    b, c, d = ((scaled[i] * scaled[j]).sum(0) for i, j in ((0, 1), (0, 2), (1, 2)))
    second = 1 + _RIDGE - b * b
    d = (d - b * c) / second
    third = 1 + _RIDGE - c * c - d * d * second
    u, v, w = parts[:, m:] * used[:, None] / size[:, None]
    v = v - b * u
    w = w - c * u - d * v
    errors: Floats = np.sqrt(u * u + v * v / second + w * w / third)
    return errors
