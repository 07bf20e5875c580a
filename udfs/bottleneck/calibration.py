"""Calibration: probabilities that mean what they state, on programs that the model has not seen.

The logarithms of a classifier's probabilities are divided by one temperature (Guo et al., "On
calibration of modern neural networks", ICML 2017), which is fitted to verdicts on held-out programs
by maximum likelihood, in which confident errors weigh most. The reliability table compares the
stated probability with the share that is right, tenth by tenth; its weighted mean difference is the
expected calibration error.

Of few programs even exact probabilities have such an error: a run is right in all its samples or in
none. How large it would be, with its 90 % interval, is found by drawing what is right from the
stated probabilities (Bröcker and Smith, "Increasing the reliability of reliability diagrams",
Weather and Forecasting 22, 2007): an error within that interval is no sign that they are inexact,
and a smaller one than its lower end cannot be asked of as few runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from udfs.arrays import Flags, Floats, Integers
from udfs.bottleneck.training import Arrays, Singles

# No class is less likely than this: trees and neighbours would state 0.
FLOOR = 0.003
_TEMPERATURES = np.geomspace(0.5, 10, 80)
_TENTHS = 10  # rows of the reliability table
_DRAWS = 500  # of which runs are right
# Ends of the 90 % intervals of what is drawn.
_ENDS = (0.05, 0.95)
# Measures of the reliability table begin with this, those of all tenths together with the other.
TENTH = "probability "
ERROR = "expected calibration error"
LEAST_IF_EXACT, MOST_IF_EXACT = f"{ERROR} at least, if exact", f"{ERROR} at most, if exact"


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


def reliability(
    probability: Floats, right: Flags, runs: NDArray[np.str_] | Integers
) -> list[tuple[str, float]]:
    """Compare stated probabilities (n) with which verdicts are right (n), tenth by tenth.

    The samples of a run, by `runs` (n), are right together where chance is drawn.

    Returns:
        measures (name, value). The expected calibration error (0..1), its median and the ends of
        its 90 % interval for exact probabilities, and the share of draws in which that is as large;
        the first two also of runs, each of which counts once. Then the table, with five measures
        for each tenth that has samples: their number, the mean stated probability, the share right,
        and the ends of the 90 % band of that share for exact probabilities.
    """
    tenth = np.minimum((probability * _TENTHS).astype(int), _TENTHS - 1)
    _, run, samples = np.unique(runs, return_inverse=True, return_counts=True)
    drawn = _runs_drawn_right(probability, run)
    found = _differences(probability, right, tenth, run, drawn, np.full(len(run), 1 / len(run)))
    error, errors = np.abs(found.stated - found.right).sum(), found.errors_if_exact()
    of_runs = _differences(probability, right, tenth, run, drawn, 1 / (len(samples) * samples[run]))
    least, most = np.quantile(errors, _ENDS).tolist()
    return [
        (ERROR, float(error)),
        (f"{ERROR}, if exact", float(np.median(errors))),
        (f"{ERROR}: as large if exact", float((errors >= error).mean())),
        (LEAST_IF_EXACT, least),
        (MOST_IF_EXACT, most),
        (f"{ERROR} of runs", float(np.abs(of_runs.stated - of_runs.right).sum())),
        (f"{ERROR} of runs, if exact", float(np.median(of_runs.errors_if_exact()))),
        *_table(found, np.bincount(tenth, minlength=_TENTHS)),
    ]


@dataclass(frozen=True, slots=True)
class _Differences:
    """Sums over the samples of each tenth (10), each sample by its weight, which add up to 1.

    `weight` itself, what is `stated` and `right`, and what is right by exact probabilities, `drawn`
    (draws x 10).
    """

    weight: Floats
    stated: Floats
    right: Floats
    drawn: Floats

    def errors_if_exact(self) -> Floats:
        """Return the expected calibration error of every draw (draws)."""
        return np.asarray(np.abs(self.stated - self.drawn).sum(axis=1))


def _differences(
    probability: Floats,
    right: Flags,
    tenth: Integers,
    run: NDArray[np.intp],
    drawn: Floats,
    weight: Floats,
) -> _Differences:
    of_runs = np.zeros((drawn.shape[1], _TENTHS))
    np.add.at(of_runs, (run, tenth), weight)

    def total(values: Floats) -> Floats:
        return np.bincount(tenth, values, _TENTHS).astype(float)

    return _Differences(
        weight=total(weight),
        stated=total(weight * probability),
        right=total(weight * right),
        drawn=drawn @ of_runs,
    )


def _runs_drawn_right(probability: Floats, run: NDArray[np.intp]) -> Floats:
    """Draw which runs are right (draws x runs, 0 or 1), for exact probabilities."""
    chance = np.random.default_rng(0).random((_DRAWS, run.max() + 1))
    return np.asarray(chance < np.bincount(run, probability) / np.bincount(run), float)


def _table(found: _Differences, samples: Integers) -> list[tuple[str, float]]:
    table = []
    for k in np.flatnonzero(samples).tolist():
        name, weight = f"{TENTH}{k / _TENTHS:.1f} to {(k + 1) / _TENTHS:.1f}", found.weight[k]
        least, most = np.quantile(found.drawn[:, k], _ENDS)
        shares = (
            ("stated", found.stated[k]),
            ("right", found.right[k]),
            ("right at least, if exact", least),
            ("right at most, if exact", most),
        )
        # Sums of weights are rounded.
        table.append((f"{name}: samples", float(samples[k])))
        table += [(f"{name}: {what}", min(float(sum_ / weight), 1.0)) for what, sum_ in shares]
    return table
