"""Calibration: probabilities that mean what they state, on programs that the model has not seen.

The logarithms of a classifier's probabilities are divided by one temperature (Guo et al., "On
calibration of modern neural networks", ICML 2017), which is fitted to verdicts on held-out programs
by the Brier score (Brier, Monthly Weather Review 78, 1950): a few surprises among many programs
weigh less in it than in the likelihood. The reliability table compares the stated probability with
the share that is right, tenth by tenth; its weighted mean difference is the expected calibration
error.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from udfs.bottleneck.training import Arrays, Floats, Integers, Singles

# No class is less likely than this: trees and neighbours would state 0.
FLOOR = 0.003
_TEMPERATURES = np.geomspace(0.5, 10, 80)
_TENTHS = 10
# Measures of the reliability table begin with this.
TENTH = "probability "


def fit_temperature(probabilities: Singles, truth: Integers, weights: Floats) -> Arrays:
    """Return the `temperature` (1) with the smallest Brier score.

    Args:
        probabilities: n x 6, of samples whose programs the classifier was not trained on.
        truth: their classes (n, positions in CLASSES).
        weights: of the samples (n).
    """
    happened = np.eye(probabilities.shape[1], dtype=np.float32)[truth]
    missed = [
        float(weights @ ((apply_temperature(probabilities, t) - happened) ** 2).sum(axis=1))
        for t in _TEMPERATURES
    ]
    return {"temperature": _TEMPERATURES[[int(np.argmin(missed))]]}


def apply_temperature(probabilities: Singles, temperature: float) -> Singles:
    """Return calibrated probabilities (n x 6) of the classifier's own (n x 6)."""
    raised = np.maximum(probabilities, np.float32(FLOOR)) ** np.float32(1 / temperature)
    raised = np.maximum(raised / raised.sum(axis=1, keepdims=True), np.float32(FLOOR))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), np.float32)


def equal_weights(programs: NDArray[np.str_]) -> Floats:
    """Return weights (n) of samples, so that their `programs` (n) weigh the same; the sum is 1."""
    _, place, count = np.unique(programs, return_inverse=True, return_counts=True)
    return np.asarray(1 / (len(count) * count[place]))


def reliability(
    probability: Floats, right: NDArray[np.bool_]
) -> tuple[float, list[tuple[str, float]]]:
    """Return the expected calibration error, and the reliability table as measures with values.

    Args:
        probability: stated probability of the verdict (n).
        right: whether it is right (n).

    Returns:
        The error, 0..1, and three measures for each tenth of the probability that has samples:
        their number, the mean stated probability and the share right.
    """
    tenth = np.minimum((probability * _TENTHS).astype(int), _TENTHS - 1)
    error, table = 0.0, []
    for k in np.unique(tenth).tolist():
        mine = tenth == k
        stated, share = float(probability[mine].mean()), float(right[mine].mean())
        error += abs(stated - share) * float(mine.mean())
        name = f"{TENTH}{k / _TENTHS:.1f} to {(k + 1) / _TENTHS:.1f}"
        table += [
            (f"{name}: samples", float(mine.sum())),
            (f"{name}: stated", stated),
            (f"{name}: right", share),
        ]
    return error, table
