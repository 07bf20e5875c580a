"""Training of one classifier: the arrays that `judging.judge` applies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from udfs.bottleneck import autoencoder, baselines, cost_training, costs
from udfs.bottleneck.autoencoder import History
from udfs.bottleneck.judging import ALGORITHMS, COSTS
from udfs.bottleneck.training import (
    CLASSES,
    WIDTH_METRIC,
    Arrays,
    Floats,
    Integers,
    Singles,
    Training,
    blend,
    causal_class,
    jitter,
    scale,
    standardised,
)

Shape = tuple[int, int]

CONFIDENCE = 0.40
# Weight of the logistic regression relative to the cost shares.
WEIGHT = 2.0

# Rates up to this many times the largest in training are accepted: other cores wait less.
_MAX_RATIO = 4.0
# A rate below this costs too little to make a sample unknown.
_NEGLIGIBLE = 1e-4
_MAX_IPC = 1.05
_BLENDS = 6000
# How often each labelled sample is repeated; blends are not.
_COPIES = 60

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
    arrays["upper"] = _upper(training)
    arrays.setdefault("band", np.zeros((len(costs.EDGES) + 1, 2)))
    scaled = standardised(training.metrics, arrays)
    points, labels = scaled[training.labelled], training.labels[training.labelled]
    history: History = []
    if algorithm == COSTS:
        arrays.update(_fit_complement(training, arrays, seed))
    else:
        arrays.update(baselines.fit_logistic(points, labels, seed))
    if algorithm == "stacked autoencoder":
        trained = autoencoder.train(
            *(scaled, points, labels, stopping_samples(training)),
            layers=shape[0], nodes=shape[1], seed=seed,
        )  # fmt: skip
        arrays.update(trained.arrays)
        history = trained.history
    elif algorithm != COSTS:
        arrays.update(_BASELINES[algorithm](points, labels, seed))
    return arrays, history


def _fit_complement(training: Training, arrays: Arrays, seed: int) -> Arrays:
    """Fit the logistic regression that complements the cost shares, and its `weight`.

    It learns from labels and from blends, which have their causal class: labels alone come from
    kernels made for one bottleneck, unlike most programs.
    """
    rng = np.random.default_rng(seed)
    known = training.labelled
    mixed, shares = blend(training, _BLENDS, rng)
    ipc = mixed[:, training.names.index(WIDTH_METRIC)]
    metrics = np.concatenate([np.repeat(training.metrics[known], _COPIES, axis=0), mixed])
    labels = np.concatenate([np.repeat(training.labels[known], _COPIES), causal_class(shares, ipc)])
    points = standardised(jitter(metrics, training.names, rng), arrays)
    # Labels of only some classes must not count against the others.
    weight = WEIGHT if len(np.unique(training.labels[known])) == len(CLASSES) else 0.0
    fitted = baselines.fit_logistic(points, labels, seed)
    return {**fitted, "weight": np.array([weight])}


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


def _upper(training: Training) -> Floats:
    """Return the largest accepted value of each metric (m), by the training samples."""
    upper = np.maximum(training.metrics.max(axis=0), 0) * _MAX_RATIO
    upper = np.maximum(upper, _NEGLIGIBLE)
    if WIDTH_METRIC in training.names:
        upper[training.names.index(WIDTH_METRIC)] = _MAX_IPC
    return np.asarray(upper, float)


def stopping_samples(training: Training) -> NDArray[np.bool_]:
    """Return the labelled samples (n) that stop the autoencoder: every 4th program of a class."""
    labels, programs = training.labels[training.labelled], training.programs[training.labelled]
    chosen: list[str] = []
    for label in np.unique(labels):
        mine = np.unique(programs[labels == label])
        chosen += list(mine[3::4]) if len(mine) > 3 else list(mine[1:2])
    found = np.isin(programs, chosen)
    # With one program a class, single samples are held out.
    return found if found.any() and not found.all() else np.arange(len(labels)) % 4 == 3
