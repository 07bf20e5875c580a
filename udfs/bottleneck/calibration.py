"""Calibration: probabilities that mean what they state, on programs that the model has not seen.

The logarithms of a classifier's probabilities are divided by one temperature (Guo et al., "On
calibration of modern neural networks", ICML 2017), which is fitted to verdicts on held-out programs
by maximum likelihood, in which confident errors weigh most. The reliability table compares the
stated probability with the share that is right, tenth by tenth; its weighted mean difference is the
expected calibration error.

Of few programs even exact probabilities have such an error: a run is right in all its samples or in
none. How large it would be is found by drawing what is right from the stated probabilities (Bröcker
and Smith, "Increasing the reliability of reliability diagrams", Weather and Forecasting 22, 2007).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from udfs.bottleneck.training import Arrays, Floats, Integers, Singles

# No class is less likely than this: trees and neighbours would state 0.
FLOOR = 0.003
_TEMPERATURES = np.geomspace(0.5, 10, 80)
_TENTHS = 10
_DRAWS = 500
# Measures of the reliability table begin with this.
TENTH = "probability "


def fit_temperature(stated: Callable[[float], Singles], truth: Integers, weights: Floats) -> Arrays:
    """Return the `temperature` (1) of the largest likelihood.

    Args:
        stated: returns the probabilities (n x 6) that are stated with a temperature, of samples
            whose programs the classifier was not trained on.
        truth: their classes (n, positions in CLASSES).
        weights: of the samples (n).
    """
    rows = np.arange(len(truth))
    likelihoods = [
        float(weights @ np.log(np.maximum(stated(t)[rows, truth], FLOOR))) for t in _TEMPERATURES
    ]
    return {"temperature": _TEMPERATURES[[int(np.argmax(likelihoods))]]}


def apply_temperature(probabilities: Singles, temperature: float) -> Singles:
    """Return calibrated probabilities (n x 6) of the classifier's own (n x 6)."""
    raised = np.maximum(probabilities, np.float32(FLOOR)) ** np.float32(1 / temperature)
    raised = np.maximum(raised / raised.sum(axis=1, keepdims=True), np.float32(FLOOR))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), np.float32)


def equal_weights(programs: NDArray[np.str_]) -> Floats:
    """Return weights (n) of samples, so that their `programs` (n) weigh the same; the sum is 1."""
    _, place, count = np.unique(programs, return_inverse=True, return_counts=True)
    return np.asarray(1 / (len(count) * count[place]))


@dataclass(frozen=True, slots=True)
class Reliability:
    """How far stated probabilities agree with the shares right.

    `error` is the expected calibration error, 0..1, and `error_if_exact` its median for exact
    probabilities. `table` has five measures for each tenth of the probability that has samples:
    their number, the mean stated probability, the share right, and the ends of the 90 % band of
    that share for exact probabilities.
    """

    error: float
    error_if_exact: float
    table: list[tuple[str, float]]


def reliability(
    probability: Floats, right: NDArray[np.bool_], runs: NDArray[np.str_] | Integers
) -> Reliability:
    """Compare stated probabilities (n) with which verdicts are right (n), tenth by tenth.

    The samples of a run, by `runs` (n), are right together where chance is drawn.
    """
    tenth = np.minimum((probability * _TENTHS).astype(int), _TENTHS - 1)
    samples, stated, share = (
        np.bincount(tenth, weights, _TENTHS) for weights in (None, probability, right)
    )
    drawn = _drawn_right(probability, tenth, runs)
    found = np.flatnonzero(samples)
    lowest, highest = np.quantile(drawn[:, found] / samples[found], [0.05, 0.95], axis=0)
    table = []
    for i, k in enumerate(found.tolist()):
        name = f"{TENTH}{k / _TENTHS:.1f} to {(k + 1) / _TENTHS:.1f}"
        table += [
            (f"{name}: samples", float(samples[k])),
            (f"{name}: stated", float(stated[k] / samples[k])),
            (f"{name}: right", float(share[k] / samples[k])),
            (f"{name}: right at least, if exact", float(lowest[i])),
            (f"{name}: right at most, if exact", float(highest[i])),
        ]
    errors = np.abs(stated - drawn).sum(axis=1) / len(probability)
    error = float(np.abs(stated - share).sum() / len(probability))
    return Reliability(error, float(np.median(errors)), table)


def _drawn_right(probability: Floats, tenth: Integers, runs: NDArray[np.str_] | Integers) -> Floats:
    """Draw how many samples of each tenth are right (draws x 10), for exact probabilities."""
    _, run = np.unique(runs, return_inverse=True)
    count = np.bincount(run)
    samples = np.zeros((len(count), _TENTHS))
    np.add.at(samples, (run, tenth), 1)
    chance = np.random.default_rng(0).random((_DRAWS, len(count)))
    return np.asarray((chance < np.bincount(run, probability) / count) @ samples)
