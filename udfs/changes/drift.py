"""Series that drift: levels that rise or fall by one slope, with steps where they changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from udfs.arrays import Flags, Floats, Integers
from udfs.changes.modes import MIN_LEVEL
from udfs.changes.noise import OUTLIER_DIFFERENCE, Noise
from udfs.changes.segments import Splits, segment_series

_CERTAIN = 15.0  # twice the log-likelihood by which a line or one more step is far better
_STEEP = 2.5  # standard errors from which a slope is worth a closer look
_ROUNDS = 5  # of fitting slopes and steps in turn, at most
_MISSING = 4.0  # standard errors by which a slope is not seen within short stretches


@dataclass(frozen=True, slots=True)
class Slopes:
    """The slope that the levels of each series have in common; all (series,).

    slope is that per point; level and rest are the sums of squares around the levels without it
    and with it; error is the standard error of the slope, if the noise is white, and steep marks
    slopes far beyond it.
    """

    slope: Floats
    error: Floats
    level: Floats
    rest: Floats
    steep: Flags


@dataclass(frozen=True, slots=True)
class Drifts:
    """Series as levels with a slope in common.

    lines are the slopes around the middle of each series, (series, points); splits and noise are
    those of the values without them, rest is as in `Slopes`.
    """

    lines: Floats
    splits: list[Splits]
    noise: Noise
    rest: Floats

    def of(self, rows: Integers) -> Drifts:
        """Return those of some of the series."""
        splits = [self.splits[row] for row in rows]
        return Drifts(self.lines[rows], splits, self.noise.of(rows), self.rest[rows])

    def replaced(self, rows: Integers, other: Drifts) -> Drifts:
        """Return these with some of the series replaced."""
        lines, splits, rest = self.lines.copy(), self.splits.copy(), self.rest.copy()
        lines[rows], rest[rows] = other.lines, other.rest
        for row, of_row in zip(rows, other.splits, strict=True):
            splits[row] = of_row
        return Drifts(lines, splits, self.noise.replaced(rows, other.noise), rest)


def may_drift(values: Floats, splits: list[Splits], scale: Floats) -> Flags:
    """Return whether series may drift: as a line, within their levels or in short stretches.

    Steps against a drift hide both, so that neither levels nor the slope of the whole are seen.

    Args:
        values: (series, points), without outliers.
        splits: the changes of level of each series.
        scale: (series, 1), rough standard deviation of the noise.

    Returns:
        (series,).
    """
    levels, line = _slopes(values, splits), _slopes(values, _no_splits(values))
    more = 1 - _steps(splits)
    out: Flags = _is_better(line.rest, levels.level, more, float(values.shape[1]))
    return out | levels.steep | _slopes(values, _stretches(values, scale)).steep


def find_drifts(values: Floats, scale: Floats) -> Drifts:
    """Return the levels of series with a slope in common.

    Changes are searched in what the slope leaves, and the slope is then that within the levels, by
    turns: that of a single line would be wrong by the steps. It begins as that of a single line and
    where it is steep within short stretches as that, and the better result counts.

    Args:
        values: (series, points), without outliers.
        scale: (series, 1), rough standard deviation of the noise.
    """
    out = _by_turns(values, scale, _no_splits(values))
    short = _stretches(values, scale)
    steep = np.flatnonzero(_slopes(values, short).steep)
    if not len(steep):
        return out
    other = _by_turns(values[steep], scale[steep], [short[row] for row in steep])
    more = _steps(other.splits) - _steps(out.splits)[steep]
    better = _is_better(other.rest, out.rest[steep], more, float(values.shape[1]))
    return out.replaced(steep[better], other.of(np.flatnonzero(better)))


def are_drifts(values: Floats, splits: list[Splits], drifts: Drifts, scale: Floats) -> Flags:
    """Return whether levels with a slope fit series better than levels, by Schwarz's criterion.

    Schwarz, Estimating the dimension of a model, Annals of Statistics 6, 1978. A slope and a step
    count as equally many parameters. Where it needs more of them, it has to be far better. The
    slope has to be seen within short stretches, too, if their noise does not hide it.

    Args:
        values: (series, points), without outliers.
        splits: the changes of level of each series.
        drifts: the same series as levels with a slope.
        scale: (series, 1), rough standard deviation of the noise.

    Returns:
        (series,).
    """
    more = 1 + _steps(drifts.splits) - _steps(splits)
    independent = values.shape[1] / drifts.noise.inflation[:, 0]
    better = _is_better(drifts.rest, _slopes(values, splits).level, more, independent)
    # Steps in one direction, too short for levels of their own, look like a drift.
    slope = drifts.lines[:, 1] - drifts.lines[:, 0]
    short = _slopes(values, _stretches(values, scale))
    missing = np.abs(slope - short.slope) > np.maximum(_MISSING * short.error, np.abs(slope) / 2)
    out: Flags = better & ~missing
    return out


def _is_better(rest: Floats, before: Floats, more: Integers, independent: Floats | float) -> Flags:
    """Return whether a smaller sum of squares is worth so many more steps."""
    least = np.where(more > 0, _CERTAIN, 2 * np.log(independent)) * more
    out: Flags = _gain(rest, before, independent) > least
    return out


def _by_turns(values: Floats, scale: Floats, splits: list[Splits]) -> Drifts:
    """Return the levels of series and their slope, which begins as that between given splits."""
    for _ in range(_ROUNDS):
        lines = _slopes(values, splits).slope[:, None] * _time(values)
        before, (splits, noise) = splits, segment_series(values - lines, scale)
        if all(old.keys() == new.keys() for old, new in zip(before, splits, strict=True)):
            break
    return Drifts(lines, splits, noise, _slopes(values, splits).rest)


def _slopes(values: Floats, splits: list[Splits]) -> Slopes:
    """Return the least-squares slope within the levels of each series."""
    count, points = values.shape
    starts = [i * points + at for i, places in enumerate(splits) for at in (0, *sorted(places))]
    sizes = np.diff([*starts, count * points])

    def within(of: Floats) -> Floats:
        means = np.add.reduceat(of.ravel(), starts) / sizes
        out: Floats = of - np.repeat(means, sizes).reshape(of.shape)
        return out

    time, apart = within(np.broadcast_to(_time(values), values.shape)), within(values)
    spread = np.einsum("ij,ij->i", time, time)
    level = np.einsum("ij,ij->i", apart, apart)
    slope = np.einsum("ij,ij->i", time, apart) / spread
    rest = np.maximum(level - slope**2 * spread, 0)
    freedom = points - np.array([len(places) + 2 for places in splits])
    error = np.sqrt(rest / freedom / np.maximum(spread, 1e-300))
    return Slopes(slope, error, level, rest, np.abs(slope) > _STEEP * error)


def _gain(rest: Floats, level: Floats, independent: Floats | float) -> Floats:
    """Return twice the log-likelihood that a smaller sum of squares gains."""
    out: Floats = independent * (
        np.log(np.maximum(level, 1e-300)) - np.log(np.maximum(rest, 1e-300))
    )
    return out


def _time(values: Floats) -> Floats:
    """Return the times of the points around the middle of the series, (points,)."""
    out: Floats = np.arange(values.shape[1]) - (values.shape[1] - 1) / 2
    return out


def _no_splits(values: Floats) -> list[Splits]:
    return [{}] * len(values)


def _stretches(values: Floats, scale: Floats) -> list[Splits]:
    """Return splits into stretches as short as the shortest level, without jumps in them."""
    jumps = np.abs(np.diff(values, axis=1)) > np.sqrt(2) * OUTLIER_DIFFERENCE * scale
    jumps[:, MIN_LEVEL - 1 :: MIN_LEVEL] = True
    return [dict.fromkeys((np.flatnonzero(row) + 1).tolist(), 0.0) for row in jumps]


def _steps(splits: list[Splits]) -> Integers:
    return np.array([len(places) for places in splits])
