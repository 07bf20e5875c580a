"""Fitting a bottleneck model: every classifier scored on held-out programs, the best kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from udfs.bottleneck import build, transfer, validation
from udfs.bottleneck.autoencoder import History
from udfs.bottleneck.build import Shape
from udfs.bottleneck.training import Arrays, Training
from udfs.bottleneck.validation import Score

Progress = Callable[[str], None]

MEMBERS = 4
SEARCH = tuple((layers, nodes) for layers in (1, 2, 3) for nodes in (10, 20, 30, 50))


@dataclass(frozen=True, slots=True)
class Fitted:
    """A model and how it came about.

    `arrays` are what `judging.judge` applies; `scores` rows (algorithm, split, measure, value),
    `history` (stage, iteration, measure, value) of the autoencoder's training, `search` (layers,
    nodes, measure, value).
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
    shapes: Sequence[Shape] = SEARCH,
    progress: Progress = lambda _: None,
) -> Fitted:
    """Fit all classifiers, score them on held-out programs, keep the one that validates best.

    Args:
        training: at least two classes and three programs with labels; no NaN in the metrics.
        seed: of all random numbers.
        folds: how many groups the programs are held out in; at least as many as there are
            programs holds out one at a time.
        shapes: hidden layers and nodes that the autoencoder's search tries.
        progress: told in a few words what is being done.

    Raises ValueError, in words for the user, where there is too little to learn from.
    """
    from threadpoolctl import threadpool_limits

    _check(training)
    # The matrices are small: threads of linear algebra would wait for each other.
    with threadpool_limits(1):
        return _fit(training, seed, folds, shapes, progress)


def _fit(
    training: Training, seed: int, folds: int, shapes: Sequence[Shape], progress: Progress
) -> Fitted:
    progress("searching the autoencoder's shape")
    search, shape = validation.searched(training, shapes, seed)
    progress("holding out programs")
    outcome = validation.held_out(training, shape, seed, folds, progress)
    progress("holding out families")
    scores = outcome.scores + transfer.families_out(training, shape, seed)
    progress("holding out programs of blends")
    scores += transfer.blends_out(training, shape, seed)
    scores += transfer.from_labelled(training, shape, seed)
    best = _best(scores)
    progress("fitting to all samples")
    priced = build.priced([training], MEMBERS, seed)[0]
    arrays, history = build.model(training, best, priced, shape, seed)
    arrays.update(outcome.band)
    if best != "stacked autoencoder":
        history = build.model(training, "stacked autoencoder", None, shape, seed)[1]
    return Fitted(best, _description(training), arrays, scores, history, search)


def _best(scores: Sequence[Score]) -> str:
    """Give the algorithm that is right most often, on the mean of the splits that were scored."""
    splits = (validation.LABELLED, validation.CAUSAL, transfer.BLENDS)
    right: dict[str, list[float]] = {}
    for algorithm, split, measure, value in scores:
        if measure == "accuracy" and split in splits:
            right.setdefault(algorithm, []).append(value)
    return max(right, key=lambda algorithm: float(np.mean(right[algorithm])))


def _check(training: Training) -> None:
    labels = training.labels[training.labelled]
    if len(np.unique(labels)) < 2:
        raise ValueError(
            f"labels of at least two classes are needed to fit; there are {len(np.unique(labels))}"
        )
    programs = len(np.unique(training.programs[training.labelled]))
    if programs < 3:
        raise ValueError(
            f"labelled samples of at least three programs are needed to fit, so that some can be "
            f"held out; there are {programs}"
        )
    if not np.isfinite(training.metrics).all():
        raise ValueError("samples with metrics that were not measured cannot be learned from")


def _description(training: Training) -> str:
    labelled = training.labelled
    return (
        f"{int(labelled.sum())} labelled samples of "
        f"{len(np.unique(training.programs[labelled]))} programs, "
        f"{int(training.costed.sum())} with measured cost shares, {len(labelled)} in all"
    )
