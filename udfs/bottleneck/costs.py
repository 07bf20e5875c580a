"""Cost shares: the part of the cycles that would be saved if one component cost nothing.

The cost of an event alone, without overlap, is a number of cycles. How much of that is hidden
depends on everything else, which small networks predict:
share = least(s(x) * (metrics @ cycles), 1 - IPC), with 0 < s(x) < 1.5 a network's output and IPC
over the issue width; no more than the empty slots can be gained. So no event means no cost, and
rates lower than any in training cost in proportion. `cost_training` trains them.

The bands are quantiles of the errors on held-out programs, by the size of the prediction
(split conformal prediction; Lei et al., JASA 113, 2018).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from udfs.bottleneck.training import (
    BALANCED_IPC,
    LEAST_SHARE,
    Arrays,
    Floats,
    Singles,
)

MAX_SERIAL_FACTOR = 1.5
COVERED = 0.90
TEMPERATURE = 0.06
# Predictions between two edges have a band of their own; the first is for 0.
EDGES = np.array([1e-9, 0.01, 0.03, 0.1, 0.3, 0.6])

# Samples from which quantiles are computed; below this neighbouring sizes are included.
_MIN_SAMPLES = 40
# Windows of one run differ by some hundredths of the width: 0.05 off the half are odds of 7 to 1.
_SLOPE = 40.0


def shares(metrics: Floats, scaled: Singles, arrays: Arrays) -> Singles:
    """Return the cost shares (n x 4, of the cycles, in the order of CAUSES).

    Args:
        metrics: n x m, per cycle.
        scaled: the same, standardised.
        arrays: a model with the arrays of `cost_training.train`.
    """
    serial = metrics.astype(np.float32) @ arrays["serial"].astype(np.float32)
    ipc = metrics[:, int(arrays["ipc"][0])].astype(np.float32)
    empty = np.maximum(1 - ipc, 1e-3)[:, None]
    total = np.zeros_like(serial)
    names = ("cost_w1", "cost_b1", "cost_w2", "cost_b2")
    for w1, b1, w2, b2 in zip(*(arrays[n].astype(np.float32) for n in names), strict=True):
        out = np.tanh(scaled @ w1 + b1) @ w2 + b2
        lost = serial * (MAX_SERIAL_FACTOR / (1 + np.exp(-out)))
        ratio = lost / empty
        ratio *= ratio
        total += lost / np.sqrt(np.sqrt(1 + ratio * ratio))
    return np.asarray(total / len(arrays["cost_w1"]), np.float32)


def bands(predicted: Floats, measured: Floats) -> Arrays:
    """Return `band` (sizes x 2): offsets from a prediction to the ends of its 90 % band.

    Args:
        predicted: n x 4, by models that were not trained on the sample's program.
        measured: n x 4.
    """
    size = np.digitize(predicted, EDGES)
    missed = measured - predicted
    ends = np.zeros((len(EDGES) + 1, 2))
    tails = np.array([(1 - COVERED) / 2, (1 + COVERED) / 2])
    for k in range(len(ends)):
        mine = missed[size == k]
        if len(mine) < _MIN_SAMPLES:
            mine = missed[np.abs(size - k) <= 1]
        if len(mine):
            ends[k] = np.quantile(mine, tails, method="inverted_cdf")
    ends[:, 0] = np.minimum(ends[:, 0], 0)
    ends[:, 1] = np.maximum(ends[:, 1], 0)
    return {"band": ends}


def apply_bands(predicted: Singles, arrays: Arrays) -> tuple[Singles, Singles]:
    """Return the lower and upper ends (n x 4 each, within 0..1) of the shares' bands."""
    size = np.digitize(predicted, EDGES)
    ends = arrays["band"].astype(np.float32)
    low = np.clip(predicted + ends[:, 0].take(size), 0, 1)
    high = np.clip(predicted + ends[:, 1].take(size), 0, 1)
    return low, high


def class_log_odds(share: NDArray[Any], ipc: NDArray[Any]) -> Singles:
    """Return logarithms of the classes' odds (n x 6, in the order of CLASSES) by cost shares.

    Every component competes with the others, and with LEAST_SHARE for none of them; none means
    Balance or Other by IPC over the width, with even odds at half the width.
    """
    lean = (np.asarray(ipc, np.float32) - np.float32(BALANCED_IPC)) * np.float32(_SLOPE)
    none = np.float32(LEAST_SHARE / TEMPERATURE)
    balance = none - np.logaddexp(0, -lean)
    other = none - np.logaddexp(0, lean)
    return np.column_stack([balance, share / np.float32(TEMPERATURE), other]).astype(np.float32)
