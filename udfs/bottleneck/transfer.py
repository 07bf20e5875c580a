"""How far each classifier carries: to families never seen, to programs that are not pure."""

from __future__ import annotations

import numpy as np

from udfs.bottleneck import build
from udfs.bottleneck.build import Shape
from udfs.bottleneck.judging import COSTS, judge
from udfs.bottleneck.training import WIDTH_METRIC, Integers, Training, blended, causal_class
from udfs.bottleneck.validation import MEMBERS, UNKNOWN, Score, agreement, folded

FAMILY = "families held out: labelled samples"
BLENDS = "programs held out: causal class of blends"
PURE = "trained on labelled samples only: causal class of the others"

_FOLDS = 5
_BLENDS = 2000


def blends_out(training: Training, shape: Shape, seed: int) -> list[Score]:
    """Score samples blended from programs that were held out, a fifth of the programs at a time.

    Half of the blends spend most of their time where nothing costs much: the nearest that kernels
    come to programs that were not made to have a bottleneck.
    """
    fold = folded(training, _FOLDS)
    folds = [k for k in range(_FOLDS) if training.costed[fold == k].any()]
    parts = [training.only(fold != k) for k in folds]
    if not folds or not all(len(np.unique(p.labels[p.labelled])) > 1 for p in parts):
        return []
    priced = build.priced(parts, MEMBERS, seed)
    if any(costed is None for costed in priced):
        return []
    chance = np.random.default_rng(seed)
    tests = [blended(training.only(fold == k), _BLENDS, chance) for k in folds]
    ipc = training.names.index(WIDTH_METRIC)
    truth = np.concatenate([causal_class(shares, metrics[:, ipc]) for metrics, shares in tests])
    scores: list[Score] = []
    for algorithm in build.candidates(parts):
        found: list[Integers] = []
        missed = []
        for part, costed, (metrics, shares) in zip(parts, priced, tests, strict=True):
            verdict = judge(metrics, build.model(part, algorithm, costed, shape, seed)[0])
            found.append(verdict.classes)
            if verdict.cost is not None:
                missed.append(np.abs(verdict.cost - shares))
        scores += agreement(algorithm, BLENDS, np.concatenate(found), truth)
        if algorithm == COSTS:
            error = float(np.concatenate(missed).mean())
            scores.append((algorithm, BLENDS, "mean absolute error of the shares", error))
    return scores


def from_labelled(training: Training, shape: Shape, seed: int) -> list[Score]:
    """Score samples without a label, by models that saw labelled ones only."""
    pure, others = training.only(training.labelled), training.costed & ~training.labelled
    if not others.any() or WIDTH_METRIC not in training.names:
        return []
    (costed,) = build.priced([pure], MEMBERS, seed)
    metrics = training.metrics[others]
    truth = causal_class(training.shares[others], metrics[:, training.names.index(WIDTH_METRIC)])
    scores: list[Score] = []
    for algorithm in build.candidates([pure]):
        verdict = judge(metrics, build.model(pure, algorithm, costed, shape, seed)[0])
        scores += agreement(algorithm, PURE, verdict.classes, truth)
    return scores


def families_out(training: Training, shape: Shape, seed: int) -> list[Score]:
    """Score how much of a family never trained on comes out Unknown or right, by algorithm."""
    labelled = training.labelled
    families = [
        family
        for family in np.unique(training.families[labelled])
        if len(np.unique(training.labels[labelled & (training.families != family)])) > 1
    ]
    parts = [training.only(training.families != family) for family in families]
    if not parts:
        return []
    priced = build.priced(parts, MEMBERS, seed)
    scores: list[Score] = []
    for algorithm in build.candidates(parts):
        shares = []
        for family, part, costed in zip(families, parts, priced, strict=True):
            arrays, _ = build.model(part, algorithm, costed, shape, seed)
            mine = labelled & (training.families == family)
            classes = judge(training.metrics[mine], arrays).classes
            fine = (classes == UNKNOWN) | (classes == training.labels[mine])
            shares.append(fine)
            scores.append((algorithm, FAMILY, f"unknown or right: {family}", float(fine.mean())))
        every = float(np.concatenate(shares).mean())
        scores.append((algorithm, FAMILY, "unknown or right", every))
    return scores
