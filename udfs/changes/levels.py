"""The levels of series: without bursts and outliers, and apart from a drift."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from udfs.arrays import Flags, Floats
from udfs.changes.drift import are_drifts, find_drifts, may_drift
from udfs.changes.modes import Modes, find_modes, keep_returning
from udfs.changes.noise import Noise, estimate_noise, noise_scale
from udfs.changes.outliers import clip_outliers, without_bursts
from udfs.changes.scan import MIN_SIDE
from udfs.changes.segments import MIN_POINTS, Splits, segment_series


@dataclass(frozen=True, slots=True)
class Levels:
    """Series of equal length and their levels.

    scaled are the values in units of `unit` around `middle` ((series, 1) each, in the unit of the
    values); steady are these without bursts, clean also without outliers and without the drift,
    (series, points) each; noise and modes are those of these.
    splits are the changes of each series; bursts marks points, (series, points); lines are the
    drifts around the middle of each series, 0 in one that does not drift, (series, points).
    """

    middle: Floats
    unit: Floats
    scaled: Floats
    steady: Floats
    clean: Floats
    bursts: Flags
    splits: list[Splits]
    noise: Noise
    modes: Modes
    lines: Floats


def find_levels(values: Floats) -> Levels:
    """Return the levels of each series, in the presence of bursts and drifts.

    Where levels that drift fit a series better, its changes are those of these. Series of fewer
    than `segments.MIN_POINTS` points have one level.

    Args:
        values: (series, points), finite, at least two points.
    """
    # Differences and squares of very large or small values would overflow or underflow.
    size = np.abs(values).max(axis=1, keepdims=True)
    size[size == 0] = 1
    scaled = values / size
    middle = np.median(scaled, axis=1, keepdims=True)
    scaled = scaled - middle
    unit = np.abs(scaled).max(axis=1, keepdims=True)
    unit[unit == 0] = 1
    scaled = scaled / unit
    with np.errstate(over="ignore"):
        middle, unit = middle * size, unit * size
    modes = find_modes(scaled)
    deviation = modes.deviation[:, None]
    scale = np.where(modes.alternate[:, None], deviation, noise_scale(scaled))
    lines = np.zeros_like(scaled)
    if values.shape[1] < MIN_POINTS:
        bursts = np.zeros(values.shape, bool)
        # The last points may be another level.
        segment = np.maximum(np.arange(values.shape[1]) - values.shape[1] + MIN_SIDE, 0)
        noise = estimate_noise(scaled, np.broadcast_to(segment, values.shape), scale)
        splits: list[Splits] = [{} for _ in values]
        return Levels(middle, unit, scaled, scaled, scaled, bursts, splits, noise, modes, lines)
    steady, bursts = without_bursts(scaled, scale)
    clean = clip_outliers(steady, scale)[0]
    splits, noise = segment_series(clean, scale)
    changed = np.flatnonzero([bool(of_row) for of_row in splits])
    turns = np.zeros(len(values), np.bool_)
    turns[changed] = keep_returning(
        clean[changed], scaled[changed], [sorted(splits[row]) for row in changed]
    )
    for row in np.flatnonzero(turns):
        splits[row] = {}
    modes.alternate[turns] = True
    rows = np.flatnonzero(may_drift(clean, splits, scale) & ~turns)
    if len(rows):
        drifts = find_drifts(clean[rows], scale[rows])
        own = [splits[row] for row in rows]
        kept = np.flatnonzero(are_drifts(clean[rows], own, drifts, scale[rows]))
        rows, drifts = rows[kept], drifts.of(kept)
        lines[rows] = drifts.lines
        clean[rows] -= drifts.lines
        noise = noise.replaced(rows, drifts.noise)
        for row, of_row in zip(rows, drifts.splits, strict=True):
            splits[row] = of_row
    return Levels(middle, unit, scaled, steady, clean, bursts, splits, noise, modes, lines)
