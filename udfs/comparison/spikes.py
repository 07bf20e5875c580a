"""Spikes: how often a few runs in a row are far off by chance, as histories of metrics show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from udfs.arrays import Floats, Integers
from udfs.changes.outliers import deviations_of_outliers
from udfs.comparison.history import MIN_HISTORY, scale_of_history
from udfs.comparison.samples import Samples

Apart: TypeAlias = tuple[Integers, Floats]

MOST_RUNS = 3  # in a row that are no level of their own (`udfs.changes.outliers`)
_FAMILY = 6  # metrics from which on what most of them do at once is no spike of one
_STEPS = 24  # sizes of spikes that are told apart


def spike_chances(
    apart: Sequence[Apart], family: Integers, runs: Integers
) -> tuple[Floats, Floats]:
    """Return how often all of a few runs in a row are as far off as a size, in one direction.

    What slows one run of a benchmark down often slows the next one, too: the chance of two is that
    seen of two in a row, and at least that of independent ones.

    Args:
        apart: how far off the outliers of histories are (`deviations`).
        family: (metrics), places of the metrics of one family there, ascending.
        runs: (metrics), how many runs a side has.

    Returns:
        Sizes (steps) in the unit of the values, ascending and positive, and the chance (metrics,
        steps) of spikes of at least that size, 0..1; 0 where `runs` is not 1 to 3, or the history
        is shorter than `MIN_HISTORY`. Without spikes there are no sizes.
    """
    own = []
    for places, rows in apart:
        of_family = np.isin(places, family)
        off = rows[of_family]
        # What most of a family do at once is no spike of one, but a slow version or machine.
        if len(off) >= _FAMILY:
            off = off - np.median(off, axis=0)
        if len(off):
            own.append((np.searchsorted(family, places[of_family]), off))
    sizes = np.abs(np.concatenate([rows.ravel() for _, rows in own] or [np.zeros(0)]))
    sizes = sizes[sizes > 0]
    chances = np.zeros((len(family), _STEPS if len(sizes) else 0))
    if not len(sizes):
        return sizes, chances
    sizes = np.quantile(sizes, np.linspace(0, 1, _STEPS), method="higher")
    single = _rates(own, 1, sizes, len(family))
    for count in np.unique(runs[(runs > 0) & (runs <= MOST_RUNS)]):
        together = single if count == 1 else _rates(own, count, sizes, len(family))
        chances[runs == count] = np.maximum(together, single**count)[runs == count]
    return sizes, chances


def deviations(history: Samples) -> list[Apart]:
    """Return metrics with histories of equal length, and how far off their outliers are.

    Args:
        history: metrics of other runs in order of time; any unit.
    """
    counts = history.counts
    found = []
    for points in np.unique(counts[counts >= MIN_HISTORY]):
        at = np.flatnonzero(counts == points)
        values = history.part(at).values.reshape(len(at), points)
        apart = deviations_of_outliers(values, scale_of_history(values)[0])
        # What is off up to the end may be a new level.
        apart[np.cumprod(apart[:, ::-1] != 0, axis=1)[:, ::-1] > 0] = 0
        found.append((at, apart))
    return found


def _rates(apart: Sequence[Apart], runs: int, sizes: Floats, metrics: int) -> Floats:
    """Return how often so many runs in a row are all off by each size, (metrics, sizes), falling.

    Rates of rare events need more than one history: those of a family are taken as draws of a beta
    distribution, by moments (Kleinman, Proportions with extraneous variance: single and independent
    samples, 1973).
    """
    found, trials = np.zeros((metrics, len(sizes))), np.zeros((metrics, 1))
    for at, rows in apart:
        windows = sliding_window_view(rows, runs, axis=1)
        least = np.maximum(windows.min(axis=2), -windows.max(axis=2))
        trials[at] = least.shape[1]
        reached = np.searchsorted(sizes, least, side="right")
        place = np.arange(len(at))[:, None] * (len(sizes) + 1) + reached
        shape = (len(at), len(sizes) + 1)
        number = np.bincount(place.ravel(), minlength=shape[0] * shape[1]).reshape(shape)
        found[at] = number[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    known = trials[:, 0] > 0
    inverse = float((1 / trials[known]).mean())
    mean = found.sum(axis=0) / trials.sum()
    with np.errstate(all="ignore"):
        variance = (trials * (found / trials - mean) ** 2)[known].sum(axis=0) / trials.sum()
        variance *= known.sum() / (known.sum() - 1)
        alike = (variance / (mean * (1 - mean)) - inverse) / (1 - inverse)
        strength = 1 / np.clip(alike, 0, 1) - 1
        rates = np.where(alike > 0, (found + strength * mean) / (trials + strength), mean)
    rates[~known] = 0
    out: Floats = np.maximum.accumulate(rates[:, ::-1], axis=1)[:, ::-1]
    return out
