"""Training of one classifier: the arrays that `judging.judge` applies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from udfs.arrays import Flags, Floats, Integers
from udfs.bottleneck import autoencoder, baselines, contested, cost_training, costs
from udfs.bottleneck.autoencoder import History
from udfs.bottleneck.judging import ALGORITHMS, COSTS
from udfs.bottleneck.training import WIDTH_METRIC, Arrays, Singles, Training, scale, standardised

Shape = tuple[int, int]

CONFIDENCE = 0.60  # probability below which a sample is Unknown

# Rates up to this many times the largest in training are accepted, as other cores wait less, and
# down to the smallest divided by it.
_MAX_RATIO = 4.0
# Cost shares may exceed the largest in training by this.
_MAX_EXCESS = 0.15
# A rate below this costs too little to make a sample unknown.
_NEGLIGIBLE = 1e-4
_MAX_IPC = 1.05  # accepted, as a share of the width of the core

_BASELINES: dict[str, Callable[[Singles, Integers, int], Arrays]] = {
    "decision tree": baselines.fit_tree,
    "k nearest neighbours": baselines.fit_neighbours,
    "logistic regression": baselines.fit_logistic,
    "random forest": baselines.fit_forest,
    "gradient boosting": baselines.fit_boosting,
}


def model(
    training: Training, algorithm: str, networks: Arrays | None, shape: Shape, seed: int
) -> tuple[Arrays, History]:
    """Train one algorithm; `networks` is from `cost_training.train`, None without shares."""
    arrays = dict(networks or scale(training.names, training.metrics))
    arrays["algorithm"] = np.array([float(ALGORITHMS.index(algorithm))])
    arrays["confidence"] = np.array([CONFIDENCE])
    arrays["temperature"] = np.ones(1)
    arrays["lower"], arrays["upper"] = _range(training)
    arrays.update(contested.find(training, arrays))
    if networks is not None:
        arrays["largest_cost"] = training.shares[training.costed].max(axis=0) + _MAX_EXCESS
        arrays["band"] = np.ones((len(costs.EDGES) + 1, 2))
    scaled = standardised(training.metrics, arrays)
    points, labels = scaled[training.labelled], training.labels[training.labelled]
    history: History = []
    # The logistic regression names the metrics that drive a verdict, whichever algorithm it is of.
    arrays.update(baselines.fit_logistic(points, labels, seed))
    if algorithm == "stacked autoencoder":
        trained = autoencoder.train(
            *(scaled, points, labels, stopping_samples(training)),
            layers=shape[0], nodes=shape[1], seed=seed,
        )  # fmt: skip
        arrays.update(trained.arrays)
        history = trained.history
    elif algorithm in _BASELINES:
        arrays.update(_BASELINES[algorithm](points, labels, seed))
    return arrays, history


def candidates(trainings: Sequence[Training]) -> tuple[str, ...]:
    """Return the algorithms that can be trained on every one of these sets of samples."""
    if all(map(cost_training.can_learn, trainings)):
        return ALGORITHMS
    return tuple(algorithm for algorithm in ALGORITHMS if algorithm != COSTS)


def train_cost_networks(
    trainings: Sequence[Training], members: int, seed: int
) -> list[Arrays | None]:
    """Train cost networks on each set of samples; None where one has too few measured shares."""
    if not all(map(cost_training.can_learn, trainings)):
        return [None] * len(trainings)
    return list(cost_training.train(trainings, members=members, seed=seed))


def _range(training: Training) -> tuple[Floats, Floats]:
    """Return the smallest and largest accepted value of each metric (m), by the training samples.

    Every event may be absent, but instructions: a sample without them is none of a program.
    """
    upper = np.maximum(training.metrics.max(axis=0), 0) * _MAX_RATIO
    upper = np.maximum(upper, _NEGLIGIBLE)
    lower = np.zeros(len(upper))
    if WIDTH_METRIC in training.names:
        ipc = training.names.index(WIDTH_METRIC)
        lower[ipc] = training.metrics[:, ipc].min() / _MAX_RATIO
        upper[ipc] = _MAX_IPC
    return lower, upper


def stopping_samples(training: Training) -> Flags:
    """Return the labelled samples (n) that stop the autoencoder: every 4th program of a class."""
    labels, programs = training.labels[training.labelled], training.programs[training.labelled]
    chosen: list[str] = []
    for label in np.unique(labels):
        mine = np.unique(programs[labels == label])
        chosen += list(mine[3::4]) if len(mine) > 3 else list(mine[1:2])
    found = np.isin(programs, chosen)
    # With one program a class, single samples are held out.
    return found if found.any() and not found.all() else np.arange(len(labels)) % 4 == 3
