"""How well each classifier does on programs, and on families, that it has not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from udfs.bottleneck import autoencoder, build, costs
from udfs.bottleneck.build import Shape
from udfs.bottleneck.judging import COSTS, judge
from udfs.bottleneck.training import (
    CAUSES,
    CLASSES,
    WIDTH_METRIC,
    Arrays,
    Floats,
    Integers,
    Training,
    causal_class,
    scale,
    standardised,
)

Score = tuple[str, str, str, float]

LABELLED = "programs held out: labelled samples"
CAUSAL = "programs held out: causal class"
GRADED = "programs held out: causal class of unlabelled samples"

UNKNOWN = len(CLASSES)
MEMBERS = 2
_SEARCH_FOLDS = 3


@dataclass(slots=True)
class Outcome:
    """The scores, and the bands of the cost shares."""

    scores: list[Score] = field(default_factory=list)
    band: Arrays = field(default_factory=dict)


def held_out(
    training: Training, shape: Shape, seed: int, folds: int, progress: Callable[[str], None]
) -> Outcome:
    """Score every algorithm on programs that it was not trained on."""
    fold = folded(training, folds)
    parts = [training.only(fold != k) for k in range(fold.max() + 1)]
    priced = build.priced(parts, MEMBERS, seed)
    found: dict[str, Integers] = {}
    cost = np.full(training.shares.shape, np.nan)
    for algorithm in build.candidates(parts):
        progress(f"holding out programs: {algorithm}")
        found[algorithm] = np.full(len(fold), UNKNOWN)
        for k, part in enumerate(parts):
            if len(np.unique(part.labels[part.labelled])) < 2:
                continue
            arrays, _ = build.model(part, algorithm, priced[k], shape, seed)
            verdict = judge(training.metrics[fold == k], arrays)
            found[algorithm][fold == k] = verdict.classes
            if algorithm == COSTS and verdict.cost is not None:
                cost[fold == k] = verdict.cost
    outcome = Outcome()
    for algorithm, classes in found.items():
        outcome.scores += _agreement(training, algorithm, classes)
    if COSTS in found:
        outcome.scores += _cost_scores(training, cost, fold)
        rows = training.costed & np.isfinite(cost).all(axis=1)
        outcome.band = costs.bands(cost[rows], training.shares[rows])
    return outcome


def searched(
    training: Training, shapes: Sequence[Shape], seed: int
) -> tuple[list[tuple[int, int, str, float]], Shape]:
    """Try shapes of the autoencoder on held-out programs; give accuracies and the best shape."""
    fold = folded(training, _SEARCH_FOLDS)
    rows: list[tuple[int, int, str, float]] = []
    for layers, nodes in shapes:
        right: list[NDArray[np.bool_]] = []
        for k in range(fold.max() + 1):
            part, test = training.only(fold != k), training.only((fold == k) & training.labelled)
            if not test.labelled.any():
                continue
            arrays = scale(part.names, part.metrics)
            points = standardised(part.metrics, arrays)
            labelled = part.labelled
            trained = autoencoder.train(
                *(points, points[labelled], part.labels[labelled], build.stopping(part)),
                layers=layers, nodes=nodes, seed=seed,
            )  # fmt: skip
            odds = autoencoder.odds(standardised(test.metrics, arrays), trained.arrays)
            right.append(odds.argmax(axis=1) == test.labels)
        rows.append((layers, nodes, "accuracy", float(np.concatenate(right).mean())))
    best = max(rows, key=lambda row: (row[3], -row[0] * row[1]))
    return rows, (best[0], best[1])


def folded(training: Training, folds: int) -> Integers:
    """Give every sample the number (n) of the fold in which its program is held out.

    Programs are dealt out family by family, those with labels first, so that no fold takes all of
    a family, or all labels, where there are enough programs.
    """
    programs, families = training.programs.tolist(), training.families.tolist()
    named = set(training.programs[training.labelled].tolist())
    order = sorted({(p not in named, f, p) for f, p in zip(families, programs, strict=True)})
    number = {program: i % folds for i, (_, _, program) in enumerate(order)}
    return np.array([number[program] for program in programs])


def _agreement(training: Training, algorithm: str, classes: Integers) -> list[Score]:
    truths = [(LABELLED, training.labelled, training.labels)]
    if WIDTH_METRIC in training.names and training.costed.any():
        ipc = training.metrics[:, training.names.index(WIDTH_METRIC)]
        causal = causal_class(np.nan_to_num(training.shares), ipc)
        truths += [
            (CAUSAL, training.costed, causal),
            (GRADED, training.costed & ~training.labelled, causal),
        ]
    rows: list[Score] = []
    for split, mine, truth in truths:
        if mine.any():
            rows += agreement(algorithm, split, classes[mine], truth[mine])
    return rows


def agreement(algorithm: str, split: str, classes: Integers, truth: Integers) -> list[Score]:
    """Score verdicts (n) against the truth (n), both positions in CLASSES."""
    return [
        (algorithm, split, "accuracy", float((classes == truth).mean())),
        (algorithm, split, "unknown", float((classes == UNKNOWN).mean())),
    ]


def _cost_scores(training: Training, cost: Floats, fold: Integers) -> list[Score]:
    """Score the shares, and bands that were made without the fold that they are tried on."""
    rows = training.costed & np.isfinite(cost).all(axis=1)
    missed = np.abs(cost - training.shares)
    held = np.zeros(cost.shape, bool)
    for k in np.unique(fold[rows]):
        others, mine = rows & (fold != k), rows & (fold == k)
        band = costs.bands(cost[others], training.shares[others])
        low, high = costs.banded(cost[mine].astype(np.float32), band)
        # A cure that made a run slower by chance won nothing.
        known = np.clip(training.shares[mine], 0, 1)
        held[mine] = (known >= low - 1e-6) & (known <= high + 1e-6)
    scores = [
        (COSTS, CAUSAL, "mean absolute error of the shares", float(missed[rows].mean())),
        (COSTS, CAUSAL, "shares within their bands", float(held[rows].mean())),
    ]
    for k, cause in enumerate(CAUSES):
        error, within = float(missed[rows, k].mean()), float(held[rows, k].mean())
        scores.append((COSTS, CAUSAL, f"mean absolute error: {cause}", error))
        scores.append((COSTS, CAUSAL, f"within the band: {cause}", within))
    return scores
