"""The size of a step: of both levels, as `udfs.comparison` has it of two sets of runs."""

from __future__ import annotations

import numpy as np
from scipy.special import stdtr

from udfs.arrays import Floats
from udfs.student import t_quantile

_LEVEL = 0.95
_FEW = 5  # runs of a side whose noise is that of both sides
_EXACT = np.finfo(np.float64).eps  # of a value: no number is stored more exactly


def step_between(before: Floats, after: Floats, inflation: float) -> dict[str, float | None]:
    """Return both levels, an interval of their ratio, and how likely noise makes such a step here.

    Levels are geometric means where all values are positive, else means; the interval is Welch's
    with a probability of 95 %, none for means.

    Args:
        before: values of the level before, any unit, without bursts.
        after: values of the level after.
        inflation: long-run variance of the noise over its variance, 1 or more.

    Returns:
        before and after (unit of the values), low and high (of after / before), p_here.
    """
    positive = bool(before.min() > 0 and after.min() > 0)
    # Around the first value: the mean of equal ones is their value.
    sides = [np.log(side / side[0]) if positive else side - side[0] for side in (before, after)]
    means = [float(side.mean()) for side in sides]
    if positive:
        levels = [before[0] * np.exp(means[0]), after[0] * np.exp(means[1])]
        gap, size = float(np.log(levels[1] / levels[0])), 1.0
    else:
        levels = [before[0] + means[0], after[0] + means[1]]
        gap, size = float(levels[1] - levels[0]), max(map(abs, levels))
    counts = np.array([len(before), len(after)])
    free = counts - 1.0
    squares = np.array([np.square(side - side.mean()).sum() for side in sides])
    if counts.min() < _FEW:
        free[:] = max(free.sum(), 1)
        squares[:] = squares.sum()
    variances = np.maximum(squares / free, (_EXACT * size) ** 2)
    parts = inflation * variances / counts
    error, freedom = float(np.sqrt(parts.sum())), float(free[0])
    if counts.min() >= _FEW:
        freedom = float(parts.sum() ** 2 / (parts**2 / free).sum())
    freedom = max(freedom / inflation, 1.0)
    p = float(2 * stdtr(freedom, -abs(gap) / error)) if error > 0 else 1.0
    reach = t_quantile(freedom, (1 + _LEVEL) / 2) * error
    return {
        "before": float(levels[0]),
        "after": float(levels[1]),
        "low": float(np.exp(gap - reach)) if positive else None,
        "high": float(np.exp(gap + reach)) if positive else None,
        "p_here": p,
    }
