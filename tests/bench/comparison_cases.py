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
