"""Statistics of repeated measurements."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from udfs.arrow import Column, contiguous, returned
from udfs.student import t_quantile

_CONFIDENCE = 0.95  # of intervals
_FEWEST = 3  # durations of an interval


def median_interval(values: Column) -> pa.StructArray:
    """Return the median of each list and an interval that contains it with 95 % confidence.

    Distribution-free: the interval runs between two order statistics, chosen symmetrically by
    the binomial distribution (Conover, Practical Nonparametric Statistics, 3rd ed., section
    3.2). NULL and NaN elements are left out. `low` and `high` are NULL where there are fewer
    than six values, because no such interval reaches 95 %.

    Args:
        values: n lists of DOUBLE, any unit.

    Returns:
        n structs (median, low, high), in the unit of the values; NULL for a NULL list.
    """
    out: list[dict[str, float | None] | None] = []
    for row in contiguous(values):
        if not row.is_valid:
            out.append(None)
            continue
        numbers = row.values.drop_null().to_numpy(zero_copy_only=False)
        numbers = np.sort(numbers[~np.isnan(numbers)])
        rank = _lower_rank(len(numbers))
        out.append(
            {
                "median": float(np.median(numbers)) if len(numbers) else None,
                "low": float(numbers[rank]) if rank is not None else None,
                "high": float(numbers[-1 - rank]) if rank is not None else None,
            }
        )
    return pa.array(out, returned("median_interval"))


def _lower_rank(count: int) -> int | None:
    """Return the largest rank (from 0) whose symmetric interval still has the confidence."""
    rank = None
    below = 0.0
    for candidate in range(count // 2):
        below += math.comb(count, candidate) / 2.0**count
        if 2 * below > 1 - _CONFIDENCE:
            break
        rank = candidate
    return rank


def compare_durations(own: Column, others: Column) -> pa.ListArray:
    """Compare the durations of many groups with those of the others, all groups together.

    Welch's test on logarithms (The generalization of "Student's" problem when several different
    population variances are involved, 1947). Without noise on both sides the interval is the ratio.

    Args:
        own: n lists of m lists of DOUBLE above 0, the durations of each group, any unit.
        others: the same for what each group is compared with.

    Returns:
        n lists of m structs: ratio of the geometric means, own / others, and an interval low..high
        that covers the m ratios together with 95 % confidence (Bonferroni); no interval where a
        side has fewer than three durations.
    """
    sides = [contiguous(side) for side in (own, others)]
    out = []
    for groups in zip(*sides, strict=True):
        pairs = zip(*(group.values for group in groups), strict=True)
        level = 1 - (1 - _CONFIDENCE) / max(1, len(groups[0].values))
        ratios = []
        for pair in pairs:
            ours, theirs = (np.log(side.values.to_numpy(zero_copy_only=False)) for side in pair)
            ratios.append(_ratio(ours, theirs, level))
        out.append(ratios)
    return pa.array(out, returned("compare_durations"))


def _ratio(
    own: NDArray[np.float64], others: NDArray[np.float64], level: float
) -> dict[str, float | None]:
    """Return the ratio of geometric means and its interval, from logarithms."""
    difference = float(own.mean() - others.mean())
    found: dict[str, float | None] = {"ratio": math.exp(difference), "low": None, "high": None}
    if min(len(own), len(others)) < _FEWEST:
        return found
    squares = [side.var(ddof=1) / len(side) for side in (own, others)]
    variance = float(sum(squares))
    half = 0.0
    if variance > 0:
        freedom = variance**2 / sum(
            square**2 / (len(side) - 1) for square, side in zip(squares, (own, others), strict=True)
        )
        half = t_quantile(freedom, (1 + level) / 2) * math.sqrt(variance)
    return found | {"low": math.exp(difference - half), "high": math.exp(difference + half)}
