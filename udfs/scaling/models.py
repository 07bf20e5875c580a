"""What SQL calls: models and predictions of many functions at once.

A column's functions are fitted together, group by group of the same counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from udfs.scaling.bases import KINDS, OTHER
from udfs.scaling.columns import double_lists, doubles, flat, lists, numbers, structs, texts, whole
from udfs.scaling.ensemble import forecast
from udfs.scaling.formula import formulas
from udfs.scaling.series import Series

if TYPE_CHECKING:
    from udfs.scaling.bases import Array

_UNSTABLE = 0.5
"""Error in the last counts, as a logarithm, above which a function is not extrapolatable."""
_AHEAD = 2.0


def scaling_model(
    kind: pa.StringArray, x: pa.ListArray, y: pa.ListArray, noise: pa.DoubleArray
) -> pa.StructArray:
    """Model how the times of functions change with the parallelism.

    Args:
        kind: kinds of the functions, as in `bases.KINDS`; any other is taken as computation.
        x: the counts of each function, ascending, each once.
        y: seconds at these counts; those that are NULL, NaN or not above zero are left out.
        noise: relative scatter of the repetitions, 0 where unknown.

    Returns:
        Structs: formula, parameters (by the spec's letters) and r2 and smape of the formula;
        cv_error, the relative error of the ensemble in the last counts, foretold from the
        earlier ones; exponent, the slope (in logarithms) from the largest count to twice that,
        and its 90 % interval; points, the counts used; flags. All but points and flags are NULL
        where there is no model.
    """
    series = Series(whole(kind).to_pylist(), flat(x)[0], *flat(y))
    scatter, size = numbers(noise), len(series.kinds)
    values = {
        name: np.full(size, np.nan)
        for name in ("r2", "smape", "cv_error", "exponent", "exponent_low", "exponent_high")
    }
    formula: list[str | None] = [None] * size
    parameters: list[dict[str, float] | None] = [None] * size
    for basis, counts, times, rows in series.groups():
        told = forecast(basis, counts, times, counts[:, -1:] * _AHEAD)
        names = [KINDS.get(series.kinds[row], OTHER)[1] for row in rows]
        best = formulas(basis, names, counts, times, told)
        low, high = told.interval(scatter[rows])
        slopes = (told.log_seconds[:, 0], np.log(low[:, 0]), np.log(high[:, 0]))
        for name, slope in zip(("exponent", "exponent_low", "exponent_high"), slopes, strict=True):
            values[name][rows] = (slope - np.log(times[:, -1])) / np.log(_AHEAD)
        values["r2"][rows], values["smape"][rows] = best.r2, best.smape
        values["cv_error"][rows] = np.expm1(told.error)
        flag_unstable(series, rows, told.error)
        for row, text, letters in zip(rows, best.texts, best.parameters, strict=True):
            formula[row], parameters[row] = text, letters
    return structs(
        {
            "formula": pa.array(formula, pa.string()),
            "parameters": pa.array(parameters, pa.map_(pa.string(), pa.float64())),
            **{name: doubles(value) for name, value in values.items()},
            "points": pa.array(series.points),
            "flags": texts(series.flags),
        }
    )


def scaling_forecast(
    kind: pa.StringArray, x: pa.ListArray, y: pa.ListArray, noise: pa.DoubleArray, at: pa.ListArray
) -> pa.StructArray:
    """Foretell the times of functions at other counts.

    Args:
        kind: see `scaling_model`, as `x`, `y` and `noise`.
        x: counts.
        y: seconds.
        noise: relative scatter of the repetitions.
        at: counts to foretell, the same list in every row.

    Returns:
        Structs: seconds, low and high (the 90 % interval), a list each with an element for each
        count of `at`, NULL where there is no model; flags.
    """
    series = Series(whole(kind).to_pylist(), flat(x)[0], *flat(y))
    scatter, size = numbers(noise), len(series.kinds)
    asked = lists(at[:1])[0] if size else np.zeros(0)
    values = {name: np.full((size, len(asked)), np.nan) for name in ("seconds", "low", "high")}
    for basis, counts, times, rows in series.groups():
        told = forecast(basis, counts, times, np.tile(asked, (len(rows), 1)))
        values["seconds"][rows] = np.exp(told.log_seconds)
        values["low"][rows], values["high"][rows] = told.interval(scatter[rows])
        flag_unstable(series, rows, told.error)
    columns = {name: double_lists(value) for name, value in values.items()}
    return structs({**columns, "flags": texts(series.flags)})


def flag_unstable(series: Series, rows: np.ndarray, error: Array) -> None:
    """Say which functions do not follow from their own earlier counts."""
    for place in np.flatnonzero(error > _UNSTABLE):
        series.flags[rows[place]].append(
            "not extrapolatable: the last counts are a factor "
            f"{np.exp(error[place]):.1f} off what the earlier ones foretell"
        )
