"""Change points of a series: where its level changed for good, and how significant that is.

The method: outliers are clipped (Hampel filter); the whole series and seeded intervals of it are
searched for the split with the largest t statistic, whose p-value accounts for all splits tried
(Miller and Siegmund 1982) and for the autocorrelation of the noise, which is estimated from
differences, so that changes of level do not count as autocorrelation; intervals without that split
are searched further; every change is then placed and tested between its neighbours; and where a
straight line fits better, the series has a drift and no change. Sources and details are with each
step: `noise`, `scan`, `significance`, `segments`, `drift`.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from udfs.arrow import Column, contiguous
from udfs.changes.drift import changes
from udfs.changes.segments import MIN_POINTS, Splits

Floats = NDArray[np.float64]

SIGNIFICANCE = 0.002

_CHANGE = pa.struct(
    [
        ("index", pa.int32()),
        ("before", pa.float64()),
        ("after", pa.float64()),
        ("p_value", pa.float64()),
    ]
)


def detect_changes(values: Column) -> pa.ListArray:
    """Return the positions where the level of each series changed for good.

    The probability of any false alarm in a series without a change is about 0.002 at most, if its
    noise is independent or a first-order autoregression. A random walk, and a drift too small to
    distinguish from a step, do show changes. A change has to last: 5 points at an end of the
    series, 8 between two other changes; so a series of fewer than 10 known points has none. NULL,
    NaN and infinite values are skipped.

    Args:
        values: n lists of DOUBLE in order of time, any unit.

    Returns:
        n lists of structs (index of the first point after the change, from 0, skipped ones
        counted; before and after, the medians of the known values since the previous and until the
        next change, in the unit of the values; p_value, the probability of a change as clear
        anywhere in a series without changes), by index; empty where there is none, NULL for a NULL
        list.
    """
    return _detect(values, np.full(len(values), SIGNIFICANCE))


def detect_changes_at(values: Column, significance: Column) -> pa.ListArray:
    """Return the changes as `detect_changes` does, for another probability of a false alarm.

    Args:
        values: n lists of DOUBLE in order of time, any unit.
        significance: n probabilities of a false alarm in a series, above 0 and below 1; no changes
            are found for others.

    Returns:
        n lists as of `detect_changes`.
    """
    return _detect(values, np.asarray(significance.to_numpy(zero_copy_only=False), np.float64))


def _detect(values: Column, significance: Floats) -> pa.ListArray:
    """Search series of one length and one significance together."""
    lists = contiguous(values)
    known = [_known(lists[i]) for i in range(len(lists))]
    groups: dict[tuple[int, float], list[int]] = defaultdict(list)
    for i, (at, _) in enumerate(known):
        if len(at) >= MIN_POINTS and 0 < significance[i] < 1:
            groups[len(at), float(significance[i])].append(i)
    found: list[list[dict[str, float]] | None] = [[] if row.is_valid else None for row in lists]
    for (_, most), rows in groups.items():
        every = changes(np.stack([known[i][1] for i in rows]), float(np.log(most)))
        for i, splits in zip(rows, every, strict=True):
            found[i] = _with_levels(*known[i], splits)
    return pa.array(found, pa.list_(_CHANGE))


def _known(row: pa.ListScalar) -> tuple[NDArray[np.int64], Floats]:
    """Return the positions of the known values of a list, and the values."""
    if not row.is_valid:
        return np.zeros(0, np.int64), np.zeros(0)
    numbers = row.values.to_numpy(zero_copy_only=False).astype(np.float64)
    at = np.flatnonzero(np.isfinite(numbers))
    return at, numbers[at]


def _with_levels(at: NDArray[np.int64], values: Floats, splits: Splits) -> list[dict[str, float]]:
    """Return the changes of one series with the levels on both sides."""
    places = sorted(splits)
    levels = [_median(part) for part in np.split(values, places)]
    return [
        {
            "index": int(at[place]),
            "before": before,
            "after": after,
            "p_value": float(np.exp(splits[place])),
        }
        for place, before, after in zip(places, levels, levels[1:], strict=False)
    ]


def _median(values: Floats) -> float:
    """Return the median; np.median takes ten times as long for few values."""
    ordered = np.sort(values)
    return float((ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]) / 2)
