"""Fitting a bottleneck model: all classifiers scored on held-out programs, the best one kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from udfs.bottleneck import autoencoder, build, calibration, validation
from udfs.bottleneck.autoencoder import History
from udfs.bottleneck.build import Shape
from udfs.bottleneck.judging import ALGORITHMS
from udfs.bottleneck.training import Arrays, Training, memory_misses
from udfs.bottleneck.validation import Score
from udfs.progress import Progress, silent

# Networks that predict cost shares, of the scored models as of the final one.
MEMBERS = 12
DEFAULT_SHAPE = (autoencoder.LAYERS, autoencoder.NODES)
SEARCH = tuple((layers, nodes) for layers in (1, 2, 3) for nodes in (10, 20, 30, 50))


@dataclass(frozen=True, slots=True)
class Fitted:
    """A model, its scores and how it was trained.

    `arrays` are what `judging.judge` applies; `scores` rows (algorithm, split, measure, value), the
    reliability table (`calibration.reliability`) of the best algorithm among them; `history`
    (stage, iteration, measure, value) of the autoencoder's training, `search` (layers, nodes,
    measure, value).
    """

    algorithm: str
    description: str
    arrays: Arrays
    scores: list[Score] = field(default_factory=list)
    history: History = field(default_factory=list)
    search: list[tuple[int, int, str, float]] = field(default_factory=list)


def fit(
    training: Training,
    *,
    seed: int = 0,
    folds: int = 10,
    shapes: Sequence[Shape] = (DEFAULT_SHAPE,),
    algorithm: str | None = None,
    progress: Progress = silent,
) -> Fitted:
    """Fit all classifiers, score them on held-out programs, return the best one.

    Args:
        training: at least two classes and three programs with labels; no NaN in the metrics.
        seed: of all random numbers.
        folds: into how many groups the programs are divided, each held out in turn; with as many
            as there are programs, one program at a time.
        shapes: hidden layers and nodes of the autoencoder; of several, the best on held-out
            programs.
        algorithm: the one to return, whatever its score; by default the best.
        progress: called with each step.

    Raises ValueError, with a message for users, where the training data are insufficient.
    """
    from threadpoolctl import threadpool_limits

    _check(training)
    training = replace(training, metrics=memory_misses(training.metrics, training.names))
    # The matrices are small: more threads would only wait for each other.
    with threadpool_limits(1):
        return _fit(training, seed, folds, shapes, algorithm, progress)


def _fit(
    training: Training,
    seed: int,
    folds: int,
    shapes: Sequence[Shape],
    algorithm: str | None,
    progress: Progress,
) -> Fitted:
    search: list[tuple[int, int, str, float]] = []
    shape = shapes[0]
    if len(shapes) > 1:
        progress(f"searching the autoencoder's shape: {len(shapes)} are tried")
        search, shape = validation.search_shape(training, shapes, seed)
        progress(f"searching the autoencoder's shape: {shape[0]} x {shape[1]} is best")
    outcome = validation.score_held_out(training, shape, MEMBERS, seed, folds, progress)
    if algorithm is not None and algorithm not in outcome.calibrations:
        raise ValueError(f"the algorithm {algorithm} needs samples with measured cost shares")
    best = algorithm or _best(outcome.scores)
    progress(f"fitting {best} to all samples")
    networks = build.train_cost_networks([training], MEMBERS, seed)[0]
    arrays, history = build.model(training, best, networks, shape, seed)
    arrays.update(outcome.calibrations[best])
    progress(f"holding out families: {best}")
    scores = [score for score in outcome.scores if score[0] == best or not _of_best(score)]
    scores += validation.score_families(training, best, outcome.calibrations[best], shape, seed)
    if best != "stacked autoencoder":
        history = build.model(training, "stacked autoencoder", None, shape, seed)[1]
    return Fitted(best, _description(training), arrays, scores, history, search)


def _best(scores: Sequence[Score]) -> str:
    """Return the algorithm with the highest accuracy, on average over the scored splits.

    Of equally accurate ones it is that whose probabilities are nearest to the shares right.
    """
    splits = (validation.LABELLED, validation.CAUSAL, validation.BLENDS)
    found: dict[str, dict[str, list[float]]] = {}
    for algorithm, split, measure, value in scores:
        if split in splits and algorithm in ALGORITHMS:
            found.setdefault(algorithm, {}).setdefault(measure, []).append(value)

    def merit(algorithm: str) -> tuple[float, float]:
        measures = found[algorithm]
        error = float(np.mean(measures[calibration.ERROR]))
        return round(float(np.mean(measures["accuracy"])), 3), -error

    return max(found, key=merit)


def _of_best(score: Score) -> bool:
    """Return whether a score is kept of the best algorithm only: there are many of them."""
    interval = (calibration.LEAST_IF_EXACT, calibration.MOST_IF_EXACT)
    return score[2] in interval or score[2].startswith(calibration.TENTH)


def _check(training: Training) -> None:
    labels = training.labels[training.labelled]
    if len(np.unique(labels)) < 2:
        raise ValueError(
            f"fitting needs labels of at least two classes; found {len(np.unique(labels))}"
        )
    programs = len(np.unique(training.programs[training.labelled]))
    if programs < 3:
        raise ValueError(
            "fitting needs labelled samples of at least three programs, so that some can be held "
            f"out; found {programs}"
        )
    if not np.isfinite(training.metrics).all():
        raise ValueError("training samples have metrics that were not measured; leave these out")


def _description(training: Training) -> str:
    labelled = training.labelled
    return (
        f"{int(labelled.sum())} labelled samples of "
        f"{len(np.unique(training.programs[labelled]))} programs, "
        f"{int(training.costed.sum())} with measured cost shares, {len(labelled)} in total"
    )
