"""Whether steps explain a series, or a level that wanders: a random walk, or a slow autoregression.

Noise is white, plus a first-order autoregression, up to a random walk (the local level model of
Harvey, Forecasting, structural time series models and the Kalman filter, 1989). Its spectrum is all
that matters of it, by Whittle's likelihood (Estimation and information in stationary time series,
Arkiv foer matematik 2, 1953) of the cosine transform, which makes a random walk independent.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.fft import dct

from udfs.arrays import Floats
from udfs.changes.noise import NORMAL

_RHO = np.array([0.5, 0.8, 0.95, 1.0])  # of the autoregression; 1 is a random walk
_SHARES = 8  # sizes of the autoregression, relative to the white noise
_LARGEST = 100.0  # size of the autoregression over the white noise
_STEADY = 1 + _SHARES  # spectra that steps stand in: white noise, and the first autoregression
# Evidence that a step needs, in logarithms of the number of points: Zhang and Siegmund, A modified
# Bayes information criterion, Biometrics 63, 2007.
NEEDED = 3.0
# Twice the log of the odds that a series has no step, 4 to 1: of random walks with noise 1 to 6 %
# have one then, of steps of 2 deviations 70 % are found in 60 points (tests.bench.bench_modes).
PRIOR = 2 * float(np.log(4))
_SIZES = np.geomspace(0.1, 100, 140)
_CLIPPED = 3.0  # deviations from its level at which a point is clipped: noise is Gaussian here


def evident_steps(values: Floats, places: list[int], kept: list[int]) -> list[int]:
    """Return the steps of a series that explain it better than a wandering level would.

    The least evident step is left out, one after the other; of these sets it is the one with the
    most evidence, twice the log-likelihood averaged over spectra of noise, less what its steps
    need. Steps stand in noise that hardly remembers; a level that wanders is the other explanation,
    and any steps that are found beside it would explain parts of it.

    Args:
        values: (points,), without outliers.
        places: first points of levels, ascending.
        kept: those of them that are steps in any case.
    """
    points = len(values)
    squares, products, moments = _moments(_clipped(values, places), places)

    def evidence(of: list[int], among: int | None) -> tuple[float, Floats]:
        """Return that of some of the steps, and without each of them."""
        inverse = np.linalg.inv(products[:, of][:, :, of])
        sizes = np.einsum("gij,gj->gi", inverse, moments[:, of])
        rest = np.maximum(squares - (moments[:, of] * sizes).sum(axis=1), 1e-12 * squares)
        without = rest[:, None] + sizes**2 / np.einsum("gii->gi", inverse)
        every = np.column_stack([rest, without])
        mean = _evidence(every, points, among)
        return float(mean[0]), mean[1:]

    needed = NEEDED * float(np.log(points))
    left = list(range(len(places)))
    best, evident = -np.inf, left
    while True:
        is_least = len(left) == len(kept)
        own, without = evidence(left, None if is_least else _STEADY)
        own += PRIOR * is_least - needed * len(left)
        if own > best:
            best, evident = own, left
        free = [i for i, place in enumerate(left) if places[place] not in kept]
        if not free:
            break
        least = max(free, key=lambda i: float(without[i]))
        left = [place for i, place in enumerate(left) if i != least]
    return [places[i] for i in evident]


@lru_cache(maxsize=256)
def least_evident(points: int, rho: float) -> float:
    """Return the size of a step in the middle of a series that is evident, as a rule.

    Args:
        points: points of the series, four at least.
        rho: autocorrelation of its noise, which is of the first order; below 1.

    Returns:
        Size in standard deviations of the noise.
    """
    weights, _ = _spectra(points)
    frequency = np.pi * np.arange(1, points) / points
    noise = weights @ ((1 - rho**2) / (1 + rho**2 - 2 * rho * np.cos(frequency)))
    step = weights @ np.square(_steps(points, [points // 2])[:, 0])
    with_steps = noise[:, None] + np.multiply.outer(step, _SIZES**2)
    gain = _evidence(noise[:, None], points, _STEADY) - _evidence(with_steps, points)
    return float(_SIZES[np.argmax(gain > NEEDED * np.log(points) + PRIOR)])


def _evidence(squares: Floats, points: int, among: int | None = None) -> Floats:
    """Return twice the log-likelihood of weighted sums of squares, averaged over spectra.

    Args:
        squares: (spectra, models).
        points: points of the series.
        among: so many spectra, the steadiest; all if None.

    Returns:
        (models), apart from a constant.
    """
    _, log_determinants = _spectra(points)
    likely = np.log(np.maximum(squares[:among], 1e-300))
    likelihood = -(points - 1) * likely - log_determinants[:among, None]
    most = likelihood.max(axis=0)
    out: Floats = most + 2 * np.log(np.exp((likelihood - most) / 2).mean(axis=0))
    return out


def _clipped(values: Floats, places: list[int]) -> Floats:
    """Return the values, none of them far from the median of its level."""
    parts = np.split(values, places)
    medians = np.repeat([np.median(part) for part in parts], [len(part) for part in parts])
    apart = values - medians
    reach = _CLIPPED * NORMAL * float(np.median(np.abs(apart)))
    out: Floats = medians + np.clip(apart, -reach, reach)
    return out


@lru_cache(maxsize=16)
def _spectra(points: int) -> tuple[Floats, Floats]:
    """Return the inverse spectra of noise, (spectra, points - 1), and their log-determinants.

    White noise first, then by autocorrelation.
    """
    frequency = np.pi * np.arange(1, points) / points
    slow = 1 / (1 + _RHO[:, None] ** 2 - 2 * _RHO[:, None] * np.cos(frequency))
    shares = np.geomspace(1 / points, _LARGEST, _SHARES)
    some = (shares[:, None] * slow[:, None]).reshape(-1, points - 1)
    spectra = 1 + np.concatenate([0 * some[:1], some])
    return 1 / spectra, np.log(spectra).sum(axis=1)


def _moments(values: Floats, places: list[int]) -> tuple[Floats, Floats, Floats]:
    """Return sums of squares and products in the cosine transform, weighted by each spectrum.

    Returns:
        Of the values (spectra), of the steps (spectra, steps, steps), of both (spectra, steps).
    """
    points = len(values)
    weights, _ = _spectra(points)
    steps = _steps(points, places)
    transformed = dct(values, norm="ortho")[1:]
    products = weights @ (steps[:, :, None] * steps[:, None, :]).reshape(points - 1, -1)
    return (
        weights @ transformed**2,
        products.reshape(len(weights), len(places), len(places)),
        weights @ (steps * transformed[:, None]),
    )


def _steps(points: int, places: list[int]) -> Floats:
    """Return the cosine transforms of steps of size 1, (points - 1, steps)."""
    half = np.pi * np.arange(1, points)[:, None] / (2 * points)
    out: Floats = -np.sqrt(2 / points) * np.sin(2 * half * np.array(places)) / (2 * np.sin(half))
    return out
