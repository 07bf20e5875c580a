"""The throughput network: principal components, hidden layers of 30, 15 and 15 nodes.

After a patent of Southeast University (2016) on predicting average steady-state throughput: a
logistic sigmoid into the first two layers, linear after, trained over all samples at once by a
second-order method (`udfs.throughput.optimisers`). The loss is pseudo-Huber on the logarithm, so
that outliers do not dominate; a few networks from different starts are averaged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from udfs.arrays import Floats
from udfs.blas import one_blas_thread
from udfs.throughput.optimisers import OPTIMISERS

Arrays = dict[str, Floats]

LAYERS = (30, 15, 15)  # nodes of the hidden layers
# Share of the variance that the principal components keep.
KEPT = 0.999
# Residuals on the logarithm above this (5 % of the value) count linearly.
_TURN = 0.05
_CLIP = 5.0  # deviations, beyond which inputs count as these
_CHUNK = 1 << 15  # segments at a time, which limits memory
# Samples of which all derivatives are in memory at a time.
_ROWS = 1 << 11


@dataclass(frozen=True, slots=True)
class Training:
    """How a network is trained.

    At most so many `iterations` of the `optimiser`, which end where one makes the loss smaller by
    no more than the `precision`; networks to average, and the weight decay.
    """

    iterations: int = 400
    members: int = 3
    decay: float = 1e-4
    optimiser: str = "lbfgs"
    precision: float = 2e-9


def fit_network(
    x: NDArray[np.floating],
    y: Floats,
    weights: Floats | None = None,
    *,
    seed: int = 0,
    training: Training | None = None,
) -> Arrays:
    """Train networks on features (n x m, NaN where unknown) and a logarithm (n).

    Args:
        x: features; unknown ones count as the mean.
        y: values to predict.
        weights: weight of each sample; equal where omitted.
        seed: of the networks' starts.
        training: parameters of the training; the defaults where omitted.

    Returns:
        `mean` and `deviation` (m), `components` (m x c), and the members' weights `w0` .. `w3` and
        `b0` .. `b3`, the member being the first dimension; `loss` of each member.
    """
    training = training or Training()
    weights = np.ones(len(y)) if weights is None else weights / weights.mean()
    scale = principal(x)
    points = projected(x, scale)
    centre, width = float(np.average(y, weights=weights)), float(max(y.std(), 1e-6))
    goal, turn = (y - centre) / width, _TURN / width
    sizes = (points.shape[1], *LAYERS, 1)
    found, losses = [], []
    problem = _Problem(points, goal, weights, sizes, turn, training.decay)
    minimise = OPTIMISERS[training.optimiser]
    for member in range(training.members):
        begin = _start(sizes, np.random.default_rng([seed, member]))
        with one_blas_thread():
            flat = minimise(problem, begin, training.iterations, training.precision)
        found.append(_layers(flat, sizes))
        losses.append(problem.loss(flat)[0])
    arrays = {"goal": np.array([centre, width]), "loss": np.array(losses), **scale}
    for i in range(len(LAYERS) + 1):
        arrays[f"w{i}"] = np.stack([layers[i][0] for layers in found])
        arrays[f"b{i}"] = np.stack([layers[i][1] for layers in found])
    return arrays


def predict_network(x: NDArray[np.floating], arrays: Arrays) -> Floats:
    """Return the mean of the members' predictions (n) for features (n x m, NaN where unknown).

    In single precision, and on one thread.
    """
    single = {k: v.astype(np.float32) for k, v in arrays.items()}
    members = len(arrays["loss"])
    out = np.empty(len(x))
    centre, width = arrays["goal"]
    with one_blas_thread():
        for begin in range(0, len(x), _CHUNK):
            points = projected(x[begin : begin + _CHUNK].astype(np.float32, copy=False), single)
            total = np.zeros(len(points), np.float32)
            for member in range(members):
                total += _forward(points, single, member)
            out[begin : begin + _CHUNK] = centre + width * total / members
    return out


def _forward(points: NDArray[np.float32], single: Any, member: int) -> NDArray[np.float32]:
    value = points
    for i in range(len(LAYERS) + 1):
        value = value @ single[f"w{i}"][member]
        value += single[f"b{i}"][member]
        if i < 2:
            # The logistic sigmoid by tanh, which NumPy has vectorised.
            value *= np.float32(0.5)
            np.tanh(value, out=value)
            value += np.float32(1)
            value *= np.float32(0.5)
    return value[:, 0]


def principal(x: NDArray[Any]) -> Arrays:
    """Return `mean`, `deviation` and `components` of features (n x m, NaN where unknown).

    The components retain 99.9 % of the variance. Constant features are ignored.
    """
    from sklearn.decomposition import PCA

    known = np.isfinite(x)
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, x, 0).sum(axis=0) / count
    deviation = np.sqrt((np.where(known, x - mean, 0) ** 2).sum(axis=0) / count)
    deviation[deviation < 1e-9] = np.inf
    points = _standardised(x, mean, deviation)
    with np.errstate(invalid="ignore"):  # where all features are constant
        found = PCA(KEPT, svd_solver="full").fit(points)
    # Partial whitening: small components carry signal, but also noise.
    components = found.components_.T / np.maximum(found.explained_variance_, 1e-6) ** 0.25
    deviation[np.isinf(deviation)] = 1e30
    return {"mean": mean, "deviation": deviation, "components": components}


def _standardised(x: NDArray[Any], mean: NDArray[Any], deviation: NDArray[Any]) -> NDArray[Any]:
    points = (x - mean) / deviation
    np.clip(points, -_CLIP, _CLIP, out=points)
    points[np.isnan(points)] = 0
    return np.asarray(points)


def projected(x: NDArray[Any], scale: dict[str, NDArray[Any]]) -> NDArray[Any]:
    """Return the principal components of features; unknown ones count as the mean."""
    points = _standardised(x, scale["mean"], scale["deviation"])
    return np.asarray(points @ scale["components"])


def _start(sizes: tuple[int, ...], random: np.random.Generator) -> Floats:
    """Return initial weights that preserve variance through the layers (Glorot & Bengio 2010)."""
    parts = []
    for wide, high in pairwise(sizes):
        parts.append(random.normal(0, np.sqrt(2 / (wide + high)), wide * high))
        parts.append(np.zeros(high))
    return np.concatenate(parts)


def _layers(flat: Floats, sizes: tuple[int, ...]) -> list[tuple[Floats, Floats]]:
    layers, at = [], 0
    for wide, high in pairwise(sizes):
        w = flat[at : at + wide * high].reshape(wide, high)
        layers.append((w, flat[at + wide * high : at + (wide + 1) * high]))
        at += (wide + 1) * high
    return layers


@dataclass(frozen=True, slots=True)
class _Problem:
    """The loss of a network's weights: pseudo-Huber, plus decay times the squared weights."""

    points: Floats
    goal: Floats
    weights: Floats
    sizes: tuple[int, ...]
    turn: float
    decay: float

    def loss(self, flat: Floats) -> tuple[float, Floats]:
        """Return the loss and its gradient."""
        layers = _layers(flat, self.sizes)
        values = _values(self.points, layers)
        error = (values[-1][:, 0] - self.goal) / self.turn
        root = np.sqrt(1 + error * error)
        loss = float(np.mean(self.weights * (root - 1)) * self.turn)
        parts: list[Floats] = []
        for inputs, back in _backwards(values, layers, self.weights * error / root / len(error)):
            parts += [back.sum(axis=0), (inputs.T @ back).ravel()]
        gradient = np.concatenate(parts[::-1]) + 2 * self.decay * flat
        return loss + self.decay * float(flat @ flat), gradient

    def normal(self, flat: Floats) -> Floats:
        """Return half the second derivative of the loss, as a sum of squares, by Gauss-Newton."""
        layers = _layers(flat, self.sizes)
        total = self.decay * np.eye(len(flat))
        for begin in range(0, len(self.goal), _ROWS):
            rows = slice(begin, begin + _ROWS)
            values = _values(self.points[rows], layers)
            error = (values[-1][:, 0] - self.goal[rows]) / self.turn
            root = np.sqrt(1 + error * error)
            # The derivative of what is squared: error * sqrt(scale / (root + 1)).
            scale = self.weights[rows] / (self.turn * len(self.goal) * (root + 1))
            slope = np.sqrt(scale) * (1 - error * error / (2 * root * (root + 1)))
            parts: list[Floats] = []
            for inputs, back in _backwards(values, layers, slope):
                each = inputs[:, :, None] * back[:, None, :]
                parts += [back, each.reshape(len(each), -1)]
            derivative = np.concatenate(parts[::-1], axis=1)
            total += derivative.T @ derivative
        return total


def _values(points: Floats, layers: list[tuple[Floats, Floats]]) -> list[Floats]:
    """Return the points and the results of each layer."""
    from scipy.special import expit

    values = [points]
    for i, (w, b) in enumerate(layers):
        value = values[-1] @ w + b
        values.append(expit(value) if i < 2 else value)
    return values


def _backwards(
    values: list[Floats], layers: list[tuple[Floats, Floats]], slope: Floats
) -> Iterator[tuple[Floats, Floats]]:
    """Yield the inputs of each layer and the derivatives by its sums, the last layer first.

    `slope` (n) are the derivatives by the results of the network.
    """
    back = slope[:, None]
    for i in range(len(layers) - 1, -1, -1):
        if i < 2:
            back = back * values[i + 1] * (1 - values[i + 1])
        yield values[i], back
        back = back @ layers[i][0].T
