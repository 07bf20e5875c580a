"""Levels at the end of a series that are not certain yet, because young or because of noise."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.special import stdtr

from udfs.arrays import Floats
from udfs.changes.levels import Levels
from udfs.changes.noise import Noise, error_of_rho
from udfs.changes.scan import MIN_SIDE
from udfs.changes.segments import LARGEST_P, MIN_POINTS, log_p_alone
from udfs.changes.significance import log_p_jump

_YOUNG = range(2, MIN_SIDE)  # points of a level that is too young for a change
_LEAST_BEFORE = 5  # points of the level before
_APART = 2.0  # deviations from the level before at which a point belongs to another one
_MOST_FREEDOM = 10  # single runs have tails heavier than Gaussian noise
_MOST_RUNS = 20  # that would have to follow: more are not stated, nor needed by most levels


class Provisional(NamedTuple):
    """A level at the end of a series: its first point, log p-value, and how many runs confirm it.

    `before` is the first point of the level before.
    """

    first: int
    before: int
    log_p: float
    more_runs: int


def provisional_levels(levels: Levels, row: int, log_alpha: float) -> list[Provisional]:
    """Return the levels at the end of a series that are not certain at a significance.

    A level is young with 2 to 4 points that all lie apart from the level before on the same side,
    as many as make the test statistic largest; its p-value is that of Student's t test with ten
    degrees of freedom at most, times the number of lengths tried, and at least the share of equally
    long stretches before that lay as far off. A longer level is uncertain where the p-value of the
    last change is larger than the significance but not larger than `LARGEST_P`. Either would be
    confirmed by at most 20 more runs.

    Args:
        levels: levels of all series of a length.
        row: one of these series.
        log_alpha: log of the significance.
    """
    noise = levels.noise.of(np.array([row]))
    steady, raw = (of[row] - levels.lines[row] for of in (levels.steady, levels.scaled))
    starts = [0, *sorted(levels.splits[row])]
    found = []
    # A level of 5 points or few more and a young one are two readings of the same change: where the
    # first is certain, nothing is provisional.
    before = max(at for at in starts if at <= max(len(raw) - _YOUNG[-1] - _LEAST_BEFORE, 0))
    last_p = levels.splits[row].get(starts[-1], -np.inf)
    young = _young_level(steady[before:], raw[before:], noise)
    if young is not None and (starts[-1] == before or max(young[1], log_alpha) < last_p):
        first = before + young[0]
        found.append((first, before, young[1], steady[before:first], raw[first:]))
        starts = [at for at in starts if at <= before]
        last_p = levels.splits[row].get(starts[-1], -np.inf)
    if last_p > log_alpha:
        last, before = starts[-1], starts[-2]
        level = levels.clean[row, before:]
        found.append((last, before, last_p, level[: last - before], level[last - before :]))
    out = []
    for first, before, p, level, after in sorted(found, key=itemgetter(0)):
        if more := _runs_to_confirm(level, after, len(raw), noise, log_alpha):
            out.append(Provisional(first, before, p, more))
    return out


def _young_level(steady: Floats, raw: Floats, noise: Noise) -> tuple[int, float] | None:
    """Return the first point of a young level at the end of a level, and its log p-value."""
    points, variance = len(raw), float(noise.variance[0, 0])
    if points - _YOUNG[0] < _LEAST_BEFORE:
        return None
    raw = raw - np.median(steady[: -_YOUNG[0]])
    if float(_nearest(raw[-_YOUNG[0] :])) <= _APART * variance**0.5:
        return None
    furthest, found = 0.0, None
    for count in reversed(_YOUNG):
        before, after = steady[: points - count], raw[points - count :]
        if len(before) < _LEAST_BEFORE:
            continue
        variance = max(float(before.var(ddof=1)), variance, 1e-24)
        nearest = float(_nearest(after))
        if nearest <= _APART * variance**0.5:
            continue
        error = variance * float(noise.inflation[0, 0]) * (1 / count + 1 / len(before))
        # With the p-value, longer levels lose by the fewer degrees of freedom before them.
        t = abs(float(after.mean())) / error**0.5
        p = 2 * float(stdtr(min(len(before) - 1, _MOST_FREEDOM), -t)) * len(_YOUNG)
        earlier = sliding_window_view(raw[: points - count], count)
        p = max(p, float((_nearest(earlier) >= nearest).mean()))
        if p < LARGEST_P and t > furthest:
            furthest, found = t, (points - count, float(np.log(p)))
    return found


def _nearest(apart: Floats) -> Floats:
    """Return the least distance from 0 of each stretch, 0 where it is on both sides of it."""
    out: Floats = np.maximum(np.maximum(apart.min(axis=-1), -apart.max(axis=-1)), 0)
    return out


def _runs_to_confirm(
    before: Floats, after: Floats, points: int, noise: Noise, log_alpha: float
) -> int | None:
    """Return how many more runs would confirm a level, if it stays and the noise, too.

    As many show the autocorrelation better, too. Up to three is right at the median; of more, half
    the levels are certain after half as many, three in four by then.
    """
    more = np.arange(1, _MOST_RUNS + 1)
    count = len(after) + more
    apart = np.concatenate([before - before.mean(), after - after.mean()])
    variance = max(float(apart @ apart) / (len(apart) - 2), float(noise.variance[0, 0]), 1e-24)
    error = variance * noise.inflation * (1 / len(before) + 1 / count)
    difference = np.full((1, 1), after.mean() - before.mean())
    length = np.maximum(points + more, MIN_POINTS).astype(np.float64)[None, :]
    noise = replace(noise, error=error_of_rho(length))
    p = np.minimum(
        log_p_alone(difference**2 / error, noise, length), log_p_jump(difference, noise, length)
    )
    long = (count >= MIN_SIDE) & (points + more >= MIN_POINTS)
    enough = np.flatnonzero((p[0] <= log_alpha) & long)
    return int(more[enough[0]]) if len(enough) else None
