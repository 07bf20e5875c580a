"""Functions for SQL with two parameters: formulas in p and n, predictions at any problem size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from udfs.arrow import contiguous
from udfs.flags import Flag, flag, flag_lists
from udfs.scaling.columns import double_lists, doubles, flat, lists, numbers, structs
from udfs.scaling.forecast import forecast
from udfs.scaling.formula import powers, r2, smape
from udfs.scaling.models import flag_doubts
from udfs.scaling.series import Series
from udfs.scaling.surface import MIN_POINTS, Surface, fit_surface

if TYPE_CHECKING:
    from udfs.arrays import Floats
    from udfs.scaling.bases import Index

_INTERVAL = ("seconds", "low", "high")
_TERM = pa.struct(
    [(name, pa.float64()) for name in ("factor", "p_exponent", "p_log", "n_exponent", "n_log")]
)


def scaling_surface(
    counts: pa.ListArray, sizes: pa.ListArray, seconds: pa.ListArray
) -> pa.StructArray:
    """Model functions by parallelism and problem size.

    Args:
        counts: parallelism of each function's points.
        sizes: their problem sizes.
        seconds: their times, positive.

    Returns:
        Structs: formula in p and n; terms, each a factor and the exponents of p, log2(p), n and
        log2(n); r2 and smape; cv_error, the cross-validated relative error; points; flags.
    """
    size = len(contiguous(counts))
    values = {name: np.full(size, np.nan) for name in ("r2", "smape", "cv_error")}
    points = np.array([len(one) for one in lists(seconds)], np.int32)
    formula: list[str | None] = [None] * size
    terms: list[list[dict[str, float]] | None] = [None] * size
    flags: list[list[Flag]] = [[] for _ in range(size)]
    for p, n, times, rows in _group_by_points(counts, sizes, seconds, flags):
        model = fit_surface(p, n, times)
        fitted = model.at(p, n)
        values["r2"][rows], values["smape"][rows] = r2(times, fitted), smape(times, fitted)
        values["cv_error"][rows] = model.error
        for place, row in enumerate(rows):
            terms[row] = _plain_terms(model, place)
            formula[row] = " + ".join(_text(term) for term in terms[row] or ())
    return structs(
        {
            "formula": pa.array(formula, pa.string()),
            "terms": pa.array(terms, pa.list_(_TERM)),
            **{name: doubles(value) for name, value in values.items()},
            "points": pa.array(points),
            "flags": flag_lists(flags),
        }
    )


def scaling_forecast_at(
    kind: pa.StringArray,
    counts: pa.ListArray,
    sizes: pa.ListArray,
    seconds: pa.ListArray,
    noise: pa.DoubleArray,
    own_size: pa.DoubleArray,
    at_counts: pa.ListArray,
    at_size: pa.DoubleArray,
) -> pa.StructArray:
    """Predict the times of functions at other counts and another problem size.

    The prediction at the set's own size (see `scaling_forecast`) is scaled by the ratio of the
    surface at the wanted size and at that size.

    Args:
        kind: kinds of the functions.
        counts: parallelism of each function's points, ascending within each size.
        sizes: their problem sizes.
        seconds: their times, positive.
        noise: relative noise of a point, 0 where unknown.
        own_size: the set's own problem size.
        at_counts: counts to predict, the same list in every row.
        at_size: problem size to predict, the same in every row.

    Returns:
        As `scaling_forecast`.
    """
    flags: list[list[Flag]] = [[] for _ in range(len(contiguous(kind)))]
    owns, scatter, wanted = numbers(own_size), numbers(noise), lists(at_counts)
    (all_counts, ends), (all_times, _) = flat(counts), flat(seconds)
    mine = flat(sizes)[0] == np.repeat(owns, np.diff(ends, prepend=0))
    own_ends = np.concatenate([[0], np.cumsum(mine)])[ends]
    series = Series(contiguous(kind).to_pylist(), all_counts[mine], all_times[mine], own_ends)
    at = wanted[0] if flags else np.zeros(0)
    values = {name: np.full((len(flags), len(at)), np.nan) for name in _INTERVAL}
    ratio, error = values["seconds"].copy(), values["seconds"].copy()
    for p, n, times, rows in _group_by_points(counts, sizes, seconds, flags):
        model = fit_surface(p, n, times)
        target = float(numbers(at_size)[0])
        ratio[rows], error[rows] = model.ratio(at, target, owns[rows[0]])
    for basis, p, times, rows in series.groups():
        wanted_counts = np.tile(at, (len(rows), 1))
        predicted = forecast(basis, p, times, scatter[rows], wanted_counts)
        predicted = predicted.shifted(ratio[rows], error[rows])
        values["seconds"][rows] = np.exp(predicted.log_seconds)
        values["low"][rows], values["high"][rows] = predicted.interval()
        flag_doubts(series, rows, predicted)
    both = [a + b for a, b in zip(series.flags, flags, strict=True)]
    columns = {name: double_lists(value) for name, value in values.items()}
    return structs({**columns, "flags": flag_lists(both)})


def _group_by_points(
    counts: pa.ListArray, sizes: pa.ListArray, seconds: pa.ListArray, flags: list[list[Flag]]
) -> Iterator[tuple[Floats, Floats, Floats, Index]]:
    """Yield points, times and rows of functions with the same points; flag too few points."""
    by_key: dict[tuple[bytes, bytes], list[int]] = {}
    all_p, all_n, times = lists(counts), lists(sizes), lists(seconds)
    for row, (p, n) in enumerate(zip(all_p, all_n, strict=True)):
        if len(p) < MIN_POINTS or len(np.unique(n)) < 2 or len(np.unique(p)) < 2:
            flags[row].append(flag("no_size_model_few"))
        else:
            by_key.setdefault((p.tobytes(), n.tobytes()), []).append(row)
    for found in by_key.values():
        for some in np.array_split(np.array(found), -(-len(found) // 64)):
            yield all_p[found[0]], all_n[found[0]], np.stack([times[i] for i in some]), some


def _plain_terms(model: Surface, row: int) -> list[dict[str, float]]:
    """Return one function's terms with the factors of plain powers."""
    factors, exponents = (part[row] for part in model.terms)
    last = np.stack([model.largest, np.log2(np.maximum(model.largest, 1.0))], 1).ravel()
    names = [field.name for field in _TERM]
    return [
        dict(zip(names, map(float, (factor / (last**powers).prod(), *powers)), strict=True))
        for factor, powers in zip(factors, exponents[:, [0, 2, 1, 3]], strict=True)
        if factor > 0
    ]


def _text(term: dict[str, float]) -> str:
    """Return one term as text, as 0.5*p^-1*n."""
    of = (powers(name, term[f"{name}_exponent"], int(term[f"{name}_log"])) for name in ("p", "n"))
    return f"{term['factor']:.4g}" + "".join(of)
