"""Generated series for bench_changes: noise without a change, and changes at a known place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

Floats = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int, int], Floats]


@dataclass(frozen=True, slots=True)
class Case:
    """Series of one kind: their noise, what is added to it, and where it changes for good."""

    name: str
    points: int
    noise: Noise
    level: Callable[[int], Floats] = np.zeros
    changes: tuple[int, ...] = ()

    def series(self, seed: int, count: int) -> Floats:
        """Return (count, points) values around 100."""
        rng = np.random.default_rng(seed)
        return 100 + self.level(self.points) + self.noise(rng, count, self.points)


def gauss(rng: np.random.Generator, count: int, points: int) -> Floats:
    """White Gaussian noise of deviation 1."""
    return rng.standard_normal((count, points))


def ar1(rho: float) -> Noise:
    """First-order autoregressive Gaussian noise of deviation 1, stationary from the start."""

    def noise(rng: np.random.Generator, count: int, points: int) -> Floats:
        white = rng.standard_normal((count, points + 200))
        out: Floats = lfilter([np.sqrt(1 - rho**2)], [1, -rho], white, axis=1)
        return out[:, 200:]

    return noise


def log_normal(sigma: float) -> Noise:
    """Log-normal noise, exp(sigma Z)."""
    return lambda rng, count, points: np.exp(sigma * rng.standard_normal((count, points)))


def student(rng: np.random.Generator, count: int, points: int) -> Floats:
    """Student's t with 3 degrees of freedom."""
    return rng.standard_t(3, (count, points))


def outliers(share: float, size: float) -> Noise:
    """Gaussian noise with a share of points that lie far above it."""

    def noise(rng: np.random.Generator, count: int, points: int) -> Floats:
        return gauss(rng, count, points) + size * (rng.random((count, points)) < share)

    return noise


def one_outlier(rng: np.random.Generator, count: int, points: int) -> Floats:
    """Gaussian noise with one point 20 deviations off, anywhere."""
    out = gauss(rng, count, points)
    out[np.arange(count), rng.integers(points, size=count)] += 20
    return out


def scaled(*deviations: float) -> Noise:
    """Gaussian noise whose deviation changes in equal stretches."""

    def noise(rng: np.random.Generator, count: int, points: int) -> Floats:
        scale = np.repeat(deviations, -(-points // len(deviations)))[:points]
        return gauss(rng, count, points) * scale

    return noise


def walk(rng: np.random.Generator, count: int, points: int) -> Floats:
    """A random walk."""
    return np.cumsum(gauss(rng, count, points), axis=1)


def level_and_noise(share: float) -> Noise:
    """Return a random walk measured with noise of deviation 1; its steps have so much variance."""

    def noise(rng: np.random.Generator, count: int, points: int) -> Floats:
        return gauss(rng, count, points) + np.sqrt(share) * walk(rng, count, points)

    return noise


def stays(mean: float, gap: float) -> Noise:
    """Gaussian noise on two levels that far apart, each kept for so many points on average."""

    def noise(rng: np.random.Generator, count: int, points: int) -> Floats:
        turns = rng.random((count, points)) < 1 / mean
        is_high = (np.cumsum(turns, axis=1) + rng.integers(2, size=(count, 1))) % 2
        return gauss(rng, count, points) + gap * is_high

    return noise


def steps(*changes: tuple[int, float]) -> Callable[[int], Floats]:
    """Levels that change by so much at each index."""

    def level(points: int) -> Floats:
        out = np.zeros(points)
        for at, size in changes:
            out[at:] += size
        return out

    return level


def drift(total: float) -> Callable[[int], Floats]:
    """Return a straight line that rises by so much over the series."""
    return lambda points: np.linspace(0, total, points)


NULLS = (
    Case("Gaussian, 100", 100, gauss),
    Case("Gaussian, 400", 400, gauss),
    Case("AR(1) 0.5, 100", 100, ar1(0.5)),
    Case("AR(1) 0.5, 400", 400, ar1(0.5)),
    Case("log-normal 0.5, 200", 200, log_normal(0.5)),
    Case("log-normal 1, 100", 100, log_normal(1)),
    Case("log-normal 1, 400", 400, log_normal(1)),
)
HARD_NULLS = (
    Case("Gaussian, 20", 20, gauss),
    Case("Gaussian, 40", 40, gauss),
    Case("AR(1) 0.5, 20", 20, ar1(0.5)),
    Case("AR(1) 0.5, 40", 40, ar1(0.5)),
    Case("AR(1) 0.8, 200", 200, ar1(0.8)),
    Case("AR(1) -0.5, 200", 200, ar1(-0.5)),
    Case("t, 3 degrees, 200", 200, student),
    Case("one outlier of 20", 200, one_outlier),
    Case("2 % outliers of 10", 200, outliers(0.02, 10)),
    Case("10 % outliers of 10", 200, outliers(0.10, 10)),
    Case("deviation 1, then 4", 200, scaled(1, 4)),
    Case("deviation 1, 5, 1", 200, scaled(1, 5, 1)),
    Case("drift of 1 in 200", 200, gauss, drift(1)),
    Case("drift of 3 in 200", 200, gauss, drift(3)),
    Case("drift of 10 in 200", 200, gauss, drift(10)),
    Case("random walk, 200", 200, walk),
    Case("walk of variance 0.05, noise, 60", 60, level_and_noise(0.05)),
    Case("walk of variance 0.05, noise", 200, level_and_noise(0.05)),
    Case("walk of variance 0.2, noise", 200, level_and_noise(0.2)),
    Case("walk of variance 1, noise", 200, level_and_noise(1)),
    Case("two levels, stays of 10, 60", 60, stays(10, 5)),
    Case("two levels, stays of 20", 200, stays(20, 5)),
    Case("two levels, stays of 40, 400", 400, stays(40, 5)),
)
CHANGES = (
    Case("1 sigma", 200, gauss, steps((100, 1)), (100,)),
    Case("2 sigma", 200, gauss, steps((100, 2)), (100,)),
    Case("1 sigma, AR(1) 0.5", 200, ar1(0.5), steps((100, 1)), (100,)),
    Case("2 sigma, AR(1) 0.5", 200, ar1(0.5), steps((100, 2)), (100,)),
    Case("2, log-normal 1", 200, log_normal(1), steps((100, 2)), (100,)),
    Case("2 sigma, 10 before", 200, gauss, steps((10, 2)), (10,)),
    Case("2 sigma, 10 after", 200, gauss, steps((190, 2)), (190,)),
    Case("3 sigma, 5 after", 200, gauss, steps((195, 3)), (195,)),
    Case("5 sigma, 3 after", 200, gauss, steps((197, 5)), (197,)),
    Case("3 sigma at 30 of 40", 40, gauss, steps((30, 3)), (30,)),
    Case("5 sigma at 10 of 20", 20, gauss, steps((10, 5)), (10,)),
    Case("2 sigma, 2 % outliers", 200, outliers(0.02, 10), steps((100, 2)), (100,)),
    Case("2, deviation 1 then 4", 200, scaled(1, 4), steps((100, 2)), (100,)),
    Case("3 sigma for 20", 200, gauss, steps((90, 3), (110, -3)), (90, 110)),
    Case("stairs of 2 sigma", 200, gauss, steps((50, 2), (100, 2), (150, 2)), (50, 100, 150)),
    Case("2 sigma on drift of 2", 200, gauss, lambda n: drift(2)(n) + steps((100, 2))(n), (100,)),
)
