"""Models of two parameters: parallelism p and problem size n.

The performance model normal form (Calotoiu et al., SC 2013): a constant and up to two products of
a term in p and a term in n. The best sets of one product and of two, with and without a constant,
are candidates, each with the exponents of the grid and with free ones (damped Gauss-Newton steps:
Marquardt, SIAM Journal on Applied Mathematics 11, 1963). They are weighted by their evidence
(Laplace's approximation: Tierney and Kadane, Journal of the American Statistical Association 81,
1986); the likeliest predicts, and the interval holds what the others would.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from udfs.arrays import Flags, Floats
from udfs.scaling.bases import Index
from udfs.scaling.evidence import Noise

MIN_POINTS = 5  # of both parameters together, that a surface needs
_P_POWERS = (0.0, -1.0, -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1.0)  # of the parallelism
_N_POWERS = (0.0, 1 / 3, 0.5, 2 / 3, 1.0, 1.5, 2.0, 3.0)  # of the problem size
_P_TERMS = (*((power, 0) for power in _P_POWERS), (0.0, 1))
"""Exponent of p and of log2(p) of each term in p."""
_N_TERMS = (*((power, 0) for power in _N_POWERS), (0.0, 1), (1.0, 1))
"""Exponent of n and of log2(n) of each term in n."""
_GRID: Final = np.array([(p, n, p_log, n_log) for p, p_log in _P_TERMS for n, n_log in _N_TERMS])
"""The exponents of p, n, log2(p) and log2(n) of each product; the first one is the constant."""
_PLAIN: Final = _GRID[(_GRID[:, 2:] == 0).all(1)]
"""Those without logarithms, from which free exponents start."""
_SETS: Final = np.array([1, 1, (len(_GRID) - 1) / 2, (len(_GRID) - 1) / 2]) * len(_GRID)
"""How many sets there are of one product, of one and a constant, of two, and of two and one."""
_FURTHER: Final = np.log(0.05)
"""Odds, as a logarithm, that a further product has to beat to predict, as two may be alike: strong
evidence (Kass and Raftery, Journal of the American Statistical Association 90, 1995)."""
_LEAST, _MOST = np.array([-2.2, 0.0]), np.array([3.2, 3.2])
"""Range of free exponents of p and of n."""
_STEPS: Final = 30  # Gauss-Newton steps at most
_DAMPING: Final = 1e-4  # of the first step
_LEAST_DAMPING: Final = 1e-12  # with which products that are alike can be solved for
_SINGULAR: Final = 1e-10  # squared sine below which terms are alike
_PRECISION: Final = np.array([1 / 9, 1.0, 1.0])
"""Prior of the logarithm of a factor and of the exponents of p and n: one over the variance."""


@dataclass(frozen=True, slots=True)
class Surface:
    """k models of each of n functions, of three products each.

    `factors` (n x k x 3, 0 where there are fewer products) are for products that are 1 at the
    largest p and n, `exponents` (n x k x 3 x 4) those of p, n, log2(p) and log2(n). `weight` (n x
    k) are their probabilities, `covariance` (n x k x 9 x 9) that of the logarithms of the factors
    and of the exponents of p and n. `best` (n) is the place of the one that predicts, `error` (n)
    its cross-validated relative error (root mean square).
    """

    largest: tuple[float, float]
    factors: Floats
    exponents: Floats
    weight: Floats
    covariance: Floats
    best: Index
    error: Floats

    @property
    def terms(self) -> tuple[Floats, Floats]:
        """The factors and exponents of the model that predicts: n x 3, n x 3 x 4."""
        cells = np.arange(len(self.best)), self.best
        return self.factors[cells], self.exponents[cells]

    def at(self, p: Floats, n: Floats) -> Floats:
        """Return the seconds at points (p, n): functions x points."""
        factors, exponents = self.terms
        return _values(factors, exponents, _logs(p, n, self.largest))[0]

    def ratio(self, p: Floats, n: float, own: float) -> tuple[Floats, Floats]:
        """Return how times at size n differ from those at another size, and the standard error.

        As logarithms, functions x points; the error holds what the other models would predict.
        """
        logs = [_logs(p, np.full(len(p), size), self.largest) for size in (n, own)]
        (some, slopes), (others, other) = (
            _values(self.factors, self.exponents, one) for one in logs
        )
        tiny = np.finfo(float).tiny
        some, others = np.maximum(some, tiny), np.maximum(others, tiny)
        apart = slopes / some[..., None, :] - other / others[..., None, :]
        variance = (apart * (self.covariance @ apart)).sum(2)
        ratio = np.log(some / others)
        best = np.take_along_axis(ratio, self.best[:, None, None], 1)
        variance += (ratio - best) ** 2
        return best[:, 0], np.sqrt((self.weight[..., None] * variance).sum(1))


def fit_surface(p: Floats, n: Floats, y: Floats) -> Surface:
    """Fit functions that were measured at the same points.

    Args:
        p: parallelism of the m points.
        n: problem size of the points.
        y: times of the functions at the points (functions x points), s, above zero.
    """
    largest, (count, m) = (float(p.max()), float(n.max())), y.shape
    logs = _logs(p, n, largest)
    starts = []
    for some, may_move in ((_GRID, False), (_PLAIN, True)):
        products = _values(np.ones((len(some), 1)), some[:, None], logs)[0]
        terms, factors = _best_sets(products / y[:, None])
        starts.append((factors, some[terms], may_move & (terms > 0)))
    factors, exponents, free = (np.concatenate(part, 1) for part in zip(*starts, strict=True))
    used = factors > 0
    letters = np.stack([used, used & free, used & free], -1)
    factors, exponents, off, slopes = _refined(factors, exponents, letters, logs, y)
    left, spent = (off**2).sum(-1), letters.sum((2, 3))
    noise = Noise.known(np.zeros(count), m)
    none = np.zeros((1, 1))
    sigma = noise.deviation(left.T, none).T * np.sqrt(m / np.maximum(m - spent, 1))
    prior = np.tile(_PRECISION, letters.shape[2])
    precision = slopes @ slopes.swapaxes(2, 3) / sigma[..., None, None] ** 2 + np.diag(prior)
    evidence = noise.evidence(left.T, none).T.astype(float)
    # Letters that a model lacks are in both determinants.
    evidence += (np.log(prior).sum() - np.linalg.slogdet(precision)[1]) / 2
    # A set of the grid is the best of many, a set of free exponents has them in its determinant.
    evidence[:, : len(_SETS)] -= np.log(_SETS)
    evidence[~used.any(-1)] = -np.inf
    weight = np.exp(evidence - evidence.max(1, keepdims=True))
    weight /= weight.sum(1, keepdims=True)
    known = letters.reshape(*weight.shape, -1)
    covariance = np.linalg.inv(precision) * known[..., None] * known[..., None, :]
    likeliest = (evidence + _FURTHER * used.sum(-1)).argmax(1)
    best = np.arange(count), likeliest
    spare = np.maximum(1 - spent[best] / m, 0)
    with np.errstate(divide="ignore"):
        error = np.sqrt(left[best] / m) / spare
    return Surface(largest, factors, exponents, weight, covariance, likeliest, error)


def _logs(p: Floats, n: Floats, largest: tuple[float, float]) -> Floats:
    """Return what is raised to powers at points, over its value at the largest p and n.

    As logarithms of p and n, and as log2(p) and log2(n): 4 x points.
    """
    pairs = list(zip((p, n), largest, strict=True))
    trees = [np.log2(np.maximum(x, 1.0)) / max(np.log2(last), 1e-9) for x, last in pairs]
    return np.stack([np.log(x / last) for x, last in pairs] + trees)


def _values(factors: Floats, exponents: Floats, logs: Floats) -> tuple[Floats, Floats]:
    """Return sums of products at points, ... x points, and their slopes.

    Those by the logarithms of the factors and the exponents of p and n, ... x letters x points.

    Args:
        factors: of the products, ... x products.
        exponents: of p, n, log2(p) and log2(n), ... x products x 4.
        logs: as of `_logs`, 4 x points.
    """
    parts = factors[..., None] * np.exp(exponents[..., :2] @ logs[:2])
    for place in (2, 3):
        parts *= logs[place] ** exponents[..., place : place + 1]
    slopes = parts[..., None, :] * np.stack([np.ones_like(logs[0]), *logs[:2]])
    return parts.sum(-2), slopes.reshape(*factors.shape[:-1], -1, logs.shape[1])


def _best_sets(scaled: Floats) -> tuple[Index, Floats]:
    """Return the best sets as of `_SETS`.

    Their places and their factors, 0 where there are fewer or none fit: n x 4 x 3.

    Args:
        scaled: the products over the times, n x products x points; the constant is the first.
    """
    count, everyone = len(scaled), np.arange(len(scaled))
    terms, factors = np.zeros((count, 4, 3), np.intp), np.zeros((count, 4, 3))
    # A logarithm is 0 at all sizes up to 1.
    square, right = np.maximum((scaled**2).sum(2), np.finfo(float).tiny), scaled.sum(2)
    terms[:, 0, 0] = alone = (right**2 / square).argmax(1)
    factors[:, 0, 0] = (right / square)[everyone, alone]
    cross = scaled @ scaled.swapaxes(1, 2)
    share, level = cross[:, 0] / square[:, :1], right[:, :1] / square[:, :1]
    for place, constant, partners in ((1, 0.0, 1), (2, 0.0, len(_GRID)), (3, 1.0, len(_GRID))):
        # The constant is eliminated.
        of_both = cross - constant * share[:, :, None] * cross[:, :1]
        own = np.diagonal(of_both, axis1=1, axis2=2)
        rest = right - constant * share * right[:, :1]
        size = own[:, :, None] * own[:, None]
        with np.errstate(all="ignore"):
            determinant = size - of_both**2
            one = (own[:, None] * rest[:, :, None] - of_both * rest[:, None]) / determinant
            gain = one * rest[:, :, None]
            third = level[..., None] - one * share[..., None]
            third -= (one * share[..., None]).swapaxes(1, 2)
            fits = (one > 0) & (one.swapaxes(1, 2) > 0) & (determinant > _SINGULAR * size)
            fits &= (own > _SINGULAR * square)[:, :, None] & (own > _SINGULAR * square)[:, None]
            fits &= (third > 0) | (constant == 0)
            fits[..., partners:] = False
            gain = np.where(fits, gain + gain.swapaxes(1, 2), -1.0).reshape(count, -1)
        best = gain.argmax(1)
        i, j = np.divmod(best, scaled.shape[1])
        some = np.flatnonzero(gain[everyone, best] > 0)
        i, j = i[some], j[some]
        terms[some, place, :2] = np.stack([i, j], 1)
        factors[some, place] = np.stack(
            [one[some, i, j], one[some, j, i], constant * third[some, i, j]], 1
        )
    return terms, factors


def _refined(
    factors: Floats, exponents: Floats, letters: Flags, logs: Floats, y: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return factors and exponents after damped Gauss-Newton steps.

    And the relative distances from the times (n x k x points), and the slopes of the models over
    the times (n x k x letters x points).

    Args:
        factors: of the products, n x k x products.
        exponents: of p, n, log2(p) and log2(n), n x k x products x 4.
        letters: which of a product's factor and exponents of p and n may move, n x k x products
            x 3.
        logs: as of `_logs`.
        y: times, n x points, s.
    """
    shape, inverse = letters.shape, 1 / y[:, None]
    moving = letters.reshape(*shape[:2], -1)

    def missed(factors: Floats, exponents: Floats) -> tuple[Floats, Floats]:
        """Return the relative distances and slopes."""
        values, slopes = _values(factors, exponents, logs)
        return 1 - values * inverse, slopes * inverse[:, None] * moving[..., None]

    off, slopes = missed(factors, exponents)
    damping = np.full(shape[:2], _DAMPING)
    for _ in range(_STEPS):
        normal = slopes @ slopes.swapaxes(2, 3)
        size = np.trace(normal, axis1=2, axis2=3) * damping + np.finfo(float).tiny
        normal += size[..., None, None] * np.eye(normal.shape[-1])
        move = np.linalg.solve(normal, slopes @ off[..., None]).reshape(shape)
        tried = factors * np.exp(np.clip(move[..., 0], -1, 1)), exponents.copy()
        tried[1][..., :2] = np.clip(exponents[..., :2] + move[..., 1:], _LEAST, _MOST)
        found = missed(*tried)
        better = (found[0] ** 2).sum(-1) < (off**2).sum(-1)
        for part, other in zip((factors, exponents, off, slopes), (*tried, *found), strict=True):
            part[better] = other[better]
        damping = np.maximum(np.where(better, damping / 10, damping * 10), _LEAST_DAMPING)
    return factors, exponents, off, slopes
