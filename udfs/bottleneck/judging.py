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
    decode_names,
    standardised,
)

COSTS = "cost networks"
PROBABILITIES: dict[str, Callable[[Singles, Arrays], Singles]] = {
    "stacked autoencoder": autoencoder.class_probabilities,
    "decision tree": baselines.tree_probabilities,
    "k nearest neighbours": baselines.neighbours_probabilities,
    "logistic regression": baselines.logistic_probabilities,
    "random forest": baselines.tree_probabilities,
    "gradient boosting": baselines.boosting_probabilities,
}
ALGORITHMS = (*PROBABILITIES, COSTS)
DRIVERS = 3

# Lower bound of a class's probability by labels, where it is combined with cost shares.
_MIN_PROBABILITY = 1e-4


@dataclass(frozen=True, slots=True)
class Judged:
    """Verdicts on n samples.

    `classes` (n) are positions in CLASSES, len(CLASSES) for Unknown; `probability` (n) that of the
    likeliest class, `probabilities` (n x 6) of all. `drivers` (n x 3) are positions of metrics,
    the strongest first, and `contributions` (n x 3) what each adds to the logarithm of the
    likeliest class's odds against the average class, by logistic regression. `cost`, `cost_low`
    and `cost_high` (n x 4) are shares of the cycles in the order of CAUSES, None without a model
    of them. `measured` (n) is False where a metric was not: then all numbers are NaN. `reasons`
    are texts, and `reason` (n) the position of the sample's among them, -1 where its class is
    known.
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
        """Return the classes by name (n)."""
        return np.array([*CLASSES, UNKNOWN])[self.classes]


def judge(metrics: Floats, arrays: Arrays) -> Judged:
    """Apply a model to metrics (n x m, per cycle, in the model's order; NaN where not measured).

    A sample is Unknown where a metric is missing, where one exceeds the range of the training
    samples, and where no class is as likely as the model's `confidence`.
    """
    metrics = np.where(np.isfinite(metrics) & (metrics >= 0), metrics, np.nan)
    missing = np.isnan(metrics)
    filled = np.where(missing, 0, metrics)
    beyond = filled > arrays["upper"]
    measured = np.asarray(~missing.any(axis=1))
    scaled = standardised(filled, arrays)
    cost = costs.shares(filled, scaled, arrays) if "serial" in arrays else None
    probabilities = _probabilities(filled, scaled, cost, arrays)
    likeliest = probabilities.argmax(axis=1)
    probability = probabilities.max(axis=1).astype(float)
    unsure = probability < arrays["confidence"][0]
    unknown = unsure | missing.any(axis=1) | beyond.any(axis=1)
    drivers, contributions = _drivers(scaled, likeliest, arrays)
    reason, reasons = _reasons(missing, beyond, unsure, arrays)
    low = high = None
    if cost is not None:
        low, high = costs.apply_bands(cost, arrays)
    return Judged(
        classes=np.where(unknown, len(CLASSES), likeliest),
        probability=probability,
        probabilities=probabilities,
        drivers=drivers,
        contributions=contributions,
        cost=cost,
        cost_low=low,
        cost_high=high,
        measured=measured,
        reason=reason,
        reasons=reasons,
    )


def _probabilities(
    metrics: Floats, scaled: Singles, cost: Singles | None, arrays: Arrays
) -> Singles:
    """Return the probabilities (n x 6) by the model's algorithm."""
    algorithm = ALGORITHMS[int(arrays["algorithm"][0])]
    if algorithm != COSTS or cost is None:
        return PROBABILITIES[algorithm](scaled, arrays)
    by_cost = costs.class_log_odds(cost, metrics[:, int(arrays["ipc"][0])])
    weight = np.float32(arrays["weight"][0])
    by_label = np.log(
        np.maximum(baselines.logistic_probabilities(scaled, arrays), _MIN_PROBABILITY)
    )
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
    """Return why samples are Unknown: one text for each combination of causes that occurs."""
    bits = 1 << np.arange(missing.shape[1], dtype=np.int64)
    lacking, outside = missing @ bits, np.where(missing.any(axis=1), 0, beyond @ bits)
    keys = np.column_stack([lacking, outside, unsure & (lacking == 0) & (outside == 0)])
    reason = np.full(len(keys), -1)
    rows = np.flatnonzero(keys.any(axis=1))
    if not len(rows):
        return reason, []
    kinds, reason[rows] = np.unique(keys[rows], axis=0, return_inverse=True)
    names = decode_names(arrays["names"])
    texts = []
    for lack, out, _ in kinds:
        if lack:
            texts.append(f"not measured: {_names_of(names, lack)}")
        elif out:
            texts.append(f"outside the range of the training samples: {_names_of(names, out)}")
        else:
            texts.append(f"no class is {100 * arrays['confidence'][0]:.0f} % likely")
    return reason, texts


def _names_of(names: list[str], mask: int) -> str:
    return ", ".join(name for i, name in enumerate(names) if int(mask) >> i & 1)
