"""Statistics of repeated measurements."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa

from udfs.arrow import Column, contiguous

_CONFIDENCE = 0.95


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
    kind = pa.struct([(name, pa.float64()) for name in ("median", "low", "high")])
    return pa.array(out, kind)


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
