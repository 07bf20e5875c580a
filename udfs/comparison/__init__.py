"""Runs before and after: how much a metric changed, and whether that exceeds its noise.

Welch's test on logarithms, which yields an interval of the ratio of geometric means, with variances
that are moderated by the family of the metric and allow for autocorrelation (`spread`), corrected
for the number of metrics (Bonferroni), so that p-values and intervals agree. Where the values of
both sides do not overlap at all, the exact permutation test can be the stronger one, and the
interval is then Hodges and Lehmann's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.special import binom, fdtri, stdtr, stdtrit

from udfs.arrays import Flags, Floats, Integers
from udfs.arrow import Column, contiguous, elements, lengths
from udfs.changes.sides import Outliers, without_spikes
from udfs.comparison import drift
from udfs.comparison.history import History, read_history, usual_variance
from udfs.comparison.planning import more_runs
from udfs.comparison.spikes import MOST_RUNS, spike_chances
from udfs.comparison.spread import moderate, spreads
from udfs.samples import Samples, resolutions

_TOGETHER = 4096  # metrics, about, of comparisons that are computed at once
_MANY, _FEW = 5, 3  # runs of a side: so many lend their noise, up to so few borrow
_MORE_NOISE = 0.05  # probability from which on runs have more noise than their history
_EXACT = np.finfo(np.float64).eps  # of a value: no number is stored more exactly
_HALVINGS = 12  # of the range in which the end of an interval lies
_NOISES = ("runs", "history", "other side", "usual", "repetitions", "counts", "drift")

_USUAL = pa.struct([("variance", pa.float64()), ("freedom", pa.float64())])
_CHANGE = pa.struct(
    [
        ("before", pa.float64()),
        ("after", pa.float64()),
        ("ratio", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("p_value", pa.float64()),
        ("noise", pa.string()),
        ("runs_to_settle", pa.int32()),
    ]
)


def usual_noise(variances: Column, freedoms: Column) -> pa.StructArray:
    """Return what the noise of a single value usually is for metrics of one kind.

    Args:
        variances: n lists of g DOUBLE: of each group of equal runs the variance of the logarithm of
            such a metric.
        freedoms: n lists of g DOUBLE: their degrees of freedom.

    Returns:
        n structs: variance of a single value and its degrees of freedom (`usual_variance`), both
        NULL where the groups have fewer than four degrees of freedom in all.
    """
    lists = zip(contiguous(variances), contiguous(freedoms), strict=True)
    rows = [usual_variance(*(_floats(one.values) for one in pair)) for pair in lists]
    return pa.array(
        [dict(zip(_USUAL.names, row or (None, None), strict=True)) for row in rows], _USUAL
    )


def _floats(values: pa.Array) -> Floats:
    out: Floats = values.to_numpy(zero_copy_only=False).astype(np.float64)
    return out


def compare_runs(
    before: Column,
    after: Column,
    history_before: Column,
    history_after: Column,
    usual: Column,
    within: Column,
    family: Column,
    level: Column,
) -> pa.ListArray:
    """Compare the runs of two sides in many metrics, all metrics of a comparison together.

    Ratios are of geometric means where all values of a metric are positive, else of means, with
    Fieller's interval (Some problems in interval estimation, 1954). The noise of a side with
    one run is that of the other side, if that has 5, else that of the history of the metric,
    if that has 6 values, else that of the other side, if that has 3, else what is usual for such
    metrics, else that of repetitions within the runs, or of the tool's counting. No noise is below
    what a value rests on within its run. Of two or three runs it is their own together with that of
    the history, or of five runs or more of the other side, unless they scatter more. All of one to
    three runs may be outliers, as histories and the other side have them in a row
    (`spike_chances`): what changed is beyond the noise and these together. In mean and noise of a
    side of six runs or more rare outliers are clipped (`without_spikes`). Where a side has two
    levels that alternate, the other one is no less noisy, however many runs it has.
    Without known noise on both sides there is no interval. Where all values of one side are above
    all of the other, and the exact permutation test, for which runs like the ones before count as
    fewer, finds that too rare at `level`, also with Bonferroni's correction, its p-value and
    interval count (Hodges and Lehmann, Estimates of location based on rank tests, 1963). Sides that
    were measured one after the other and drift the way of the difference may differ by that drift:
    then what is left of it counts, too, and the interval has both (`drift.widen`).

    Args:
        before: n lists of m lists of DOUBLE, the values of each metric, one a run, any unit, in
            order of time; NULL, NaN and infinite ones are left out.
        after: the same for the other side.
        history_before: n lists of m lists of DOUBLE: values of other runs, in order of time, that
            show the noise of `before` where it has three runs at most.
        history_after: the same for `after`.
        usual: n lists of m structs variance and freedom: variance of the logarithm that is usual
            for such metrics, and its degrees of freedom (`usual_noise`), NULL where unknown.
        within: n lists of m structs before, after, variance_before, variance_after, freedom and
            noise: what the runs say of their own values, in the square of their unit: the part of
            the variance of a value on each side that is known, that of one of its repetitions, of
            which the relatively larger one counts, with its degrees of freedom (NULL: many), and
            what that is from, repetitions or counts; NULL where they say nothing.
        family: n lists of m structs name, is_counted, is_leading and order: metrics of one family
            are measured in the same way, or counted, as bytes are. Of values that are measured, all
            whole numbers for example, the last digit is taken to be rounded (`resolutions`).
            Leading are those that the question is about, such as the total time: half of the
            probability of error is theirs, so that many others do not drown them. The order is 1
            where all runs before started before all after, -1 the other way round, 0 where they
            took turns or it is not known.
        level: n probabilities, such as 0.95.

    Returns:
        n lists of m structs: before and after (unit of the metric), ratio (after / before) and an
        interval low..high that covers all m metrics together with probability `level`
        (Bonferroni, with the weights of leading ones), NULL where it is unbounded or there is no
        ratio; p_value, of no change, corrected in the same way; noise: runs, history, other side,
        usual, repetitions, counts, drift, or NULL where it is unknown; runs_to_settle: how many
        more runs of each side would show a difference as large as that seen (`more_runs`), NULL
        where the noise of both sides is not that of their own runs.
    """
    columns = (before, after, history_before, history_after, usual, within, family, level)
    lists = [contiguous(column) for column in columns]
    part = np.cumsum(lengths(lists[0])) // _TOGETHER
    bounds = [0, *np.flatnonzero(np.diff(part)) + 1, len(part)]
    compared = [
        _compare_lists([column.slice(since, until - since) for column in lists])
        for since, until in pairwise(bounds)
    ]
    return pa.concat_arrays(compared)


def _compare_lists(columns: list[Any]) -> pa.ListArray:
    """Return `compare_runs` of comparisons whose metrics are computed at once."""
    *lists, level = columns
    sizes = lengths(lists[0])
    *runs, usual, within, own = (elements(column) for column in lists)
    sides = [_samples(side) for side in runs]
    names = own.field("name").to_pylist()
    kinds = within.field("noise").to_pylist()
    counted, leading = (
        np.asarray(own.field(name).to_pylist(), dtype=np.bool_)
        for name in ("is_counted", "is_leading")
    )
    source = np.array([_NOISES.index(kind) if kind else -1 for kind in kinds], np.int64)
    *known, freedom = _fields(within, ("before", "after", "freedom"))
    variance = np.stack(_fields(within, ("variance_before", "variance_after")))
    of = np.repeat(np.arange(len(sizes)), sizes)
    changes = _compare(
        sides,
        _fields(usual, _USUAL.names),
        _Within(np.stack(known), variance, freedom, source),
        _Metrics(
            of=of,
            names=names,
            step=np.where(counted, 0, resolutions(sides)),
            leading=leading,
            order=np.nan_to_num(_floats(own.field("order"))).astype(np.int64),
            error=1 - _floats(level)[of],
        ),
    )
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    return pa.ListArray.from_arrays(offsets, changes)


def _samples(lists: pa.ListArray) -> Samples:
    """Return the finite values of a list of lists."""
    owner = np.repeat(np.arange(len(lists)), lengths(lists))
    values = elements(lists).to_numpy(zero_copy_only=False).astype(np.float64)
    known = np.isfinite(values)
    return Samples(values[known], owner[known], len(lists))


@dataclass(frozen=True, slots=True)
class _Metrics:
    """The metrics of several comparisons, (metrics) each; `of` is the number of the comparison.

    `step` is the resolution of the values, `error` the probability of error of the comparison, and
    the others as of the argument `family` of `compare_runs`.
    """

    of: Integers
    names: list[str]
    step: Floats
    leading: Flags
    order: Integers
    error: Floats

    def families(self, positive: Flags) -> list[Integers]:
        """Return the places of the metrics of each family.

        Relative scatter, of positive values, and absolute scatter are not of one family.
        """
        found: dict[tuple[int, str, bool], list[int]] = {}
        keys = zip(self.of.tolist(), self.names, positive.tolist(), strict=True)
        for place, key in enumerate(keys):
            found.setdefault(key, []).append(place)
        return [np.array(places) for places in found.values()]

    def tests(self, known: Flags) -> Floats:
        """Return by how many tests the error of each metric is divided, (metrics), 1 or more."""
        ours, others = (
            np.bincount(self.of[known & which], minlength=len(self.of))[self.of]
            for which in (self.leading, ~self.leading)
        )
        shares = np.where((ours > 0) & (others > 0), 2, 1)
        out: Floats = shares * np.maximum(np.where(self.leading, ours, others), 1.0)
        return out


@dataclass(frozen=True, slots=True)
class _Within:
    """What runs say of the noise of their own values, (metrics); NaN where nothing, -1 of sources.

    `known` is the part of the variance of a value that is known, (2, metrics), `variance` that of a
    repetition, (2, metrics), with its degrees of freedom; `source` is an index of _NOISES.
    """

    known: Floats
    variance: Floats
    freedom: Floats
    source: Integers

    def relative(self, means: Floats) -> _Within:
        """Return it relative to the means of both sides, (2, metrics).

        Of repetitions, the side whose values vary more counts for both.
        """
        known, variance = (of / means**2 for of in (self.known, self.variance))
        freedom = np.where(np.isnan(self.freedom), np.inf, self.freedom)
        both = np.broadcast_to(np.fmax(*variance), variance.shape)
        return _Within(np.nan_to_num(known), both, freedom, self.source)


def _fields(structs: pa.StructArray, names: Sequence[str]) -> list[Floats]:
    """Return fields of the structs, (metrics); NaN where they are NULL."""
    return [_floats(structs.field(name)) for name in names]


def _compare(
    sides: list[Samples], usual: list[Floats], within: _Within, metrics: _Metrics
) -> pa.StructArray:
    positive = np.logical_and.reduce([side.all(side.values > 0) for side in sides])
    scale = _scale(sides[0], sides[1], positive)
    before, after, *histories = (side.scaled(scale).logs(positive) for side in sides)
    means = [before.means(), after.means()]
    # An absolute error of a value is a relative error of its logarithm.
    size = np.where(positive, np.exp(np.fmin(*means)), scale)
    families = metrics.families(positive)
    usual = [np.where(positive, usual[0], np.nan), usual[1]]
    rounding = np.maximum(metrics.step / size, _EXACT) ** 2 / 12
    inner = within.relative(np.where(positive, np.exp(means), scale))
    past = [read_history(history) for history in histories]
    # What is usual in its history is no outlier of a side.
    (before, after), apart, alternate = without_spikes(
        (before, after),
        np.fmax(np.maximum(rounding, inner.known), np.fmax(*(of.variance for of in past))),
    )
    means = [before.means(), after.means()]
    variances, freedoms, most, sources, separable = _noises(
        before, after, past, usual, inner, families, rounding, alternate
    )
    known: Flags = np.asarray((sources >= 0).all(axis=0))
    error = metrics.error / metrics.tests(known)
    with np.errstate(all="ignore"):
        total = variances.sum(axis=0)
        freedom = np.minimum(total**2 / (variances**2 / freedoms).sum(axis=0), most)
        # Both sides use one history, or one the other's noise: degrees of freedom do not add up.
        freedom = np.where((sources > 0).any(axis=0), np.fmin(*freedoms), freedom)
        gap = means[1] - means[0]
        t = np.where(gap == 0, 0, np.abs(gap) / np.sqrt(total))
        p = np.where(known, 2 * stdtr(freedom, -t), np.nan)
        reach = -stdtrit(freedom, error / 2)
        half = reach * np.sqrt(total)
        sizes, chances = _spikes([before, after], apart, past, families)
        spiky = np.flatnonzero(known & chances.any(axis=1))
        error_of = (freedom[spiky], np.sqrt(total[spiky]))
        p[spiky] = _chance_beyond(np.abs(gap[spiky]), sizes[spiky], chances[spiky], error_of)
        # What would be a change may be spikes: then the end of its interval next to none is off.
        off = half.copy()
        at = spiky[np.abs(gap[spiky]) > half[spiky]]
        error_of = (freedom[at], np.sqrt(total[at]))
        off[at] = _farthest_by_chance(half[at], sizes[at], chances[at], error_of, error[at])
        logarithmic = np.exp(
            [gap, gap - np.where(gap > 0, off, half), gap + np.where(gap < 0, off, half)]
        )
        # Of means both ends are off, as Fieller's interval has one reach.
        reach = np.fmax(reach, off / np.sqrt(total))
        ratios = np.where(positive, logarithmic, _fieller(means[0], means[1], variances, reach))
        # No ratio of values that are not negative is below 0.
        signed = np.fmin(sides[0].extremes()[0], sides[1].extremes()[0]) < 0
        ratios[1] = np.where(~signed & (ratios[1] < 0), 0, ratios[1])
        rare, closest, farthest = _separations(sides[0], sides[1], separable)
        exact = known & (rare < p) & (rare <= error)
        p = np.where(exact, rare, p)
        ratios[1] = np.where(exact & np.isfinite(ratios[0]), np.fmin(closest, farthest), ratios[1])
        ratios[2] = np.where(exact & np.isfinite(ratios[0]), np.fmax(closest, farthest), ratios[2])
        can, p, ratios[1:] = drift.widen(
            (before, after),
            metrics.order,
            positive & (sources == 0).all(axis=0),
            p,
            ratios[1:],
            error,
        )
        sources = np.where(can, _NOISES.index("drift"), sources)
        shown = [np.where(positive, np.exp(mean), scale * mean) for mean in means]
    counts = np.stack([before.counts, after.counts])
    more = more_runs(gap, variances, counts, freedom, error)
    settled = np.where(known & (sources == 0).all(axis=0), more, np.nan)
    adjusted = np.minimum(p * metrics.error / error, 1)
    noise = [_NOISES[s] if k else None for s, k in zip(sources.max(axis=0), known, strict=True)]
    return _changes([*shown, *ratios, adjusted], noise, settled)


def _changes(figures: list[Floats], noise: list[str | None], settled: Floats) -> pa.StructArray:
    columns = [_numbers(column) for column in figures]
    columns += [pa.array(noise, pa.string()), _numbers(settled).cast(pa.int32())]
    return pa.StructArray.from_arrays(columns, fields=list(_CHANGE))


def _numbers(values: Floats) -> pa.Array:
    """Return numbers as DOUBLE, NULL where they are not finite."""
    known = np.isfinite(values)
    return pa.array(np.where(known, values, 0.0), mask=~known)


def _scale(before: Samples, after: Samples, positive: Flags) -> Floats:
    """Return the larger mean of absolute values, (metrics); 1 where values are positive."""
    sizes = [np.abs(side.values) for side in (before, after)]
    both = [
        Samples(size, side.owner, side.metrics).means()
        for size, side in zip(sizes, (before, after), strict=True)
    ]
    larger = np.fmax(*both)
    out: Floats = np.where(positive | ~(larger > 0), 1.0, larger)
    return out


def _separations(before: Samples, after: Samples, separable: Floats) -> Floats:
    """Return p-value and both ends of the interval of the ratio where sides do not overlap.

    Args:
        before: m metrics.
        after: the same metrics.
        separable: (2, m), as how many independent values those of each side count.

    Returns:
        (3, m): the probability that so many equal values separate, 2 / (n + m over n); the ratio of
        the values that are closest, and of those that are farthest apart; 1 and NaN where sides
        overlap.
    """
    (low, high), (least, most) = before.extremes(), after.extremes()
    rises, falls = least > high, most < low
    chance = 2 / binom(separable.sum(axis=0), separable[0])
    return np.stack(
        [
            np.where(rises | falls, chance, 1.0),
            np.where(rises, least / high, np.where(falls, most / low, np.nan)),
            np.where(rises, most / low, np.where(falls, least / high, np.nan)),
        ]
    )


def _noises(
    before: Samples,
    after: Samples,
    history: list[History],
    usual: list[Floats],
    within: _Within,
    families: list[Integers],
    rounding: Floats,
    alternate: Flags,
) -> tuple[Floats, Floats, Floats, Integers, Floats]:
    """Return the variance of each side's mean, its degrees of freedom and its source, (2, metrics).

    `alternate` says on which sides two levels do, (2, metrics), of which few runs may show one.
    The source is an index of _NOISES, -1 where the noise is unknown. The third result is how many
    degrees of freedom both sides have at most together, (metrics): one history counts once. The
    last is as how many values each side counts where sides do not overlap (`Spread.separable`).
    """
    least = np.maximum(rounding, within.known)
    ones = np.full((2, before.metrics), np.nan)
    of_means = ones.copy()
    separable = ones.copy()
    freedoms = ones.copy()
    past, past_freedoms = (np.stack(of) for of in list(zip(*history, strict=True))[:2])
    counts = np.stack([before.counts, after.counts])
    # Of single runs nothing is estimated that others of their family would add to.
    scatters = [at for at in families if counts[:, at].max() > 1]
    single = np.setdiff1d(np.arange(before.metrics), np.concatenate([*scatters, []]))
    for at in [*scatters, single.astype(np.int64)]:
        steps = np.broadcast_to(rounding[at], (2, len(at)))
        both = spreads(before.part(at), after.part(at), steps, within.known[:, at])
        for i, spread in enumerate(both):
            ones[i, at], of_means[i, at] = spread.of_one, spread.of_mean
            freedoms[i, at], separable[i, at] = spread.freedom, spread.separable
    sources = np.where(np.isfinite(ones), 0, -1)
    few = (counts > 1) & ((counts <= _FEW) | alternate[::-1])
    own = _is_alike(ones, freedoms, past, past_freedoms)
    # Many runs of the other side show more of the noise than a history that is shorter, or calmer.
    beside = few & (counts[::-1] >= _MANY) & ~((past_freedoms > freedoms[::-1]) & own)
    is_moderated = few & np.where(
        beside, ones <= _largest(freedoms, ones[::-1], freedoms[::-1]), own
    )
    lent = np.where(is_moderated, np.where(beside, freedoms[::-1], past_freedoms), 0)
    most = freedoms.sum(axis=0) + np.where(beside, 0, lent).max(axis=0)
    lender = np.nan_to_num(np.where(beside, ones[::-1], past))
    ones = moderate(ones, freedoms, lender, lent)
    variances, freedoms = ones * of_means, freedoms + lent
    alone = counts == 1
    # Many runs of the other side estimate the noise of the day better than the history does, and
    # the history better than a few.
    offers = (
        (2, counts[::-1] >= _MANY, ones[::-1], freedoms[::-1].copy()),
        (1, np.isfinite(past), past, past_freedoms),
        (2, counts[::-1] >= _FEW, ones[::-1], freedoms[::-1].copy()),
        (3, np.isfinite(usual[0]), usual[0], usual[1]),
    )
    inner = (within.source, np.isfinite(within.variance), within.variance, within.freedom)
    for source, offered, variance, freedom in (*offers, inner):
        used = alone & (sources < 0) & offered
        variances = np.where(used, np.maximum(variance, least), variances)
        freedoms = np.where(used, freedom, freedoms)
        sources = np.where(used, source, sources)
    most = np.where(alone.any(axis=0), np.inf, most)
    return variances, freedoms, most, sources, separable


def _spikes(
    sides: list[Samples],
    apart: list[list[Outliers]],
    history: list[History],
    families: list[Integers],
) -> tuple[Floats, Floats]:
    """Return the chance that all runs of one of the sides are spikes as large as a difference.

    Args:
        sides: both sides; those of one to three runs may be spikes only.
        apart: outliers of each side.
        history: what other runs of either side show, in the same unit.
        families: places of the metrics of each.

    Returns:
        Sizes in that unit (metrics, steps), ascending, inf behind the last one, and the chance of
        spikes of either side of at least each size (metrics, steps + 1), 0 in the last column.
    """
    runs = np.stack([side.counts for side in sides])
    few: Flags = np.any((runs > 0) & (runs <= MOST_RUNS), axis=0)
    # What the other side has of them may be in a few runs, too.
    past = [of.outliers + apart[1 - i] for i, of in enumerate(history)]
    found = []
    for at in (at for at in families if few[at].any()):
        both = [spike_chances(of, at, number) for of, number in zip(past, runs[:, at], strict=True)]
        sizes = np.union1d(both[0][0], both[1][0])
        chances = np.zeros((len(at), len(sizes) + 1))
        for some, of_side in both:
            chances += np.pad(of_side, ((0, 0), (0, 1)))[:, np.searchsorted(some, [*sizes, np.inf])]
        found.append((at, sizes, chances))
    steps = max((len(sizes) for _, sizes, _ in found), default=0)
    all_sizes = np.full((len(few), steps), np.inf)
    all_chances = np.zeros((len(few), steps + 1))
    for at, sizes, chances in found:
        all_sizes[at, : len(sizes)] = sizes
        all_chances[at, : len(sizes) + 1] = chances
    return all_sizes, all_chances


def _chance_beyond(
    gap: Floats, sizes: Floats, chances: Floats, noise: tuple[Floats, Floats]
) -> Floats:
    """Return the probability that noise and spikes together make such a difference, (metrics).

    Args:
        gap: (metrics), sizes of differences.
        sizes, chances: as `_spikes` returns them.
        noise: degrees of freedom and standard error of the difference, (metrics) each.
    """
    freedom, deviation = (of_metrics[:, None] for of_metrics in noise)
    share = chances[:, :-1] - chances[:, 1:]
    rest = gap[:, None] - np.where(share > 0, sizes, 0)
    beyond = (share * stdtr(freedom, -rest / deviation)).sum(axis=1)
    alone = 2 * stdtr(noise[0], -gap / noise[1])
    out: Floats = np.clip((1 - chances[:, 0]) * alone + beyond, alone, 1)
    return out


def _farthest_by_chance(
    least: Floats, sizes: Floats, chances: Floats, noise: tuple[Floats, Floats], error: Floats
) -> Floats:
    """Return the difference that noise and spikes exceed with a probability of error, (metrics).

    Args:
        least: (metrics), the difference that noise alone exceeds with this probability.
        sizes, chances, noise: as of `_chance_beyond`.
        error: (metrics), a probability.
    """
    low, high = least, least + np.where(np.isfinite(sizes), sizes, 0).max(axis=1, initial=0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_rare = _chance_beyond(middle, sizes, chances, noise) <= error
        low, high = np.where(is_rare, low, middle), np.where(is_rare, middle, high)
    out: Floats = high
    return out


def _is_alike(ones: Floats, freedoms: Floats, past: Floats, past_freedoms: Floats) -> Flags:
    """Return whether the runs of both sides scatter no more than those of a history, (2, metrics).

    By the F test of two variances; False where one of them is unknown.
    """
    pooled = (ones * freedoms).sum(axis=0) / freedoms.sum(axis=0)
    return np.asarray(pooled <= _largest(freedoms.sum(axis=0), past, past_freedoms))


def _largest(freedoms: Floats, past: Floats, past_freedoms: Floats) -> Floats:
    """Return the largest variance, of so many degrees of freedom, that is like a past one."""
    out: Floats = fdtri(freedoms, past_freedoms, 1 - _MORE_NOISE) * past
    return out


def _fieller(before: Floats, after: Floats, variances: Floats, reach: Floats) -> Floats:
    """Return ratio, low and high of two means, (3, metrics); NaN where they are unbounded."""
    squared = reach**2
    var_before, var_after = variances
    bounded = before**2 - squared * var_before
    root = np.sqrt(
        squared * (before**2 * var_after + after**2 * var_before - squared * var_before * var_after)
    )
    usable = (before > 0) & (bounded > 0)
    found = np.stack(
        [after / before, (before * after - root) / bounded, (before * after + root) / bounded]
    )
    found[0] = np.where(before > 0, found[0], np.nan)
    found[1:] = np.where(usable, found[1:], np.nan)
    return found
