"""How many more runs a comparison needs: what a test of size and power asks of the noise seen."""

from __future__ import annotations

import numpy as np
from scipy.special import stdtrit

from udfs.arrays import Floats, Integers

POWER = 0.8  # found in four of five cases, the usual power of a plan
_MOST = 1000  # runs; more nobody makes
_STEPS = np.unique(np.round(np.geomspace(1, _MOST, 120))).astype(np.float64)


def more_runs(
    gap: Floats, variances: Floats, counts: Integers, freedom: Floats, error: Floats
) -> Floats:
    """Return how many more runs of each side would show a difference as large as that seen.

    With m more runs the variance of a side's mean falls from v to v n / (n + m), and the degrees of
    freedom grow by 2 m. The difference is found with probability `POWER` from the m on at which it
    is as large as the sum of the quantiles of Student's t for error and power, in standard errors
    (Cohen, Statistical power analysis for the behavioral sciences, 1988). The estimate is as
    uncertain as the variances are: those of five runs may well be off by a factor of two.

    Args:
        gap: m differences of means, any unit.
        variances: the variance of each side's mean, (2, m), unit of `gap` squared.
        counts: runs of each side, (2, m).
        freedom: degrees of freedom of the sum of both variances, (m).
        error: probability of error of each test, (m), two-sided.

    Returns:
        m numbers of runs, at least 1, about to three per cent; NaN where more than 1000 were
        needed.
    """
    # The more runs, the smaller is what is found: the first number that suffices is bisected.
    first = np.zeros(len(gap), dtype=np.int64)
    last = np.full(len(gap), len(_STEPS))
    while (searched := first < last).any():
        middle = (first + last) // 2
        more = _STEPS[np.minimum(middle, len(_STEPS) - 1)]
        with np.errstate(all="ignore"):
            deviation = np.sqrt((variances * counts / (counts + more)).sum(axis=0))
            free = freedom + 2 * more
            reach = stdtrit(free, 1 - error / 2) + stdtrit(free, POWER)
            enough = np.abs(gap) >= reach * deviation
        last = np.where(searched & enough, middle, last)
        first = np.where(searched & ~enough, middle + 1, first)
    found: Floats = np.where(
        first < len(_STEPS), _STEPS[np.minimum(first, len(_STEPS) - 1)], np.nan
    )
    return found
