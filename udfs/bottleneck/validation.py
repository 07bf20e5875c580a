"""Scores of each classifier on programs and families that it was not trained on.

Probabilities are calibrated, and bands computed, on the programs of other folds than the one that
they are scored on.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from udfs.arrays import Flags, Floats, Integers
from udfs.bottleneck import autoencoder, baselines, build, calibration, costs
from udfs.bottleneck.build import Shape
from udfs.bottleneck.judging import COSTS, Estimates, Judged, estimate, judge
from udfs.bottleneck.training import (
    CAUSES,
    CLASSES,
    WIDTH_METRIC,
    Arrays,
    Training,
    blend,
    causal_class,
    measured_classes,
    scale,
    standardised,
)
from udfs.progress import Progress

Score = tuple[str, str, str, float]

LABELLED = "programs held out: labelled samples"
CAUSAL = "programs held out: causal class"
GRADED = "programs held out: causal class of unlabelled samples"
BLENDS = "programs held out: causal class of blends"
FAMILY = "families held out: labelled samples"

UNKNOWN = len(CLASSES)
FAMILY_MEMBERS = 2  # networks for each family that is held out
_SEARCH_FOLDS = 3  # groups of programs for each shape that is tried
_BLENDS = 600  # blends of the programs of a fold
# The splits that calibrate: a sample is in one of these only.
_CALIBRATING = (LABELLED, GRADED, BLENDS)


@dataclass(frozen=True, slots=True)
class Split:
    """Samples of one kind to score on: metrics (n x m), classes (n), programs and runs (n).

    `shares` (n x 4, of the cycles) are NaN where unknown; `fold` (n) is that of the program.
    """

    metrics: Floats
    truth: Integers
    shares: Floats
    programs: NDArray[np.str_]
    runs: NDArray[np.str_] | Integers
    fold: Integers


@dataclass(slots=True)
class Outcome:
    """The scores, and of each algorithm the `temperature` and the `band` for a model of all."""

    scores: list[Score] = field(default_factory=list)
    calibrations: dict[str, Arrays] = field(default_factory=dict)


def score_held_out(
    training: Training, shape: Shape, members: int, seed: int, folds: int, progress: Progress
) -> Outcome:
    """Score every algorithm on programs that it was not trained on, with `members` cost networks.

    Half of the blends (`training.blend`) of a fold's programs spend most of their time where
    nothing costs much, which resembles programs that were not made to have a bottleneck.
    """
    fold = assign_folds(training, folds)
    numbers = [k for k in range(fold.max() + 1) if _can_train(training.only(fold != k))]
    parts = [training.only(fold != k) for k in numbers]
    progress(f"holding out programs, in {len(parts)} groups")
    began = time.monotonic()
    networks = build.train_cost_networks(parts, members, seed)
    last = (time.monotonic() - began) / len(parts)
    splits = _splits(training, fold, numbers, seed)
    outcome = Outcome()
    began, candidates = time.monotonic(), build.candidates(parts)
    for done, algorithm in enumerate(candidates, 1):
        models = {
            k: build.model(part, algorithm, costs_of_part, shape, seed)[0]
            for k, part, costs_of_part in zip(numbers, parts, networks, strict=True)
        }
        scores, calibration_of_all = _score(algorithm, models, splits)
        outcome.scores += scores
        outcome.calibrations[algorithm] = calibration_of_all
        # The best one is trained once more on all samples, and held out by families.
        left = (time.monotonic() - began) / done * (len(candidates) - done + 1) + last
        progress(f"holding out programs: {algorithm}, {_in_words(scores)}", left)
    for rule, train_rule in baselines.SIMPLE_RULES.items():
        right = []
        for k, part in zip(numbers, parts, strict=True):
            known, held_out = part.labelled, training.labelled & (fold == k)
            found = train_rule(part.metrics[known], part.labels[known])
            right.append(found(training.metrics[held_out]) == training.labels[held_out])
        outcome.scores.append((rule, LABELLED, "accuracy", float(np.concatenate(right).mean())))
    return outcome


def _can_train(training: Training) -> bool:
    return len(np.unique(training.labels[training.labelled])) > 1


def _in_words(scores: Sequence[Score]) -> str:
    _, split, _, right = next(score for score in scores if score[2] == "accuracy")
    return f"{100 * right:.3g} % right ({split.partition(': ')[2]})"


def _splits(
    training: Training, fold: Integers, numbers: Sequence[int], seed: int
) -> dict[str, Split]:
    """Return the samples to score on, by the name of the split."""
    rows = np.isin(fold, numbers)
    splits = {LABELLED: _of_samples(training, training.labels, fold, rows & training.labelled)}
    if WIDTH_METRIC not in training.names or not training.costed.any():
        return splits
    causal = measured_classes(training)
    costed = rows & training.costed
    splits[CAUSAL] = _of_samples(training, causal, fold, costed)
    splits[GRADED] = _of_samples(training, causal, fold, costed & ~training.labelled)
    splits[BLENDS] = _of_blends(training, fold, numbers, np.random.default_rng(seed))
    return {name: split for name, split in splits.items() if len(split.truth)}


def _of_samples(training: Training, truth: Integers, fold: Integers, rows: Flags) -> Split:
    return Split(
        metrics=training.metrics[rows],
        truth=truth[rows],
        shares=training.shares[rows],
        programs=training.programs[rows],
        runs=training.runs[rows],
        fold=fold[rows],
    )


def _of_blends(
    training: Training, fold: Integers, numbers: Sequence[int], rng: np.random.Generator
) -> Split:
    """Return blends of each fold's programs, each a window of a run of its own.

    A class is that of the run, whose IPC its windows scatter around: were it that of the window,
    Balance and Other would be certain, and the temperature would make up for it on the others.
    """
    found = [k for k in numbers if training.costed[fold == k].any()]
    blends = [blend(training.only(fold == k), _BLENDS, rng) for k in found]
    if not blends:
        return _of_samples(training, training.labels, fold, np.zeros(len(fold), bool))
    metrics, shares = (np.concatenate(part) for part in zip(*blends, strict=True))
    ipc = costs.draw_run_ipc(metrics[:, training.names.index(WIDTH_METRIC)], rng)
    number = np.repeat(found, _BLENDS)
    return Split(
        metrics=metrics,
        truth=causal_class(shares, ipc),
        shares=shares,
        programs=number.astype(np.str_),
        runs=np.arange(len(metrics)),
        fold=number,
    )


def _score(
    algorithm: str, models: dict[int, Arrays], splits: dict[str, Split]
) -> tuple[list[Score], Arrays]:
    """Score the models of the folds, each calibrated on the others' programs."""
    pool = [
        one
        for name, split in splits.items()
        if name in _CALIBRATING
        for one in _held_out(name, split, models)
    ]
    for k, arrays in models.items():
        arrays.update(_calibrated([one for one in pool if one.fold != k]))
    scores: list[Score] = []
    for name, split in splits.items():
        verdicts = {k: judge(split.metrics[split.fold == k], models[k]) for k in models}
        scores += _agreement(algorithm, name, split, verdicts)
        if algorithm == COSTS:
            scores += _cost_scores(name, split, verdicts)
    return scores, _calibrated(pool)


@dataclass(frozen=True, slots=True)
class _HeldOut:
    """Verdicts of a fold's model, not yet calibrated, on the fold's samples of one split."""

    fold: int
    estimates: Estimates
    truth: Integers
    shares: Floats
    programs: NDArray[np.str_]
    split: str


def _held_out(name: str, split: Split, models: dict[int, Arrays]) -> Iterator[_HeldOut]:
    """Estimate each fold's samples by the model that has not seen their programs."""
    for k, arrays in models.items():
        mine = split.fold == k
        if mine.any():
            metrics = split.metrics[mine]
            found = estimate(metrics, standardised(metrics, arrays), arrays)
            yield _HeldOut(
                k, found, split.truth[mine], split.shares[mine], split.programs[mine], name
            )


def _calibrated(pool: Sequence[_HeldOut]) -> Arrays:
    """Return `temperature`, and `band` with costs, by samples of held-out programs.

    The splits weigh the same, and in each its programs.
    """
    if not pool:
        return {}
    name = np.concatenate([np.repeat(one.split, len(one.truth)) for one in pool])
    programs = np.concatenate([one.programs for one in pool])
    weights = np.zeros(len(name))
    for split in np.unique(name):
        weights[name == split] = calibration.equal_weights(programs[name == split])
    estimates = _joined([one.estimates for one in pool])
    found: Arrays = {}
    if estimates.cost is not None:
        shares = np.concatenate([one.shares for one in pool])
        known = np.isfinite(shares).all(axis=1)
        found = costs.bands(estimates.cost[known], shares[known], weights[known])
    truth = np.concatenate([one.truth for one in pool])
    stated = partial(estimates.calibrated, found)
    return found | calibration.fit_temperature(stated, truth, weights)


def _joined(parts: Sequence[Estimates]) -> Estimates:
    probabilities = np.concatenate([part.probabilities for part in parts])
    by_analogy = np.concatenate([part.by_analogy for part in parts])
    cost = [part.cost for part in parts if part.cost is not None]
    ipc = [part.ipc for part in parts if part.ipc is not None]
    if not cost:
        return Estimates(probabilities, by_analogy, None, None)
    return Estimates(probabilities, by_analogy, np.concatenate(cost), np.concatenate(ipc))


def _agreement(algorithm: str, name: str, split: Split, verdicts: dict[int, Judged]) -> list[Score]:
    """Score verdicts: the likeliest class, those answered, and what the probability means."""
    likeliest, probability, answered = (
        np.concatenate(parts)
        for parts in zip(
            *(
                (v.probabilities.argmax(axis=1), v.probability, v.classes != UNKNOWN)
                for v in verdicts.values()
            ),
            strict=True,
        )
    )
    truth, runs = (
        np.concatenate([of_split[split.fold == k] for k in verdicts])
        for of_split in (split.truth, split.runs)
    )
    right = likeliest == truth
    measures = [
        ("accuracy", float(right.mean())),
        ("unknown", float(1 - answered.mean())),
        *calibration.reliability(probability, right, runs),
    ]
    if answered.any():
        measures.append(("accuracy of the answered", float(right[answered].mean())))
    return [(algorithm, name, measure, value) for measure, value in measures]


def _cost_scores(name: str, split: Split, verdicts: dict[int, Judged]) -> list[Score]:
    """Score the predicted shares and their bands, which TOLERANCE may miss.

    A component without events costs nothing, as its band says: the bands of the others are scored
    apart.
    """
    cost, low, high = (
        np.concatenate(parts)
        for parts in zip(
            *((v.cost, v.cost_low, v.cost_high) for v in verdicts.values() if v.cost is not None),
            strict=True,
        )
    )
    shares = np.concatenate([split.shares[split.fold == k] for k in verdicts])
    rows = np.isfinite(shares).all(axis=1)
    if not rows.any():
        return []
    known = np.clip(shares[rows], 0, 1)
    missed = np.abs(cost[rows] - known)
    covered = (known >= low[rows] - costs.TOLERANCE) & (known <= high[rows] + costs.TOLERANCE)
    counted = cost[rows] >= costs.EDGES[0]
    scores = [
        (COSTS, name, "mean absolute error of the shares", float(missed.mean())),
        (COSTS, name, "shares within their bands", float(covered.mean())),
    ]
    if counted.any():
        within = float(covered[counted].mean())
        scores.append((COSTS, name, "shares within their bands, of components with events", within))
    for k, cause in enumerate(CAUSES):
        error, within = float(missed[:, k].mean()), float(covered[:, k].mean())
        scores.append((COSTS, name, f"mean absolute error: {cause}", error))
        scores.append((COSTS, name, f"within the band: {cause}", within))
    return scores


def search_shape(
    training: Training, shapes: Sequence[Shape], seed: int
) -> tuple[list[tuple[int, int, str, float]], Shape]:
    """Try shapes of the autoencoder on held-out programs; return accuracies and the best shape."""
    fold = assign_folds(training, _SEARCH_FOLDS)
    rows: list[tuple[int, int, str, float]] = []
    for layers, nodes in shapes:
        right: list[Flags] = []
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

    Programs are distributed class by class (that of most of their samples), then family by family,
    those with labels first, so that no fold has all of a class or a family where there are enough
    programs.
    """
    programs = training.programs
    order = []
    for program in np.unique(programs):
        mine = programs == program
        labels = training.labels[mine & training.labelled]
        most = int(np.bincount(labels).argmax()) if len(labels) else len(CLASSES)
        order.append((most, str(training.families[mine][0]), str(program)))
    number = {program: i % folds for i, (_, _, program) in enumerate(sorted(order))}
    return np.array([number[program] for program in programs.tolist()])


def score_families(
    training: Training, algorithm: str, calibrated: Arrays, shape: Shape, seed: int
) -> list[Score]:
    """Score the share of a family not trained on that is classified Unknown or right."""
    labelled = training.labelled
    families = [
        family
        for family in np.unique(training.families[labelled])
        if _can_train(training.only(training.families != family))
    ]
    parts = [training.only(training.families != family) for family in families]
    if not parts or algorithm not in build.candidates(parts):
        return []
    networks = build.train_cost_networks(parts, FAMILY_MEMBERS, seed)
    scores: list[Score] = []
    shares = []
    for family, part, costs_of_part in zip(families, parts, networks, strict=True):
        arrays, _ = build.model(part, algorithm, costs_of_part, shape, seed)
        mine = labelled & (training.families == family)
        classes = judge(training.metrics[mine], arrays | calibrated).classes
        fine = (classes == UNKNOWN) | (classes == training.labels[mine])
        shares.append(fine)
        scores.append((algorithm, FAMILY, f"unknown or right: {family}", float(fine.mean())))
    every = float(np.concatenate(shares).mean())
    return [*scores, (algorithm, FAMILY, "unknown or right", every)]
