"""Counting statistics: whether a sample is long enough for its counts to tell the classes apart.

A count of N events has a standard error of sqrt(N + 1), that of a Poisson variable whose rate is
not known before (its posterior variance after a flat prior). Times the cycles that an event costs
alone, over the cycles of the sample, it is an error of a cost share. Where the 90 % band of that
error is as wide as the share that makes a component the bottleneck (LEAST_SHARE), chance in the
counts alone can make or hide one.
"""

from __future__ import annotations

import numpy as np

from udfs.arrays import Floats
from udfs.bottleneck.training import CAUSE_OF, CAUSES, LEAST_SHARE, Arrays, decode_names

# 90 % of normal errors are within so many standard deviations.
_DEVIATIONS = 1.645
# Share of the time of a rate as large as its offset (`training.scale`): what an event costs in
# models that have not measured it.
_SHARE_AT_OFFSET = 0.03


def least_cycles(metrics: Floats, arrays: Arrays) -> Floats:
    """Return the fewest cycles (n x 4, in the order of CAUSES) whose counts tell the classes apart.

    Args:
        metrics: n x m, per cycle.
        arrays: a model with `names` and `log_offset`; cycles that events cost are its `serial`
            (m x 4), where it has learned them.
    """
    cycles = _cycles_of_events(arrays)
    factor = (_DEVIATIONS / LEAST_SHARE / np.maximum(metrics @ cycles, 1)) ** 2
    # The shortest sample of c cycles of which the error, (metrics * c + 1) @ cycles^2 / c^2 in
    # squares, is not too large: a root of a quadratic equation.
    half = factor * (metrics @ cycles**2) / 2
    return np.asarray(half + np.sqrt(half**2 + factor * (cycles**2).sum(axis=0)))


def _cycles_of_events(arrays: Arrays) -> Floats:
    """Return the cycles (m x 4) that one event of each metric costs each component, alone."""
    if "serial" in arrays:
        return arrays["serial"]
    cycles = np.zeros((len(arrays["log_offset"]), len(CAUSES)))
    for i, name in enumerate(decode_names(arrays["names"])):
        if name in CAUSE_OF:
            cycles[i, CAUSES.index(CAUSE_OF[name])] = _SHARE_AT_OFFSET / arrays["log_offset"][i]
    return cycles
