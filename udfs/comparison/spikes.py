"""Spikes: how often a few runs in a row are far off by chance, as histories of metrics show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from udfs.arrays import Flags, Floats, Integers
from udfs.changes.outliers import OUTLIER
from udfs.comparison.history import Outliers, outliers
from udfs.comparison.samples import Samples

MOST_RUNS = 3  # in a row that are no level of their own (`udfs.changes.outliers`)
_FAMILY = 6  # metrics from which on what most of them do at once is no spike of one
_STEPS = 24  # sizes of spikes that are told apart
_DIFFER = 1.96  # standard errors by which two shares differ for certain


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


def without_spikes(
    sides: Sequence[Samples], least: Floats
) -> tuple[list[Samples], list[list[Outliers]], Flags]:
    """Return both sides with their outliers clipped, these, and which sides have two levels.

    An outlier tells how often runs of the series are spikes, and little of the scatter of others:
    in a variance it would hide any change that is smaller than itself. Clipped to three deviations
    of the others it has a bounded influence on mean and variance (Huber, Robust statistics, 1981,
    on Winsorized variances; which ones are outliers: `udfs.comparison.history.outliers`). That
    holds as long as they are rare, and both sides may have equally many values as far off: where
    the shares differ for certain, by the arcsine of their roots (Anscombe, The transformation of
    Poisson, binomial and negative-binomial data, 1948), they are a level that values alternate
    with. Then nothing is clipped on either side: a few values can all be of the one or the other.

    Args:
        sides: before and after, values in order of time; those with fewer than `MIN_HISTORY` values
            have no outliers.
        least: (2, metrics), the least variance of a value on each side.

    Returns:
        Both sides; outliers of each; whether two levels alternate on a side, (2, metrics).
    """
    found = [outliers(side, np.sqrt(some)) for side, some in zip(sides, least, strict=True)]
    counts = np.stack([side.counts for side in sides])
    error = np.sqrt((1 / (counts + 1 / 2)).sum(axis=0))
    alternate = np.zeros(least.shape, np.bool_)
    for i, (side, groups) in enumerate(zip(sides, found, strict=True)):
        low, high = np.full(side.metrics, -np.inf), np.full(side.metrics, np.inf)
        for at, apart, inner, scale, turns, _ in groups:
            alternate[i, at] = turns[:, 0]
            middle, reach = np.median(inner, axis=1), OUTLIER * scale[:, 0]
            high[at] = middle + np.where(apart > 0, apart, np.inf).min(axis=1) - reach
            low[at] = middle + np.where(apart < 0, apart, -np.inf).max(axis=1) + reach
        number = np.stack(
            [of.sums((of.values < low[of.owner]) | (of.values > high[of.owner])) for of in sides]
        )
        angles = 2 * np.arcsin(np.sqrt((number + 3 / 8) / (counts + 3 / 4)))
        alternate[i] |= np.abs(angles[1] - angles[0]) > _DIFFER * error
    clipped = []
    for side, groups in zip(sides, found, strict=True):
        values = side.values.copy()
        for at, _, inner, *_ in groups:
            rare = ~alternate[:, at].any(axis=0)
            values[np.isin(side.owner, at[rare])] = inner[rare].ravel()
        clipped.append(Samples(values, side.owner, side.metrics))
    return clipped, found, alternate


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
