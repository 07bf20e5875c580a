"""Cycles of traced segments as a combination of their bounds that no bound exceeds.

The bounds, and two estimates that are none (an ideal front end, the data flow in half of the
window), each times a share, are combined by a norm: (b1^p + b2^p + ...)^(1/p). It is at least the
largest, close to it where the others are small, and larger where several are as large: limits that
do not overlap perfectly. It grows with every bound, so that more serialising instructions, longer
chains and slower units never make a segment faster. The exponent and the shares are fitted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from udfs.throughput.network import Arrays, Floats
from udfs.throughput.traces import TRACE_FEATURES

_AT = {name: i for i, name in enumerate(TRACE_FEATURES)}
_UOPS, _FLOW = _AT["log_uops"], _AT["flow_half"]
_WIDTH, _DRAIN, _CHAIN, _UNIT, _FRONT = (
    _AT[name] for name in ("width", "drain", "critical_path", "unit", "front_end")
)
# Start of the fit: logarithms of the exponent above 1, of the shares of the ideal front end and of
# the data flow, and of what the chains of groups lack to the chains of segments.
_START = np.array([1.0, -0.3, -0.3, -0.3])
# Weight of the start against all segments; errors above this count linearly.
_PRIOR, _TURN = 0.015, 0.1


def fit_combination(x: Floats, log_cycles: Floats, weights: Floats) -> Arrays:
    """Fit exponent and shares to features of traces (n x m), log cycles (n) and weights (n).

    Returns `combination`, the four parameters.
    """
    root = np.sqrt(weights / weights.mean())
    prior = _PRIOR * np.sqrt(len(x))

    def errors(parameters: Floats) -> Floats:
        logs = _log_cycles(x, parameters)
        return np.concatenate([root * (logs - log_cycles), prior * (parameters - _START)])

    fitted = least_squares(errors, _START, loss="soft_l1", f_scale=_TURN)
    return {"combination": np.asarray(fitted.x)}


def predict_combination(x: NDArray[np.floating], arrays: Arrays) -> Floats:
    """Return the log cycles (n) of features (n x m) by a fit of `fit_combination`."""
    return _log_cycles(np.asarray(x, np.float64), arrays["combination"])


def _log_cycles(x: Floats, parameters: Floats) -> Floats:
    above_one, front, flow, chain = np.exp(parameters)
    # Where a trace records no data flow, its chains are those of groups of operations.
    longer = np.where(np.isnan(x[:, _FLOW]), 1 + chain, 1.0)
    terms = np.stack(
        [
            np.fmax(x[:, _WIDTH], x[:, _DRAIN]),
            longer * x[:, _CHAIN],
            x[:, _UNIT],
            front * x[:, _FRONT],
            flow * x[:, _FLOW],
        ]
    )
    exponent = 1 + above_one
    largest = np.fmax.reduce(terms, axis=0)
    norm = np.nansum((terms / largest) ** exponent, axis=0) ** (1 / exponent)
    return np.asarray(np.log(largest * norm) + x[:, _UOPS])
