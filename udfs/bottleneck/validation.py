"""Scores of each classifier on programs, families and blends that it was not trained on."""

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
    blend,
    causal_class,
    scale,
    standardised,
)

Score = tuple[str, str, str, float]

LABELLED = "programs held out: labelled samples"
CAUSAL = "programs held out: causal class"
GRADED = "programs held out: causal class of unlabelled samples"
FAMILY = "families held out: labelled samples"
BLENDS = "programs held out: causal class of blends"
PURE = "trained on labelled samples only: causal class of the others"

UNKNOWN = len(CLASSES)
MEMBERS = 2
_SEARCH_FOLDS = 3
_BLEND_FOLDS = 5
_BLENDS = 2000


@dataclass(slots=True)
class Outcome:
    """The scores, and the bands of the cost shares."""

    scores: list[Score] = field(default_factory=list)
    band: Arrays = field(default_factory=dict)


def score_held_out(
    training: Training, shape: Shape, seed: int, folds: int, progress: Callable[[str], None]
) -> Outcome:
    """Score every algorithm on programs that it was not trained on."""
    fold = assign_folds(training, folds)
    parts = [training.only(fold != k) for k in range(fold.max() + 1)]
    networks = build.train_cost_networks(parts, MEMBERS, seed)
    found: dict[str, Integers] = {}
    cost = np.full(training.shares.shape, np.nan)
    for algorithm in build.candidates(parts):
        progress(f"holding out programs: {algorithm}")
        found[algorithm] = np.full(len(fold), UNKNOWN)
        for k, part in enumerate(parts):
            if len(np.unique(part.labels[part.labelled])) < 2:
                continue
            arrays, _ = build.model(part, algorithm, networks[k], shape, seed)
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


def search_shape(
    training: Training, shapes: Sequence[Shape], seed: int
) -> tuple[list[tuple[int, int, str, float]], Shape]:
    """Try shapes of the autoencoder on held-out programs; return accuracies and the best shape."""
    fold = assign_folds(training, _SEARCH_FOLDS)
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
                *(points, points[labelled], part.labels[labelled], build.stopping_samples(part)),
                layers=layers, nodes=nodes, seed=seed,
            )  # fmt: skip
            likely = autoencoder.class_probabilities(
                standardised(test.metrics, arrays), trained.arrays
            )
            right.append(likely.argmax(axis=1) == test.labels)
        rows.append((layers, nodes, "accuracy", float(np.concatenate(right).mean())))
    best = max(rows, key=lambda row: (row[3], -row[0] * row[1]))
    return rows, (best[0], best[1])


def assign_folds(training: Training, folds: int) -> Integers:
    """Return for every sample the number (n) of the fold in which its program is held out.

    Programs are distributed family by family, those with labels first, so that no fold has all of
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
    """Score the shares, and bands that were computed without the fold they are scored on."""
    rows = training.costed & np.isfinite(cost).all(axis=1)
    missed = np.abs(cost - training.shares)
    covered = np.zeros(cost.shape, bool)
    for k in np.unique(fold[rows]):
        others, mine = rows & (fold != k), rows & (fold == k)
        band = costs.bands(cost[others], training.shares[others])
        low, high = costs.apply_bands(cost[mine].astype(np.float32), band)
        # A remedy that made a run slower by chance gained nothing.
        known = np.clip(training.shares[mine], 0, 1)
        covered[mine] = (known >= low - 1e-6) & (known <= high + 1e-6)
    scores = [
        (COSTS, CAUSAL, "mean absolute error of the shares", float(missed[rows].mean())),
        (COSTS, CAUSAL, "shares within their bands", float(covered[rows].mean())),
    ]
    for k, cause in enumerate(CAUSES):
        error, within = float(missed[rows, k].mean()), float(covered[rows, k].mean())
        scores.append((COSTS, CAUSAL, f"mean absolute error: {cause}", error))
        scores.append((COSTS, CAUSAL, f"within the band: {cause}", within))
    return scores


def score_blends(training: Training, shape: Shape, seed: int) -> list[Score]:
    """Score samples blended from programs that were held out, a fifth of the programs at a time.

    Half of the blends spend most of their time where nothing costs much, which resembles programs
    that were not made to have a bottleneck.
    """
    fold = assign_folds(training, _BLEND_FOLDS)
    folds = [k for k in range(_BLEND_FOLDS) if training.costed[fold == k].any()]
    parts = [training.only(fold != k) for k in folds]
    if not folds or not all(len(np.unique(p.labels[p.labelled])) > 1 for p in parts):
        return []
    networks = build.train_cost_networks(parts, MEMBERS, seed)
    if any(one is None for one in networks):
        return []
    rng = np.random.default_rng(seed)
    tests = [blend(training.only(fold == k), _BLENDS, rng) for k in folds]
    ipc = training.names.index(WIDTH_METRIC)
    truth = np.concatenate([causal_class(shares, metrics[:, ipc]) for metrics, shares in tests])
    scores: list[Score] = []
    for algorithm in build.candidates(parts):
        found: list[Integers] = []
        missed = []
        for part, costs_of_part, (metrics, shares) in zip(parts, networks, tests, strict=True):
            verdict = judge(metrics, build.model(part, algorithm, costs_of_part, shape, seed)[0])
            found.append(verdict.classes)
            if verdict.cost is not None:
                missed.append(np.abs(verdict.cost - shares))
        scores += agreement(algorithm, BLENDS, np.concatenate(found), truth)
        if algorithm == COSTS:
            error = float(np.concatenate(missed).mean())
            scores.append((algorithm, BLENDS, "mean absolute error of the shares", error))
    return scores


def score_unlabelled(training: Training, shape: Shape, seed: int) -> list[Score]:
    """Score samples without a label, by models trained on labelled ones only."""
    pure, others = training.only(training.labelled), training.costed & ~training.labelled
    if not others.any() or WIDTH_METRIC not in training.names:
        return []
    (networks,) = build.train_cost_networks([pure], MEMBERS, seed)
    metrics = training.metrics[others]
    truth = causal_class(training.shares[others], metrics[:, training.names.index(WIDTH_METRIC)])
    scores: list[Score] = []
    for algorithm in build.candidates([pure]):
        verdict = judge(metrics, build.model(pure, algorithm, networks, shape, seed)[0])
        scores += agreement(algorithm, PURE, verdict.classes, truth)
    return scores


def score_families(training: Training, shape: Shape, seed: int) -> list[Score]:
    """Score the share of a family not trained on that is classified Unknown or right."""
    labelled = training.labelled
    families = [
        family
        for family in np.unique(training.families[labelled])
        if len(np.unique(training.labels[labelled & (training.families != family)])) > 1
    ]
    parts = [training.only(training.families != family) for family in families]
    if not parts:
        return []
    networks = build.train_cost_networks(parts, MEMBERS, seed)
    scores: list[Score] = []
    for algorithm in build.candidates(parts):
        shares = []
        for family, part, costs_of_part in zip(families, parts, networks, strict=True):
            arrays, _ = build.model(part, algorithm, costs_of_part, shape, seed)
            mine = labelled & (training.families == family)
            classes = judge(training.metrics[mine], arrays).classes
            fine = (classes == UNKNOWN) | (classes == training.labels[mine])
            shares.append(fine)
            scores.append((algorithm, FAMILY, f"unknown or right: {family}", float(fine.mean())))
        every = float(np.concatenate(shares).mean())
        scores.append((algorithm, FAMILY, "unknown or right", every))
    return scores
