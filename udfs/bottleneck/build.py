"""One classifier trained on given samples: the arrays that `judging.judge` applies."""

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
    blended,
    causal_class,
    jittered,
    scale,
    standardised,
)

Shape = tuple[int, int]

CONFIDENCE = 0.40
# How much logistic regression says beside the cost shares.
WEIGHT = 2.0

# Rates up to this many times the largest in training are near enough: other cores wait less.
_BEYOND = 4.0
# A rate under this costs too little to make a sample unknown, whatever the training had.
_NEGLIGIBLE = 1e-4
_WIDEST_IPC = 1.05
_BLENDS = 6000
# Labelled samples count so often, blends once.
_COPIES = 60

_BASELINES: dict[str, Callable[[Singles, Integers, int], Arrays]] = {
    "decision tree": baselines.fit_tree,
    "k nearest neighbours": baselines.fit_neighbours,
    "logistic regression": baselines.fit_logistic,
    "random forest": baselines.fit_forest,
    "gradient boosting": baselines.fit_boosting,
}


def model(
    training: Training, algorithm: str, costed: Arrays | None, shape: Shape, seed: int
) -> tuple[Arrays, History]:
    """Train one algorithm; `costed` is what `cost_training.train` gave, None without shares."""
    arrays = dict(costed or scale(training.names, training.metrics))
    arrays["algorithm"] = np.array([float(ALGORITHMS.index(algorithm))])
    arrays["confidence"] = np.array([CONFIDENCE])
    arrays["upper"] = _upper(training)
    arrays.setdefault("band", np.zeros((len(costs.EDGES) + 1, 2)))
    scaled = standardised(training.metrics, arrays)
    points, labels = scaled[training.labelled], training.labels[training.labelled]
    history: History = []
    if algorithm == COSTS:
        arrays.update(_beside_costs(training, arrays, seed))
    else:
        arrays.update(baselines.fit_logistic(points, labels, seed))
    if algorithm == "stacked autoencoder":
        trained = autoencoder.train(
            *(scaled, points, labels, stopping(training)),
            layers=shape[0], nodes=shape[1], seed=seed,
        )  # fmt: skip
        arrays.update(trained.arrays)
        history = trained.history
    elif algorithm != COSTS:
        arrays.update(_BASELINES[algorithm](points, labels, seed))
    return arrays, history


def _beside_costs(training: Training, arrays: Arrays, seed: int) -> Arrays:
    """Fit the logistic regression that speaks beside the cost shares, and the `weight` of its word.

    It learns from labels and from blends, whose class is the causal one: labels alone would have
    every sample as pure as a kernel that was made for it.
    """
    chance = np.random.default_rng(seed)
    known = training.labelled
    mixed, shares = blended(training, _BLENDS, chance)
    ipc = mixed[:, training.names.index(WIDTH_METRIC)]
    metrics = np.concatenate([np.repeat(training.metrics[known], _COPIES, axis=0), mixed])
    labels = np.concatenate([np.repeat(training.labels[known], _COPIES), causal_class(shares, ipc)])
    points = standardised(jittered(metrics, training.names, chance), arrays)
    # Labels of some classes only must not speak against the others.
    weight = WEIGHT if len(np.unique(training.labels[known])) == len(CLASSES) else 0.0
    fitted = baselines.fit_logistic(points, labels, seed)
    return {**fitted, "weight": np.array([weight])}


def candidates(trainings: Sequence[Training]) -> tuple[str, ...]:
    """Give the algorithms that every one of these sets of samples can train."""
    if all(map(cost_training.can_learn, trainings)):
        return ALGORITHMS
    return tuple(algorithm for algorithm in ALGORITHMS if algorithm != COSTS)


def priced(trainings: Sequence[Training], members: int, seed: int) -> list[Arrays | None]:
    """Train cost networks on each set of samples; None where one has too few measured shares."""
    if not all(map(cost_training.can_learn, trainings)):
        return [None] * len(trainings)
    return list(cost_training.train(trainings, members=members, seed=seed))


def _upper(training: Training) -> Floats:
    """Give per metric the most (m) that is near enough to the training samples."""
    most = np.maximum(training.metrics.max(axis=0), 0) * _BEYOND
    most = np.maximum(most, _NEGLIGIBLE)
    if WIDTH_METRIC in training.names:
        most[training.names.index(WIDTH_METRIC)] = _WIDEST_IPC
    return np.asarray(most, float)


def stopping(training: Training) -> NDArray[np.bool_]:
    """Give which labelled samples (n) stop the autoencoder: every fourth program of each class."""
    labels, programs = training.labels[training.labelled], training.programs[training.labelled]
    held: list[str] = []
    for label in np.unique(labels):
        mine = np.unique(programs[labels == label])
        held += list(mine[3::4]) if len(mine) > 3 else list(mine[1:2])
    found = np.isin(programs, held)
    # With a program a class there is nothing else to hold out.
    return found if found.any() and not found.all() else np.arange(len(labels)) % 4 == 3
