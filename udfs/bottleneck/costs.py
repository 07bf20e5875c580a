"""Cost shares: the part of the cycles that would be saved if one component cost nothing.

The cost of an event alone, without overlap, is a number of cycles. How much of that is hidden
depends on everything else, which small networks predict:
share = least(s(x) * (metrics @ cycles), 1 - IPC), with 0 < s(x) < 1.5 a network's output and IPC
over the issue width; no more than the empty slots can be gained. So no event means no cost, and
rates lower than any in training cost in proportion. `cost_training` trains them.

The bands are quantiles of the errors on held-out programs, as factors, by the size of the
prediction (split conformal prediction; Lei et al., JASA 113, 2018): of the components whose events
were counted, 90 % of the shares are within their band or TOLERANCE off it. The probability of a
class follows from the same errors: they are about a factor of two.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from udfs.arrays import Floats
from udfs.bottleneck.training import BALANCED_IPC, LEAST_SHARE, Arrays, Singles

MAX_SERIAL_FACTOR = 1.5  # by which what is lost may exceed the events one after another
COVERED = 0.90  # of the shares within their bands
# Shares of the cycles are measured from two runs, whose difference is off by so much.
TOLERANCE = 0.01
# Predictions between two edges have a band of their own; the first is for 0.
EDGES = np.array([1e-9, 0.003, 0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.45, 0.6, 0.8])

# Errors are factors of a share with this added, so that they are finite where nothing is lost.
_LEAST = 0.02
# Odds that a component is the bottleneck: ((share + _EXTRA) / (LEAST_SHARE + _EXTRA)) ^ _POWER, by
# maximum likelihood on held-out gem5 kernels and their blends.
_POWER = 4.0
_EXTRA = 0.08  # added to a share, so that small ones have odds, too
# Windows of one real program differ by some hundredths of the width (90 % of them by less than
# 0.044 on gem5): 0.05 off the half are odds of 4 to 1.
_SLOPE = 30.0


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


def bands(predicted: Floats, measured: Floats, weights: Floats) -> Arrays:
    """Return `band` (sizes x 2): factors from a prediction to the ends of its 90 % band.

    The errors of neighbouring sizes are used together, except of predictions of 0.

    Args:
        predicted: n x 4, by models that were not trained on the sample's program.
        measured: n x 4.
        weights: of the samples (n).
    """
    size = np.digitize(predicted, EDGES)
    # A remedy that made a run slower by chance gained nothing.
    share = np.clip(measured, 0, 1) + _LEAST
    most, least = ((share + off) / (predicted + _LEAST) for off in (TOLERANCE, -TOLERANCE))
    weight = np.broadcast_to(weights[:, None], share.shape)
    ends = np.ones((len(EDGES) + 1, 2))
    for k in range(len(ends)):
        mine = (np.abs(size - k) <= 1) & (size > 0) if k else size == 0
        if mine.any():
            low, high = (
                np.quantile(factors[mine], tail, method="inverted_cdf", weights=weight[mine])
                for factors, tail in ((most, (1 - COVERED) / 2), (least, (1 + COVERED) / 2))
            )
            ends[k] = min(low, 1), max(high, 1)
    return {"band": ends}


def apply_bands(predicted: Singles, arrays: Arrays) -> tuple[Singles, Singles]:
    """Return the lower and upper ends (n x 4 each, within 0..1) of the shares' bands."""
    size = np.digitize(predicted, EDGES)
    ends = arrays["band"].astype(np.float32)
    low, high = ((predicted + _LEAST) * ends[:, i].take(size) - _LEAST for i in (0, 1))
    return np.clip(low, 0, 1).astype(np.float32), np.clip(high, 0, 1).astype(np.float32)


def class_log_odds(share: NDArray[Any], ipc: NDArray[Any]) -> Singles:
    """Return logarithms of the classes' odds (n x 6, in the order of CLASSES) by cost shares.

    Every component competes with the others, and with LEAST_SHARE for none of them; none means
    Balance or Other by IPC over the width (`balance_log_odds`).
    """
    balance, other = balance_log_odds(ipc)
    ratio = (np.maximum(share, 0) + _EXTRA) / (LEAST_SHARE + _EXTRA)
    return np.column_stack([balance, _POWER * np.log(ratio), other]).astype(np.float32)


def draw_run_ipc(ipc: Floats, rng: np.random.Generator) -> Floats:
    """Draw the IPC over the width (n) of runs of which windows have `ipc` (n).

    The scatter is the one that `balance_log_odds` allows for.
    """
    return np.asarray(ipc + rng.logistic(scale=1 / _SLOPE, size=len(ipc)))


def balance_log_odds(ipc: NDArray[Any]) -> tuple[Singles, Singles]:
    """Return the logarithms of the shares of Balance and of Other (n each) where nothing costs.

    `ipc` (n) is over the width; at half the width both are even.
    """
    lean = (np.asarray(ipc, np.float32) - np.float32(BALANCED_IPC)) * np.float32(_SLOPE)
    return -np.logaddexp(np.float32(0), -lean), -np.logaddexp(np.float32(0), lean)
