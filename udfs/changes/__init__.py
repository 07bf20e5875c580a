"""Change points of a series: where its level changed for good, and how significant that is.

The method: bursts of bad runs and outliers are replaced or clipped (running medians, Hampel
filter), unless two levels alternate, which are noise then; the whole series, seeded intervals of it
and the levels between the splits found are searched for the split with the largest t statistic,
whose p-value accounts for all splits tried (Miller and Siegmund 1982), for noise that is larger
around the split than elsewhere, and for its autocorrelation, which is estimated from differences,
so that changes of level do not count as autocorrelation; every change is then placed and tested
between its neighbours; changes that a wandering level explains as well are none, nor are those
between two levels that return; and where levels that drift fit better, the changes are those that
the drift leaves. Sources and details are with each step: `modes`, `noise`, `outliers`, `scan`,
`significance`, `segments`, `wandering`, `drift`, `levels`. What is no lasting change is in
`findings` and `provisional`, as is what could not be seen.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pyarrow as pa

from udfs.arrays import Floats, Integers
from udfs.arrow import Column, contiguous
from udfs.changes.findings import FINDINGS, TOO_SHORT, Series, smallest_changes
from udfs.changes.levels import find_levels
from udfs.changes.segments import MIN_POINTS

Places = tuple[Integers, Integers]

SIGNIFICANCE = 0.002  # probability of a false alarm in a whole series


def detect_changes(values: Column) -> pa.Array:
    """Return the certain changes of each series, as `series_findings` with `SIGNIFICANCE`.

    The probability of any false alarm in a series without a change is about 0.002 at most, if its
    noise is independent or a first-order autoregression, and about 0.05 if its level wanders as a
    random walk. A drift too small to distinguish from a step does show changes.

    Args:
        values: n lists of DOUBLE in order of time, any unit.
    """
    return _part("changes", values)


def detect_provisional(values: Column) -> pa.Array:
    """Return the levels that are not certain yet, as `series_findings` with `SIGNIFICANCE`."""
    return _part("provisional", values)


def detect_disturbances(values: Column) -> pa.Array:
    """Return the bursts of each series, as `series_findings`."""
    return _part("disturbances", values)


def _part(name: str, values: Column) -> pa.Array:
    unknown = pa.nulls(len(values), pa.list_(pa.string()))
    usual = pa.array(np.full(len(values), SIGNIFICANCE))
    found = series_findings(values, usual, unknown, unknown)
    return found.flatten()[found.type.get_field_index(name)]


def series_findings(
    values: Column, significance: Column, points: Column, versions: Column
) -> pa.StructArray:
    """Return all that is found in each series, and how far it is to be trusted.

    Neighbours of one point, such as runs of one commit, are repetitions of it: its value is their
    median, and it is found at the first of them. Where that leaves fewer points than a change
    needs, each value is one. A change next to where a version begins is there, unless the points
    between lie too clearly on the other level.

    Args:
        values: n lists of DOUBLE in order of time, any unit.
        significance: n probabilities of a false alarm in a series, above 0 and below 1.
        points: n lists of VARCHAR, the point of each value; NULL: one of its own.
        versions: n lists of VARCHAR, the version of each value.

    Returns:
        n structs: changes (index of the first point after the change, from 0, skipped ones counted;
        before and after, the geometric means (or means where values are not positive) of the known
        values since the previous and until the next change, without bursts, in the unit of the
        values, in a series that drifts as they are at the change; p_value, the probability of a
        change as clear anywhere in a series without changes; low and high, an interval of
        after / before of 95 %, NULL for means; p_here, the probability of such a step there, if
        the place is known), which last 5 points at an end of the series and 8 within; provisional,
        the levels at the end that are not certain yet: of 2 to 4 points, all apart from the level
        before on the same side, or longer, with a p-value above the significance, up to 0.1, as
        changes with begins, the first point of the level before, and more_runs, how many more
        points would make it one if it stays, at most 20;
        disturbances, bursts of 2 to 7 points inside a series and 2 to 4 at its start, far from the
        level around them: first and last point, usual, that level, and disturbed, the median of
        the burst; modes (low and high level, high_share of the points in the upper one) where two
        levels alternate, else NULL; drift, the rise of a series that drifts besides its changes,
        else NULL; smallest_change, the smallest lasting change that would be found in four of five
        such series of as many points, 10 at least, in the unit of the values, NULL where unknown;
        state, the first that applies of short (fewer than 10 known points), alternating, disturbed
        (a fifth of the points in bursts), wandering (a point is so like its neighbours that levels
        are not seen), noisy (smallest_change above a quarter of the level), drifting, steady.
        NULL for a NULL list.
    """
    lists = contiguous(values)
    named = zip(lists, contiguous(points), strict=True)
    known = [_repeated(*_known(row), names) for row, names in named]
    begins = [
        _begins(at, names) for ((at, _), _), names in zip(known, contiguous(versions), strict=True)
    ]
    alpha = np.asarray(significance.to_numpy(zero_copy_only=False), np.float64)
    found: list[Any] = [TOO_SHORT if row.is_valid else None for row in lists]
    groups: dict[int, list[int]] = defaultdict(list)
    for i, (_, of_points) in enumerate(known):
        if len(of_points) >= 2 and 0 < alpha[i] < 1:
            groups[len(of_points)].append(i)
    for length, rows in groups.items():
        log_alpha = np.log(alpha[rows])
        levels = find_levels(np.stack([known[i][1] for i in rows]))
        with np.errstate(over="ignore"):
            least = smallest_changes(levels.noise, length, log_alpha) * levels.unit[:, 0]
        for row, i in enumerate(rows):
            (at, ends), numbers = known[i]
            alike = float(log_alpha[row]), begins[i], float(least[row])
            found[i] = Series(levels, row, at, ends, numbers, *alike).findings()
    return pa.array(found, FINDINGS)


def _known(row: pa.ListScalar) -> tuple[Places, Floats]:
    """Return the positions of the known values of a list, each first and last, and the values."""
    if not row.is_valid:
        return (np.zeros(0, np.int64),) * 2, np.zeros(0)
    numbers = row.values.to_numpy(zero_copy_only=False).astype(np.float64)
    at = np.flatnonzero(np.isfinite(numbers))
    return (at, at), numbers[at]


def _repeated(places: Places, numbers: Floats, names: pa.ListScalar) -> tuple[Places, Floats]:
    """Return points, the first and last positions of their values, and their medians."""
    at, _ = places
    if not names.is_valid or len(at) < MIN_POINTS:
        return places, numbers
    of = np.asarray(names.values.to_numpy(zero_copy_only=False), object)[at]
    differs = (of[1:] != of[:-1]) | (of[1:] == None)  # noqa: E711
    starts = np.flatnonzero(np.append(True, differs))
    if not MIN_POINTS <= len(starts) < len(at):
        return places, numbers
    ends = np.append(starts[1:], len(at))
    medians = [np.median(numbers[one:end]) for one, end in zip(starts, ends, strict=True)]
    return (at[starts], at[ends - 1]), np.array(medians)


def _begins(at: Integers, names: pa.ListScalar) -> Integers:
    """Return which points are the first of a version, by the positions of their values."""
    if not names.is_valid or len(at) < MIN_POINTS:
        return np.zeros(0, np.int64)
    of = np.asarray(names.values.to_numpy(zero_copy_only=False), object)[at]
    differs = (of[1:] != of[:-1]) & (of[1:] != None) & (of[:-1] != None)  # noqa: E711
    return np.flatnonzero(differs) + 1
