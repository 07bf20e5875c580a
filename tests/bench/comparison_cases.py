"""Generated pairs of versions with nothing, or one thing, between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.bench.change_cases import ar1

Floats = NDArray[np.float64]
Side = list[list[float]]


@dataclass(frozen=True, slots=True)
class Noise:
    """Noise of log times: of each metric, of the whole machine, and how far it remembers."""

    name: str
    sigma: float = 0.05
    memory: float = 0.0
    common: float = 0.0
    spread: float = 0.0
    outliers: float = 0.0

    def draw(self, rng: np.random.Generator, metrics: int, points: int) -> Floats:
        """Return (metrics, points) logarithms around 0; sigma differs by metric with `spread`."""
        every = _series(rng, metrics, points, self.memory)
        shared = _series(rng, 1, points, self.memory)
        sigma = self.sigma * np.exp(self.spread * rng.standard_normal((metrics, 1)))
        logs = sigma * (np.sqrt(1 - self.common) * every + np.sqrt(self.common) * shared)
        far = rng.random(logs.shape) < self.outliers
        out: Floats = np.where(far, logs + 10 * sigma, logs)
        return out


NOISES = (
    Noise("log-normal"),
    Noise("AR(1) 0.5", memory=0.5),
    Noise("whole machine", common=0.98),
    Noise("whole machine, AR(1) 0.5", common=0.5, memory=0.5),
    Noise("quiet and loud metrics", spread=1.0),
    Noise("2 % outliers", outliers=0.02),
)


def _series(rng: np.random.Generator, metrics: int, points: int, memory: float) -> Floats:
    if memory == 0:
        return rng.standard_normal((metrics, points))
    out: Floats = ar1(memory)(rng, metrics, points)
    return out


def pairs(
    noise: Noise, *, seed: int, count: int, metrics: int, repetitions: int | None = None
) -> Iterator[tuple[Side, Side]]:
    """Return equal versions, 3 to 10 repetitions each; their metrics are of very different size."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = repetitions or int(rng.integers(3, 11))
        times = np.exp(2 * rng.standard_normal((metrics, 1)) + noise.draw(rng, metrics, 2 * n))
        yield times[:, :n].tolist(), times[:, n:].tolist()


def processes(
    *, seed: int, count: int, metrics: int, runs: int, between: float = 0.02, within: float = 0.005
) -> Iterator[tuple[Side, Side]]:
    """Return equal versions of `runs` processes that repeat their work ten times, as run means.

    `between` processes the time differs by that (standard deviation of its logarithm), half of it
    for all metrics alike, as of machine and memory layout; `within` a process by far less.
    """
    rng = np.random.default_rng(seed)
    for _ in range(count):
        shape = (metrics, 2 * runs)
        own = rng.standard_normal(shape)
        common = rng.standard_normal((1, 2 * runs))
        level = between * np.sqrt(0.5) * (own + common)
        repeated = level[:, :, None] + within * rng.standard_normal((*shape, 10))
        size = np.exp(2 * rng.standard_normal((metrics, 1)))
        times = (size[:, :, None] * np.exp(repeated)).mean(axis=2)
        yield times[:, :runs].tolist(), times[:, runs:].tolist()
