"""Functions for SQL: models and predictions of many functions at once.

The functions of a column are fitted together, in groups with equally many counts.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from udfs.arrays import Floats
from udfs.arrow import contiguous, lengths
from udfs.flags import flag, flag_lists
from udfs.scaling.bases import KINDS, OTHER, Basis, Index
from udfs.scaling.breaks import ENOUGH
from udfs.scaling.columns import double_lists, doubles, flat, numbers, rectangle, structs
from udfs.scaling.forecast import POOR_FIT, Forecast, forecast
from udfs.scaling.formula import APART, formulas
from udfs.scaling.free import letters
from udfs.scaling.laws import PATENT
from udfs.scaling.series import Series

_UNSTABLE = 0.5
"""Error on the last counts, as a logarithm, above which a function is not extrapolatable."""
_FREE_COUNTS = 5
"""Counts from which a fit of free exponents alone is worth a warning where it is not settled."""
_AHEAD = 2.0  # times the last count, where the exponent is taken


def scaling_model(
    kind: pa.StringArray, counts: pa.ListArray, seconds: pa.ListArray, noise: pa.DoubleArray
) -> pa.StructArray:
    """Model how the times of functions change with the parallelism.

    Args:
        kind: kinds of the functions, as in `bases.KINDS`; any other counts as computation.
        counts: the counts of each function, ascending and distinct.
        seconds: times at these counts; those that are NULL, NaN or not positive are left out.
        noise: relative standard deviation of a point, the median of repetitions; 0 where unknown.

    Returns:
        Structs: formula, parameters (named as in `bases`) and r2 and smape of the formula, which
        is the prediction unless a flag says formula_disagrees; cv_error, the relative error of the
        model on the last counts, predicted from the earlier ones, NULL where a law of four counts
        predicts, which fewer do not carry; exponent, the slope (in logarithms) from the largest
        count to twice that, and its 90 % interval; points, the counts used; flags. All but points
        and flags are NULL where there is no model.
    """
    series = Series(contiguous(kind).to_pylist(), flat(counts)[0], *flat(seconds))
    scatter, size = numbers(noise), len(series.kinds)
    values = {
        name: np.full(size, np.nan)
        for name in ("r2", "smape", "cv_error", "exponent", "exponent_low", "exponent_high")
    }
    formula: list[str | None] = [None] * size
    parameters: list[dict[str, float] | None] = [None] * size
    for basis, p, times, rows in series.groups():
        predicted = forecast(basis, p, times, scatter[rows], p[:, -1:] * _AHEAD)
        names = [KINDS.get(series.kinds[row], OTHER)[1] for row in rows]
        best = formulas(names, p, times, predicted)
        slopes = (predicted.log_seconds, predicted.log_low, predicted.log_high)
        last = np.where(predicted.rules, predicted.law.fitted[:, -1], np.log(times[:, -1]))
        for name, slope in zip(("exponent", "exponent_low", "exponent_high"), slopes, strict=True):
            values[name][rows] = (slope[:, 0] - last) / np.log(_AHEAD)
        values["r2"][rows], values["smape"][rows] = best.r2, best.smape
        values["cv_error"][rows] = np.expm1(predicted.error)
        flag_doubts(series, rows, predicted)
        for place in np.flatnonzero((best.misfit > POOR_FIT) & (predicted.misfit <= POOR_FIT)):
            off = f"{100 * np.expm1(best.misfit[place]):.3g} %"
            series.flags[rows[place]].append(flag("formula_off", off=off))
        # Where no law is clear, so many points do not tell those of the kind's form apart.
        if p.shape[1] >= _FREE_COUNTS:
            _flag_few_points(series, basis, p, rows[~predicted.rules], scatter)
        for place in np.flatnonzero((best.since > 0) & (best.since != predicted.regime)):
            since = f"{best.since[place]:.0f}"
            series.flags[rows[place]].append(flag("formula_since", since=since))
        for place in np.flatnonzero(best.apart > APART):
            off = f"{100 * best.apart[place]:.3g} %"
            series.flags[rows[place]].append(flag("formula_disagrees", off=off))
        for row, text, values_by_name in zip(rows, best.texts, best.parameters, strict=True):
            formula[row], parameters[row] = text, values_by_name
    return structs(
        {
            "formula": pa.array(formula, pa.string()),
            "parameters": pa.array(parameters, pa.map_(pa.string(), pa.float64())),
            **{name: doubles(value) for name, value in values.items()},
            "points": pa.array(series.points),
            "flags": flag_lists(series.flags),
        }
    )


def scaling_forecast(
    kind: pa.StringArray,
    counts: pa.ListArray,
    seconds: pa.ListArray,
    noise: pa.DoubleArray,
    at_counts: pa.ListArray,
    capacity: pa.DoubleArray,
) -> pa.StructArray:
    """Predict the times of functions at other counts.

    Args:
        kind, counts, seconds, noise: as for `scaling_model`.
        at_counts: counts to predict, of each function.
        capacity: the count beyond which no more run at once, 0 where unknown: unless enough
            measured counts are beyond it, times are taken as constant from there on, and the
            interval has what the law predicts, too.

    Returns:
        Structs: seconds, low and high (the 90 % interval), a list each with an element for each
        count of `at_counts`, NULL where there is no model; flags.
    """
    series = Series(contiguous(kind).to_pylist(), flat(counts)[0], *flat(seconds))
    scatter, size = numbers(noise), len(series.kinds)
    at = rectangle(at_counts)
    most = at.shape[1]
    values = {name: np.full((size, most), np.nan) for name in ("seconds", "low", "high")}
    limit = numbers(capacity)
    limits = np.unique(limit[limit > 0])
    for basis, p, times, rows in series.groups():
        wanted = np.hstack([at[rows], np.tile(limits, (len(rows), 1))])
        predicted = forecast(basis, p, times, scatter[rows], wanted)
        ends = np.stack([np.exp(predicted.log_seconds), *predicted.interval()])
        flag_doubts(series, rows, predicted)
        beyond = (p > limit[rows, None]).sum(1)
        for place in np.flatnonzero((limit[rows] > 0) & (beyond < ENOUGH)):
            top = limit[rows[place]]
            crowded = np.flatnonzero(at[rows[place]] > max(top, p[place, -1]))
            there = ends[:, place, most + np.searchsorted(limits, top)]
            there = np.full(3, times[place, -1]) if beyond[place] else there
            own = ends[:, place, crowded]
            ends[0, place, crowded] = there[0]
            ends[1, place, crowded] = np.minimum(own[1], there[1])
            ends[2, place, crowded] = np.maximum(own[2], there[2])
            if len(crowded):
                series.flags[rows[place]].append(flag("beyond_capacity", capacity=f"{top:.0f}"))
        for name, end in zip(values, ends, strict=True):
            values[name][rows] = end[:, :most]
    sizes = lengths(contiguous(at_counts))
    columns = {name: double_lists(value, sizes) for name, value in values.items()}
    return structs({**columns, "flags": flag_lists(series.flags)})


def scaling_patent(
    kind: pa.StringArray,
    counts: pa.ListArray,
    seconds: pa.ListArray,
    noise: pa.DoubleArray,
    at_counts: pa.ListArray,
) -> pa.StructArray:
    """Predict the times of functions at other counts by the patent's bases alone.

    Args:
        kind, counts, seconds, noise, at_counts: as for `scaling_forecast`.

    Returns:
        Structs: formula and parameters of the least squares with the basis of the kind, exponents
        free; seconds, low and high as of `scaling_forecast`; flags.
    """
    series = Series(contiguous(kind).to_pylist(), flat(counts)[0], *flat(seconds))
    scatter, size = numbers(noise), len(series.kinds)
    at = rectangle(at_counts)
    values = {name: np.full(at.shape, np.nan) for name in ("seconds", "low", "high")}
    formula: list[str | None] = [None] * size
    parameters: list[dict[str, float] | None] = [None] * size
    for basis, p, times, rows in series.groups():
        predicted = forecast(basis, p, times, scatter[rows], at[rows], PATENT)
        names = [KINDS.get(series.kinds[row], OTHER)[1] for row in rows]
        best = formulas(names, p, times, predicted)
        ends = np.exp(predicted.log_seconds), *predicted.interval()
        for name, end in zip(values, ends, strict=True):
            values[name][rows] = end
        flag_doubts(series, rows, predicted)
        _flag_few_points(series, basis, p, rows, scatter)
        for row, text, named in zip(rows, best.texts, best.parameters, strict=True):
            formula[row], parameters[row] = text, named
    return structs(
        {
            "formula": pa.array(formula, pa.string()),
            "parameters": pa.array(parameters, pa.map_(pa.string(), pa.float64())),
            **{name: double_lists(value) for name, value in values.items()},
            "flags": flag_lists(series.flags),
        }
    )


def _flag_few_points(series: Series, basis: Basis, p: Floats, rows: Index, noise: Floats) -> None:
    """Flag functions without repetitions whose basis has as many letters as they have counts."""
    few = flag("too_few_points", letters=f"{letters(basis)}", counts=f"{p.shape[1]}")
    for row in rows if p.shape[1] <= letters(basis) else ():
        if not noise[row] > 0:
            series.flags[row].append(few)


def flag_doubts(series: Series, rows: np.ndarray, predicted: Forecast) -> None:
    """Flag functions that no law fits, and those whose last counts were not predicted."""
    for place in np.flatnonzero(predicted.departs):
        off = np.expm1(predicted.departs[place])
        apart = {
            "since": f"{predicted.since[place]:.0f}",
            "off": f"{100 * abs(off):.3g} % {'above' if off > 0 else 'below'}",
        }
        series.flags[rows[place]].append(
            flag("times_rounded", **apart, step=f"{predicted.rounded[place]:g} s")
            if predicted.rounded[place]
            else flag("break_not_extrapolatable", **apart)
        )
    for place in np.flatnonzero(predicted.regime):
        series.flags[rows[place]].append(flag("new_regime", since=f"{predicted.regime[place]:.0f}"))
    for place in np.flatnonzero(predicted.misfit > POOR_FIT):
        off = np.expm1(predicted.misfit[place])
        far = f"{100 * off:.3g} %" if off < 10 else f"a factor {off + 1:.0f}"
        series.flags[rows[place]].append(flag("poor_fit", off=far))
    unstable = (predicted.error > _UNSTABLE) & ~predicted.rules & (predicted.departs == 0)
    for place in np.flatnonzero(unstable):
        far = f"a factor {np.exp(predicted.error[place]):.1f}"
        series.flags[rows[place]].append(flag("last_counts_off", off=far))
