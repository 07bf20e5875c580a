"""Single outliers and bursts of them: told from levels by how long they last.

A level is what a running median over 15 points preserves: 8 points inside a series, 5 at an end,
where the series is reflected. What it removes, up to 7 points inside and 4 at an end, is a burst.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from udfs.arrays import Flags, Floats
from udfs.changes.noise import local_scale

_LEVEL_NEIGHBOURS = 7  # neighbours on each side of the running median that removes bursts
_BURST = 6.0  # deviations from it at which a point belongs to a burst
_NEIGHBOURS = 3  # neighbours on each side of the running median for single outliers
OUTLIER = 3.0  # deviations from it at which a point is an outlier


def without_bursts(values: Floats, scale: Floats) -> tuple[Floats, Flags]:
    """Replace bursts by the running median of 15 points; return the series and what was replaced.

    Args:
        values: (series, points), at least 8 points.
        scale: (series, 1), standard deviation of the noise.

    Returns:
        the series, (series, points), in the unit of the values, and whether a point is in a burst.
    """
    # A burst starts or ends with a step; where there is none, nothing is to be done.
    rows = np.flatnonzero(np.abs(np.diff(values, axis=1)).max(axis=1) > _BURST * scale[:, 0])
    marks = np.zeros(values.shape, bool)
    out = values.copy()
    if not len(rows):
        return out, marks
    suspects = values[rows]
    middle = _running_median(suspects, _LEVEL_NEIGHBOURS)
    reach = _BURST * np.maximum(scale[rows], local_scale(suspects))
    apart = np.abs(suspects - middle) > reach
    suspects[apart] = _level_around(suspects, apart, middle[apart], reach[apart])
    marks[rows], out[rows] = apart, suspects
    return out, marks


def _level_around(values: Floats, marks: Flags, middle: Floats, reach: Floats) -> Floats:
    """Return the median of those neighbours of each marked point that belong to a level.

    These are the ones within reach of the running median, which itself lies at the edge of the
    level next to a long burst.
    """
    windows = _windows(values, min(_LEVEL_NEIGHBOURS, values.shape[1] - 1))[marks]
    windows[np.abs(windows - middle[:, None]) > reach[:, None]] = np.inf
    windows.sort(axis=1)
    known = np.isfinite(windows).sum(axis=1)[:, None]
    ends = np.concatenate([(known - 1) // 2, known // 2], axis=1)
    out: Floats = np.take_along_axis(windows, ends, axis=1).mean(axis=1)
    return out


def clip_outliers(values: Floats, scale: Floats) -> tuple[Floats, Floats]:
    """Clip points to three deviations from the running median of their neighbours.

    The deviation is that of the series or that around the point, whichever is larger.

    The Hampel filter (Davies and Gather, The identification of multiple outliers, 1993; Pearson,
    Outliers in process modeling and identification, 2002) with three neighbours on each side; at
    the ends the series is reflected. Up to three outliers in a row are clipped, two at an end;
    a change that lasts longer is not affected.

    Args:
        values: (series, points), at least four points.
        scale: (series, 1), standard deviation of the noise.

    Returns:
        The series, and how far what was clipped is from its running median, 0 of all other points;
        (series, points), in the unit of the values.
    """
    middle = _running_median(values, _NEIGHBOURS)
    reach = OUTLIER * np.maximum(scale, local_scale(values))
    clipped: Floats = np.clip(values, middle - reach, middle + reach)
    return clipped, np.where(clipped == values, 0, values - middle)


def _running_median(values: Floats, neighbours: int) -> Floats:
    """Return the median of each point and its neighbours on each side, reflected at the ends."""
    neighbours = min(neighbours, values.shape[1] - 1)
    windows = _windows(values, neighbours)
    out: Floats = np.partition(windows, neighbours, axis=2)[:, :, neighbours]
    return out


def _windows(values: Floats, neighbours: int) -> Floats:
    """Return each point and its neighbours on each side, (series, points, 2 neighbours + 1)."""
    padded = np.pad(values, ((0, 0), (neighbours, neighbours)), mode="reflect")
    return sliding_window_view(padded, 2 * neighbours + 1, axis=1)
