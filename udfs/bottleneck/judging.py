"""A stored model applied to samples: class, probabilities, drivers, cost shares, or Unknown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from udfs.bottleneck import autoencoder, baselines, costs
from udfs.bottleneck.training import (
    CLASSES,
    UNKNOWN,
    Arrays,
    Floats,
    Integers,
    Singles,
    read_names,
    standardised,
)

COSTS = "cost networks"
ODDS: dict[str, Callable[[Singles, Arrays], Singles]] = {
    "stacked autoencoder": autoencoder.odds,
    "decision tree": baselines.tree_odds,
    "k nearest neighbours": baselines.neighbours_odds,
    "logistic regression": baselines.logistic_odds,
    "random forest": baselines.tree_odds,
    "gradient boosting": baselines.boosting_odds,
}
ALGORITHMS = (*ODDS, COSTS)
DRIVERS = 3

# Beside odds by cost shares, a label's probability under this tells nothing.
_LEAST = 1e-4


@dataclass(frozen=True, slots=True)
class Judged:
    """Verdicts on n samples.

    `classes` (n) are positions in CLASSES, len(CLASSES) for Unknown; `probability` (n) that of the
    likeliest class, `probabilities` (n x 6) of all. `drivers` (n x 3) are positions of metrics,
    the strongest first, and `contributions` (n x 3) what each adds to the logarithm of the
    likeliest class's odds against the average class, by logistic regression. `cost`, `cost_low`
    and `cost_high` (n x 4) are shares of the cycles in the order of CAUSES, None without a model
    of them. `measured` (n) is False where a metric was not: then all numbers are NaN. `reasons`
    are texts, and `reason` (n) the position of the sample's among them, -1 where it is known.
    """

    classes: Integers
    probability: Floats
    probabilities: Singles
    drivers: NDArray[np.intp]
    contributions: Singles
    cost: Singles | None
    cost_low: Singles | None
    cost_high: Singles | None
    measured: NDArray[np.bool_]
    reason: Integers
    reasons: list[str]

    def names(self) -> NDArray[np.str_]:
        """Give the classes by name (n)."""
        return np.array([*CLASSES, UNKNOWN])[self.classes]


def judge(metrics: Floats, arrays: Arrays) -> Judged:
    """Apply a model to metrics (n x m, per cycle, in the model's order; NaN where not measured).

    A sample is Unknown where a metric is missing, where one lies beyond anything in the training
    samples, and where no class is as likely as the model's `confidence`.
    """
    metrics = np.where(np.isfinite(metrics) & (metrics >= 0), metrics, np.nan)
    missing = np.isnan(metrics)
    filled = np.where(missing, 0, metrics)
    beyond = filled > arrays["upper"]
    measured = np.asarray(~missing.any(axis=1))
    scaled = standardised(filled, arrays)
    cost = costs.shares(filled, scaled, arrays) if "serial" in arrays else None
    odds = _odds(filled, scaled, cost, arrays)
    likeliest = odds.argmax(axis=1)
    probability = odds.max(axis=1).astype(float)
    unsure = probability < arrays["confidence"][0]
    unknown = unsure | missing.any(axis=1) | beyond.any(axis=1)
    drivers, contributions = _drivers(scaled, likeliest, arrays)
    reason, reasons = _reasons(missing, beyond, unsure, arrays)
    low = high = None
    if cost is not None:
        low, high = costs.banded(cost, arrays)
    return Judged(
        classes=np.where(unknown, len(CLASSES), likeliest),
        probability=probability,
        probabilities=odds,
        drivers=drivers,
        contributions=contributions,
        cost=cost,
        cost_low=low,
        cost_high=high,
        measured=measured,
        reason=reason,
        reasons=reasons,
    )


def _odds(metrics: Floats, scaled: Singles, cost: Singles | None, arrays: Arrays) -> Singles:
    """Give the probabilities (n x 6) by the model's algorithm."""
    algorithm = ALGORITHMS[int(arrays["algorithm"][0])]
    if algorithm != COSTS or cost is None:
        return ODDS[algorithm](scaled, arrays)
    by_cost = costs.cause_odds(cost, metrics[:, int(arrays["ipc"][0])])
    weight = np.float32(arrays["weight"][0])
    by_label = np.log(np.maximum(baselines.logistic_odds(scaled, arrays), _LEAST))
    return baselines.softmax(by_cost + weight * by_label)


def _drivers(
    scaled: Singles, likeliest: NDArray[np.intp], arrays: Arrays
) -> tuple[NDArray[np.intp], Singles]:
    weight = arrays["softmax_w"].astype(np.float32)
    against = (weight - weight.mean(axis=1, keepdims=True)).T
    contributions = scaled * against[likeliest]
    order = np.argsort(-contributions, axis=1)[:, :DRIVERS]
    return order, np.take_along_axis(contributions, order, axis=1)


def _reasons(
    missing: NDArray[np.bool_],
    beyond: NDArray[np.bool_],
    unsure: NDArray[np.bool_],
    arrays: Arrays,
) -> tuple[Integers, list[str]]:
    """Word why samples are Unknown, once for every combination of causes that occurs."""
    bits = 1 << np.arange(missing.shape[1], dtype=np.int64)
    lacking, outside = missing @ bits, np.where(missing.any(axis=1), 0, beyond @ bits)
    keys = np.column_stack([lacking, outside, unsure & (lacking == 0) & (outside == 0)])
    reason = np.full(len(keys), -1)
    rows = np.flatnonzero(keys.any(axis=1))
    if not len(rows):
        return reason, []
    kinds, reason[rows] = np.unique(keys[rows], axis=0, return_inverse=True)
    names = read_names(arrays["names"])
    texts = []
    for lack, out, _ in kinds:
        if lack:
            texts.append(f"not measured: {_listed(names, lack)}")
        elif out:
            texts.append(f"beyond what the model was trained on: {_listed(names, out)}")
        else:
            texts.append(f"no class is {100 * arrays['confidence'][0]:.0f} % likely")
    return reason, texts


def _listed(names: list[str], mask: int) -> str:
    return ", ".join(name for i, name in enumerate(names) if int(mask) >> i & 1)
