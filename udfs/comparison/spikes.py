"""Spikes: how often a few runs in a row are far off by chance, as histories of metrics show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from udfs.arrays import Floats, Integers
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
        steps) of spikes of at least that size, 0..1; 0 where `runs` is not 1 to 3, or the history
        is shorter than `MIN_HISTORY`. Without spikes there are no sizes.
    """
    own = []
    for places, rows, *_ in found:
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


def without_spikes(
    sides: Sequence[Samples], least: Floats
) -> tuple[list[Samples], list[list[Outliers]]]:
    """Return both sides with their outliers clipped, and these.

    An outlier tells how often runs of the series are spikes, and little of the scatter of others:
    in a variance it would hide any change that is smaller than itself. Clipped to three deviations
    of the others it has a bounded influence on mean and variance (Huber, Robust statistics, 1981,
    on Winsorized variances; which ones are outliers: `udfs.changes.outliers`). That holds as long
    as both sides may have equally many: where the shares differ for certain, by the arcsine of
    their roots (Anscombe, The transformation of Poisson, binomial and negative-binomial data,
    1948), outliers are a part of the difference, and stay.

    Args:
        sides: before and after, values in order of time; those with fewer than `MIN_HISTORY` values
            have no outliers.
        least: (2, metrics), the least variance of a value on each side.
    """
    found = [outliers(side, np.sqrt(some)) for side, some in zip(sides, least, strict=True)]
    counts, number = np.stack([side.counts for side in sides]), np.zeros(least.shape)
    for groups, of_side in zip(found, number, strict=True):
        for group in groups:
            of_side[group.at] = (group.apart != 0).sum(axis=1)
    angles = 2 * np.arcsin(np.sqrt((number + 3 / 8) / (counts + 3 / 4)))
    error = np.sqrt((1 / (counts + 1 / 2)).sum(axis=0))
    equal = np.abs(angles[1] - angles[0]) <= _DIFFER * error
    clipped = []
    for side, groups in zip(sides, found, strict=True):
        values = side.values.copy()
        for at, apart, inner, *_ in groups:
            apart[~equal[at]] = 0
            values[np.isin(side.owner, at[equal[at]])] = inner[equal[at]].ravel()
        clipped.append(Samples(values, side.owner, side.metrics))
    return clipped, found


def _rates(
    apart: Sequence[tuple[Integers, Floats]], runs: int, sizes: Floats, metrics: int
) -> Floats:
    """Return how often so many runs in a row are all off by each size, (metrics, sizes), falling.

    Rates of rare events need more than one history: those of a family are taken as draws of a beta
    distribution, by moments (Kleinman, Proportions with extraneous variance: single and independent
    samples, 1973).
    """
    found, trials = np.zeros((metrics, len(sizes))), np.zeros((metrics, 1))
    for at, rows in apart:
        windows = sliding_window_view(rows, runs, axis=1)
        least = np.maximum(windows.min(axis=2), -windows.max(axis=2))
        trials[at, 0] += least.shape[1]
        reached = np.searchsorted(sizes, least, side="right")
        place = np.arange(len(at))[:, None] * (len(sizes) + 1) + reached
        shape = (len(at), len(sizes) + 1)
        number = np.bincount(place.ravel(), minlength=shape[0] * shape[1]).reshape(shape)
        found[at] += number[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
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
