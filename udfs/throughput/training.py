"""Fitting a throughput model to measured blocks of machine code, and what it is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from udfs.throughput.boosting import (
    Arrays,
    Floats,
    Integers,
    fit_boosting,
    folds,
    predict_boosting,
)
from udfs.throughput.decode import Decoder, decode
from udfs.throughput.features import FEATURES, LOG_BEST

Score = tuple[str, str, str, float]
# A function of training features, their log cycles and test features, that gives log cycles.
Learner = Callable[[Floats, Floats, Floats], Floats]

FAMILY, RANDOM = "block families held out", "random fifth held out"
BOOSTING = "gradient boosting"
BOUNDS = {
    "width bound": "log_width",
    "unit bound": "log_units",
    "loop-carried chain": "log_chain",
    "tightest bound and simulation": LOG_BEST,
}
_HELD_OUT = 5
_FEWEST = 50


@dataclass(frozen=True, slots=True)
class BlockFit:
    """A model of blocks: what `warehouse.models.Fit` takes.

    `scores` are rows (algorithm, split, measure, value); measures are MAPE and median error as
    shares, Kendall's tau, and the coverage of the bands.
    """

    algorithm: str
    description: str
    inputs: tuple[str, ...]
    arrays: Arrays
    scores: list[Score] = field(default_factory=list)


def train_blocks(
    hexes: Sequence[str],
    features: Floats,
    cycles: Floats,
    weights: Floats | None = None,
    *,
    seed: int = 0,
    progress: Callable[[str], None] = lambda _: None,
    others: Mapping[str, Learner] | None = None,
) -> BlockFit:
    """Score all algorithms with block families held out, and fit the boosted trees to all blocks.

    Args:
        hexes: machine code of n blocks.
        features: n x len(FEATURES), as `block_features` gives them.
        cycles: measured cycles of one pass (n), positive.
        weights: how far each measurement is trusted (n); all alike where left out.
        seed: of all random numbers.
        progress: told in a few words what is being done.
        others: further algorithms to score on the same splits.

    Raises ValueError, in words for the user, where there is too little to learn from.
    """
    x, target = np.asarray(features, np.float64), np.log(np.asarray(cycles, np.float64))
    group = families(hexes)
    if len(x) < _FEWEST or len(np.unique(group)) < _HELD_OUT:
        raise ValueError(
            f"at least {_FEWEST} measured blocks of {_HELD_OUT} families are needed to fit; "
            f"there are {len(x)} of {len(np.unique(group))}"
        )
    weights = np.ones(len(x)) if weights is None else np.asarray(weights, np.float64)
    learners = {"linear regression": linear, **(others or {})}
    scores: list[Score] = []
    best = FEATURES.index(LOG_BEST)
    for split, groups in ((FAMILY, group), (RANDOM, np.arange(len(x)))):
        progress(f"scoring: {split}")
        held = folds(groups, _HELD_OUT, seed) == 0
        part = (x[~held], target[~held], weights[~held], seed)
        # Bands are worth knowing where they are hard: on families that were not seen.
        arrays = fit_boosting(*part, offset=best, groups=groups[~held], banded=split == FAMILY)
        scores += _scores(x[held], target[held], arrays, split)
        for name, learner in learners.items():
            predicted = learner(x[~held], target[~held], x[held])
            scores += _measured(name, split, predicted, target[held])
    progress("fitting to all blocks")
    arrays = fit_boosting(x, target, weights, seed, offset=best, groups=group)
    description = f"{len(x)} measured blocks of {len(np.unique(group))} families"
    return BlockFit(BOOSTING, description, FEATURES, arrays, scores)


def families(hexes: Sequence[str]) -> Integers:
    """Give blocks (n) the number of their family: those made of the same set of instruction forms.

    A form is mnemonic and kinds of operands; how often and in which order they come, registers and
    constants do not matter. Undecodable blocks are one family.
    """
    decoder = Decoder()
    blocks, decoded = decode(hexes, decoder)
    known: dict[frozenset[int], int] = {frozenset(): 0}
    out = np.zeros(len(hexes), np.int64)
    for place, block in zip(np.flatnonzero(decoded), blocks, strict=True):
        forms = frozenset(decoder.instructions[row].form for row in block)
        out[place] = known.setdefault(forms, len(known))
    return out


def linear(x: Floats, target: Floats, unseen: Floats) -> Floats:
    """Fit linear regression, slightly regularised, and give its log cycles of unseen features."""
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    deviation[deviation == 0] = 1
    a = (x - mean) / deviation
    weight = np.linalg.solve(a.T @ a + np.eye(a.shape[1]), a.T @ (target - target.mean()))
    # Rare instructions in numbers that were never seen must not lead out of all bounds.
    b = np.clip((unseen - mean) / deviation, -10, 10)
    return np.asarray(b @ weight + target.mean())


def _scores(x: Floats, target: Floats, arrays: Arrays, split: str) -> list[Score]:
    value, low, high = predict_boosting(x, arrays)
    out = _measured(BOOSTING, split, value, target)
    if "quantiles" in arrays:
        inside = float(np.mean((low <= target) & (target <= high)))
        out.append((BOOSTING, split, "coverage", inside))
    for name, column in BOUNDS.items():
        out += _measured(name, split, x[:, FEATURES.index(column)], target)
    instructions = np.log(x[:, FEATURES.index("n_instructions")])
    constant = instructions + np.median(target - instructions)
    return out + _measured("constant cycles per instruction", split, constant, target)


def _measured(name: str, split: str, predicted: Floats, target: Floats) -> list[Score]:
    """Give MAPE, median error (shares) and Kendall's tau of log cycles."""
    from scipy.stats import kendalltau

    error = np.abs(np.exp(predicted - target) - 1)
    return [
        (name, split, "MAPE", float(error.mean())),
        (name, split, "median error", float(np.median(error))),
        (name, split, "Kendall tau", float(kendalltau(predicted, target)[0])),
    ]
