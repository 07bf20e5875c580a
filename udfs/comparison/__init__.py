"""Repetitions before and after: how much a metric changed, and whether that exceeds its noise.

Welch's test on logarithms, which yields an interval of the ratio of geometric means, with variances
that are moderated by the family of the metric and allow for autocorrelation (`spread`), corrected
for the number of metrics (Holm).
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from udfs.arrow import Column, contiguous
from udfs.comparison.history import history_variances
from udfs.comparison.samples import Booleans, Floats, Integers, Samples, resolutions
from udfs.comparison.spread import Spread, spreads

_MANY, _FEW = 5, 3
_NOISES = ("repetitions", "history", "other side")

_CHANGE = pa.struct(
    [
        ("before", pa.float64()),
        ("after", pa.float64()),
        ("ratio", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("p_value", pa.float64()),
        ("noise", pa.string()),
    ]
)


def compare_repetitions(
    before: Column,
    after: Column,
    history_before: Column,
    history_after: Column,
    family: Column,
    level: Column,
) -> pa.ListArray:
    """Compare the repetitions of many metrics on two sides, all metrics of a comparison together.

    Ratios are of geometric means where all values of a metric are positive, else of means, with
    Fieller's interval (Some problems in interval estimation, 1954). The noise of a side with
    one repetition is that of the other side, if that has 5, else that of the history of the metric,
    if that has 6 values, else that of the other side, if that has 3. Without known noise on both
    sides there is no interval.

    Args:
        before: n lists of m lists of DOUBLE, the repetitions of each metric, any unit, in order
            of time; NULL, NaN and infinite ones are left out.
        after: the same for the other side.
        history_before: n lists of m lists of DOUBLE: values of other runs, in order of time, that
            show the noise of `before` where it has one repetition.
        history_after: the same for `after`.
        family: n lists of m names; metrics of one family are measured in the same way.
        level: n probabilities, such as 0.95.

    Returns:
        n lists of m structs: before and after (unit of the metric), ratio (after / before) and an
        interval low..high that covers all m metrics together with probability `level`
        (Bonferroni), NULL where it is unbounded or there is no ratio; p_value, of no change,
        corrected for m metrics (Holm, A simple sequentially rejective multiple test procedure,
        1979); noise: repetitions, history, other side, or NULL where it is unknown.
    """
    rows = []
    columns = (before, after, history_before, history_after)
    lists = [contiguous(column) for column in columns]
    families, levels = contiguous(family), contiguous(level)
    for i in range(len(families)):
        sides = [_samples(side[i].values) for side in lists]
        names = np.asarray(families[i].values.to_pylist(), dtype=object)
        rows.append(_compare(sides, names, levels[i].as_py()))
    return pa.array(rows, pa.list_(_CHANGE))


def _samples(lists: pa.ListArray) -> Samples:
    """Return the finite values of a list of lists."""
    owner = lists.value_parent_indices().to_numpy(zero_copy_only=False).astype(np.int64)
    values = lists.flatten().to_numpy(zero_copy_only=False).astype(np.float64)
    known = np.isfinite(values)
    return Samples(values[known], owner[known], len(lists))


def _compare(
    sides: list[Samples], family: NDArray[np.object_], level: float
) -> list[dict[str, float | str | None]]:
    positive = np.logical_and.reduce([side.all(side.values > 0) for side in sides])
    step = resolutions(sides[0], sides[1])
    before, after, *histories = (side.logs(positive) for side in sides)
    means = [before.means(), after.means()]
    # An absolute error of a value is a relative error of its logarithm.
    size = np.where(positive, np.exp(np.fmin(*means)), 1)
    variances, freedoms, sources = _noises(
        before, after, histories, family, (step / size) ** 2 / 12
    )
    known: Booleans = np.asarray((sources >= 0).all(axis=0))
    tested = int(known.sum())
    with np.errstate(all="ignore"):
        total = variances.sum(axis=0)
        freedom = total**2 / (variances**2 / freedoms).sum(axis=0)
        # Both sides use one history, or one the other's noise: degrees of freedom do not add up.
        freedom = np.where((sources > 0).any(axis=0), np.fmin(*freedoms), freedom)
        gap = means[1] - means[0]
        t = np.where(gap == 0, 0, np.abs(gap) / np.sqrt(total))
        p = np.where(known, 2 * stdtr(freedom, -t), np.nan)
        reach = -stdtrit(freedom, (1 - level) / 2 / max(tested, 1))
        logarithmic = np.exp([gap, gap - reach * np.sqrt(total), gap + reach * np.sqrt(total)])
        ratios = np.where(positive, logarithmic, _fieller(means[0], means[1], variances, reach))
        shown = [np.where(positive, np.exp(mean), mean) for mean in means]
    columns: tuple[Floats, ...] = (*shown, *ratios, _holm(p))
    noise = [_NOISES[s] if k else None for s, k in zip(sources.max(axis=0), known, strict=True)]
    return [
        dict(zip(_CHANGE.names, (*map(_number, row[:-1]), row[-1]), strict=True))
        for row in zip(*columns, noise, strict=True)
    ]


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _noises(
    before: Samples,
    after: Samples,
    histories: list[Samples],
    family: NDArray[np.object_],
    rounding: Floats,
) -> tuple[Floats, Floats, Integers]:
    """Return the variance of each side's mean, its degrees of freedom and its source, (2, metrics).

    The source is an index of _NOISES, -1 where the noise is unknown.
    """
    variances = np.full((2, before.metrics), np.nan)
    ones = variances.copy()
    freedoms = variances.copy()
    past = variances.copy()
    past_freedoms = variances.copy()
    for name in dict.fromkeys(family):
        at = np.flatnonzero(family == name)
        for i, spread in enumerate(spreads(before.part(at), after.part(at), rounding[at])):
            _put(at, spread, variances[i], ones[i], freedoms[i])
            past[i, at], past_freedoms[i, at] = history_variances(histories[i].part(at))
    sources = np.where(np.isfinite(variances), 0, -1)
    counts = np.stack([before.counts, after.counts])
    alone = counts == 1
    # Many repetitions of the other side estimate the noise of the day better than the history does,
    # and the history better than a few.
    offers = (
        (2, counts[::-1] >= _MANY, ones[::-1], freedoms[::-1].copy()),
        (1, np.isfinite(past), np.maximum(past, rounding), past_freedoms),
        (2, counts[::-1] >= _FEW, ones[::-1], freedoms[::-1].copy()),
    )
    for source, offered, variance, freedom in offers:
        used = alone & (sources < 0) & offered
        variances = np.where(used, variance, variances)
        freedoms = np.where(used, freedom, freedoms)
        sources = np.where(used, source, sources)
    return variances, freedoms, sources


def _put(at: Integers, spread: Spread, mean: Floats, one: Floats, freedom: Floats) -> None:
    mean[at], one[at], freedom[at] = spread.of_mean, spread.of_one, spread.freedom


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


def _holm(p: Floats) -> Floats:
    """Correct p-values for their number; NaN stays."""
    known = np.flatnonzero(np.isfinite(p))
    order = known[np.argsort(p[known], kind="stable")]
    out = np.full(len(p), np.nan)
    factors = np.arange(len(order), 0, -1)
    out[order] = np.minimum(np.maximum.accumulate(factors * p[order]), 1)
    return out
