"""Spikes: how often a few runs in a row are far off by chance, as histories of metrics show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from udfs.arrays import Floats, Integers
from udfs.changes.outliers import OUTLIER
from udfs.changes.sides import Outliers

MOST_RUNS = 3  # in a row that are no level of their own (`udfs.changes.outliers`)
_FAMILY = 6  # metrics from which on what most of them do at once is no spike of one
_STEPS = 24  # sizes of spikes that are told apart


def spike_chances(
    found: Sequence[Outliers], family: Integers, runs: Integers
) -> tuple[Floats, Floats]:
    """Return how often all of a few runs in a row are as far off as a size, in one direction.

    What slows one run of a benchmark down often slows the next one, too: the chance of two is that
    seen of two in a row, and at least that of independent ones.

    Args:
        found: outliers of histories.
        family: (metrics), places of the metrics of one family there, ascending.
        runs: (metrics), how many runs a side has.

    Returns:
        Sizes (steps) in the unit of the values, ascending and positive, and the chance (metrics,
        steps) of spikes of at least that size, 0..1, that of the family where a history is shorter
        than `MIN_HISTORY`; 0 where `runs` is not 1 to 3. Without spikes there are no sizes.
    """
    own = []
    for places, rows, _, scale, _, settled in found:
        of_family = np.isin(places, family)
        off = rows[of_family]
        # What most of a family do at once is no spike of one, but a slow version or machine.
        if len(off) >= _FAMILY:
            off = off - np.median(off, axis=0)
        if len(off):
            at = np.searchsorted(family, places[of_family])
            own.append(_OfFamily(at, off, settled[of_family], OUTLIER * scale[of_family]))
    sizes = np.abs(np.concatenate([of.apart.ravel() for of in own] or [np.zeros(0)]))
    sizes = sizes[sizes > 0]
    chances = np.zeros((len(family), _STEPS if len(sizes) else 0))
    if not len(sizes):
        return sizes, chances
    sizes = np.quantile(sizes, np.linspace(0, 1, _STEPS), method="higher")
    single = _rates(own, 1, sizes, len(family))
    for count in np.unique(runs[(runs > 0) & (runs <= MOST_RUNS)]):
        together = single if count == 1 else _rates(own, count, sizes, len(family))
        # Spikes of one kind are about as large.
        independent = single * single[:, :1] ** (count - 1)
        chances[runs == count] = np.maximum(together, independent)[runs == count]
    return sizes, chances


class _OfFamily(NamedTuple):
    """Outliers of metrics `at` of a family, as in `Outliers`; those above `least` are seen."""

    at: Integers
    apart: Floats
    settled: Integers
    least: Floats


def _rates(history: Sequence[_OfFamily], runs: int, sizes: Floats, metrics: int) -> Floats:
    """Return how often so many runs in a row are off, on average by each size, (metrics, sizes).

    Falling. Rates of rare events need more than one history: those of a family are taken as draws
    of a beta distribution, by moments (Kleinman, Proportions with extraneous variance: single and
    independent samples, 1973). What is up to the end is not known to be off, nor is what is within
    the noise.
    """
    found, trials = np.zeros((2, metrics, len(sizes)))
    for of in history:
        windows = sliding_window_view(of.apart, runs, axis=1)
        are_off = (windows.min(axis=2) > 0) | (windows.max(axis=2) < 0)
        reached = np.searchsorted(
            sizes, np.where(are_off, np.abs(windows.mean(axis=2)), 0), side="right"
        )
        place = np.arange(len(of.at))[:, None] * (len(sizes) + 1) + reached
        shape = (len(of.at), len(sizes) + 1)
        number = np.bincount(place.ravel(), minlength=shape[0] * shape[1]).reshape(shape)
        is_seen = of.least < sizes
        found[of.at] += is_seen * number[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
        trials[of.at] += is_seen * np.maximum(of.settled - runs + 1, 0)
    known = trials > 0
    number = known.sum(axis=0)
    with np.errstate(all="ignore"):
        inverse = np.where(known, 1 / trials, 0).sum(axis=0) / number
        mean = np.nan_to_num(found.sum(axis=0) / trials.sum(axis=0))
        squares = np.where(known, trials * (found / trials - mean) ** 2, 0)
        variance = squares.sum(axis=0) / trials.sum(axis=0) * number / (number - 1)
        alike = (variance / (mean * (1 - mean)) - inverse) / (1 - inverse)
        strength = 1 / np.clip(alike, 0, 1) - 1
        own = (found + strength * mean) / (trials + strength)
        rates = np.where((alike > 0) & (trials + strength > 0), own, mean)
    out: Floats = np.maximum.accumulate(rates[:, ::-1], axis=1)[:, ::-1]
    return out
