"""Change points of a series: where its level changed for good, and how sure that is.

The method: outliers are pulled in (Hampel filter); the whole series and seeded intervals of it are
searched for the split with the largest t statistic, whose p-value allows for every split that was
tried (Miller and Siegmund 1982) and for the memory of the noise, which is estimated from
differences, so that the changes themselves do not pass for memory; intervals without that split
are searched on; every change is then placed and tested between its neighbours; and
what a straight line explains better is a drift and no change. Sources and details are with each
step: `noise`, `scan`, `significance`, `segments`, `drift`.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from udfs.changes.drift import changes
from udfs.changes.segments import LEAST_POINTS, Splits

Column: TypeAlias = pa.Array | pa.ChunkedArray
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
    """Give the places where the level of each series changed for good.

    A series without a change shows one with a probability of about 0.002 at most, of the whole
    series, if its noise is independent or remembers like a first-order autoregression. A walk that
    comes back late or never, and a drift too slight to tell from a step, do show changes. A change
    has to last: 5 points at an end of the series, 8 between two others; so a series of fewer than
    10 known points has none. NULL, NaN and infinite values are skipped.

    Args:
        values: n lists of DOUBLE in order of time, any unit.

    Returns:
        n lists of structs (index of the first point after the change, from 0, skipped ones
        counted; before and after, the medians of the known values from the change before and to
        the change after, in the unit of the values; p_value, the probability that a series
        without a change shows one as clear anywhere), by index; empty where there is none, NULL
        for a NULL list.
    """
    return _detected(values, np.full(len(values), SIGNIFICANCE))


def detect_changes_at(values: Column, significance: Column) -> pa.ListArray:
    """Give what `detect_changes` gives, for another probability of a false alarm.

    Args:
        values: n lists of DOUBLE in order of time, any unit.
        significance: n probabilities, of the whole series, above 0 and below 1; others find
            nothing.

    Returns:
        n lists as of `detect_changes`.
    """
    return _detected(values, np.asarray(significance.to_numpy(zero_copy_only=False), np.float64))


def _detected(values: Column, significance: Floats) -> pa.ListArray:
    """Search series of one length and one significance together."""
    lists = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    known = [_known(lists[i]) for i in range(len(lists))]
    groups: dict[tuple[int, float], list[int]] = defaultdict(list)
    for i, (at, _) in enumerate(known):
        if len(at) >= LEAST_POINTS and 0 < significance[i] < 1:
            groups[len(at), float(significance[i])].append(i)
    found: list[list[dict[str, float]] | None] = [[] if row.is_valid else None for row in lists]
    for (_, most), rows in groups.items():
        every = changes(np.stack([known[i][1] for i in rows]), float(np.log(most)))
        for i, splits in zip(rows, every, strict=True):
            found[i] = _described(*known[i], splits)
    return pa.array(found, pa.list_(_CHANGE))


def _known(row: pa.ListScalar) -> tuple[NDArray[np.int64], Floats]:
    """Give the positions of the known values of a list, and the values."""
    if not row.is_valid:
        return np.zeros(0, np.int64), np.zeros(0)
    numbers = row.values.to_numpy(zero_copy_only=False).astype(np.float64)
    at = np.flatnonzero(np.isfinite(numbers))
    return at, numbers[at]


def _described(at: NDArray[np.int64], values: Floats, splits: Splits) -> list[dict[str, float]]:
    """Give the changes of one series with the levels on both sides."""
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
    """Give the median; np.median takes ten times as long for so few values."""
    ordered = np.sort(values)
    return float((ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]) / 2)
