"""Cycles of traced segments as a combination of their bounds, corrected near measured segments.

The bounds, and two estimates that are none (an ideal front end, the data flow in half of the
window), each times a share, are combined by a norm: (b1^p + b2^p + ...)^(1/p). It is at least the
largest, close to it where the others are small, and larger where several are as large: limits that
do not overlap perfectly. The cycles in which serialising instructions drain the core are added. All
this grows with every bound, so that more serialising instructions, longer chains and slower units
never make a segment faster. The exponent and the shares are fitted.

What measured segments take beyond that (costs that no bound covers, such as a full load queue) is
learned by kernel ridge regression with few centres (subset of regressors: Rasmussen and Williams,
"Gaussian processes for machine learning", 2006, ch. 8.3) from the instruction mix, the ideal front
end and the window alone, so that the prediction still grows with every bound. Outside of what
segments were measured to have the correction vanishes, and nothing but the bounds is left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from udfs.arrays import Floats
from udfs.throughput.network import Arrays
from udfs.throughput.traces import BOUNDS, TRACE_FEATURES

_AT = {name: i for i, name in enumerate(TRACE_FEATURES)}
_UOPS, _FLOW = _AT["log_uops"], _AT["flow_half"]
_WIDTH, _DRAIN, _CHAIN, _UNIT, _FRONT = (
    _AT[name] for name in ("width", "drain", "critical_path", "unit", "front_end")
)
_OVERLAPPING = [_AT[name] for name in BOUNDS if name != "drain"]
# Start of the fit: logarithms of the exponent above 1, of the shares of the ideal front end and of
# the data flow, of what the chains of groups lack to the chains of segments, and of the exponent
# above 1 for these.
_START = np.array([1.0, -0.3, -0.3, -0.3, 0.0])
# Weights of the start against all segments: most of the exponent's, because programs differ in what
# overlaps, and single limits overlap with themselves. Errors above the turn count linearly.
_PRIOR, _TURN = np.array([0.5, 0.015, 0.015, 0.015, 0.015]), 0.1
# The amounts of a micro-operation, by whose logarithm (of 0.1 and more) segments are compared.
_COMPARED = [
    _AT[name]
    for name in (
        *("front_end", "rob", "n_int", "n_fp", "n_simd", "n_load", "n_store", "n_branch", "taken"),
        "n_nonspeculative",
    )
]
_SMALL, _FARTHEST = 0.1, 6.0  # amount, deviations
# Centres of the correction, how far it reaches in deviations of the features inside and outside of
# their range, its ridge, and the largest factor that is learned.
_CENTRES, _REACH, _BEYOND, _RIDGE, _LARGEST = 100, 6.0, 0.5, 2.0, 2.0
_CHUNK = 1 << 15  # segments at a time, which limits memory


def fit_combination(x: Floats, log_cycles: Floats, weights: Floats) -> Arrays:
    """Fit exponent, shares and correction to features (n x m), log cycles and weights (n).

    Returns `combination`, the parameters; `scale` (2 x k), mean and deviation of the compared
    amounts; `extent` (2 x k), their range in deviations; `centres` (c x k) and `correction` (c).
    """
    from scipy.optimize import least_squares

    weights = weights / weights.mean()
    root, prior = np.sqrt(weights), _PRIOR * np.sqrt(len(x))

    def errors(parameters: Floats) -> Floats:
        logs = np.log(_overlapping(x, parameters) + _drains(x)) + x[:, _UOPS]
        return np.concatenate([root * (logs - log_cycles), prior * (parameters - _START)])

    parameters = np.asarray(least_squares(errors, _START, loss="soft_l1", f_scale=_TURN).x)
    amounts = _amounts(x)
    known = np.isfinite(amounts)
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, amounts, 0).sum(axis=0) / count
    deviation = np.sqrt((np.where(known, amounts - mean, 0) ** 2).sum(axis=0) / count)
    scale = np.stack([mean, np.where(deviation > 0, deviation, np.inf)])
    points = _points(x, scale)
    centres = _spread(points)
    near = _kernel(points, centres)
    factor = (np.exp(log_cycles - x[:, _UOPS]) - _drains(x)) / _overlapping(x, parameters)
    rest = np.log(np.clip(factor, 1 / _LARGEST, _LARGEST))
    weighed = near * weights[:, None]
    ridge = _RIDGE * (_kernel(centres, centres) + 1e-6 * np.eye(len(centres)))
    correction = np.linalg.solve(weighed.T @ near + ridge, weighed.T @ rest)
    return {
        "combination": parameters,
        "scale": scale,
        "extent": np.stack([points.min(axis=0), points.max(axis=0)]),
        "centres": centres,
        "correction": correction,
    }


def predict_combination(x: NDArray[np.floating], arrays: Arrays) -> Floats:
    """Return the log cycles (n) of features (n x m) by a fit, no less than any bound."""
    values: Floats = np.asarray(x, np.float64)
    out = _overlapping(values, arrays["combination"])
    for begin in range(0, len(x), _CHUNK):
        some = slice(begin, begin + _CHUNK)
        points = _points(values[some], arrays["scale"])
        near = _kernel(points, arrays["centres"])
        low, high = arrays["extent"]
        beyond = points - np.clip(points, low, high)
        inside = np.exp(-(beyond**2).sum(axis=1) / (2 * _BEYOND**2))
        out[some] *= np.exp(inside * (near @ arrays["correction"]))
    out = np.fmax(out, np.fmax.reduce(values[:, _OVERLAPPING], axis=1)) + _drains(values)
    return np.asarray(np.log(out) + values[:, _UOPS])


def _overlapping(x: Floats, parameters: Floats) -> Floats:
    """Return the cycles of a micro-operation (n) by the norm of bounds and estimates."""
    above_one, front, flow, chain, rough = np.exp(parameters)
    # Where a trace records no data flow, its chains are those of groups of operations.
    is_rough = np.isnan(x[:, _FLOW])
    longer = np.where(is_rough, 1 + chain, 1.0)
    terms = np.stack(
        [
            x[:, _WIDTH],
            # The chains of a segment are the same in half of the window.
            np.fmax(longer * x[:, _CHAIN], flow * x[:, _FLOW]),
            x[:, _UNIT],
            front * x[:, _FRONT],
        ]
    )
    exponent = 1 + np.where(is_rough, rough, above_one)
    largest = np.fmax.reduce(terms, axis=0)
    norm = np.nansum((terms / largest) ** exponent, axis=0) ** (1 / exponent)
    return np.asarray(largest * norm)


def _drains(x: Floats) -> Floats:
    """Return the cycles of a micro-operation in drains (n); 0 where unknown."""
    return np.asarray(np.nan_to_num(x[:, _DRAIN] - x[:, _WIDTH]))


def _amounts(x: Floats) -> Floats:
    return np.asarray(np.log1p(x[:, _COMPARED] / _SMALL))


def _points(x: Floats, scale: Floats) -> Floats:
    """Return the compared amounts in deviations from their mean (n x k); 0 where unknown."""
    points = np.nan_to_num((_amounts(x) - scale[0]) / scale[1])
    return np.asarray(np.clip(points, -_FARTHEST, _FARTHEST))


def _spread(points: Floats) -> Floats:
    """Return points far from each other, by farthest-first traversal (Gonzalez 1985)."""
    chosen = [int(np.argmin((points**2).sum(axis=1)))]
    distance = np.full(len(points), np.inf)
    while len(chosen) < min(_CENTRES, len(points)):
        distance = np.minimum(distance, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
        chosen.append(int(np.argmax(distance)))
    return points[chosen]


def _kernel(points: Floats, centres: Floats) -> Floats:
    """Return how near points (n x k) are to centres (c x k), 0 to 1 (n x c)."""
    squared = (points**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1) - 2 * points @ centres.T
    return np.asarray(np.exp(-np.maximum(squared, 0) / (2 * _REACH**2)))
