"""What SQL calls for two parameters: formulas in p and n, and predictions at any problem size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from udfs.scaling.columns import double_lists, doubles, flat, lists, numbers, structs, texts, whole
from udfs.scaling.ensemble import forecast
from udfs.scaling.models import flag_unstable
from udfs.scaling.series import Series
from udfs.scaling.surface import LEAST_POINTS, N_TERMS, P_TERMS, Surface, fit_surface

if TYPE_CHECKING:
    from udfs.scaling.bases import Array, Index

_INTERVAL = ("seconds", "low", "high")
_TERM = pa.struct(
    [(name, pa.float64()) for name in ("factor", "p_exponent", "p_log", "n_exponent", "n_log")]
)


def scaling_surface(x: pa.ListArray, n: pa.ListArray, y: pa.ListArray) -> pa.StructArray:
    """Model functions by parallelism and problem size.

    Args:
        x: parallelism of each function's points.
        n: their problem sizes.
        y: their seconds, above zero.

    Returns:
        Structs: formula in p and n; terms, each a factor and the exponents of p, log2(p), n and
        log2(n); r2 and smape; cv_error, the cross-validated relative error; points; flags.
    """
    size = len(whole(x))
    values = {name: np.full(size, np.nan) for name in ("r2", "smape", "cv_error")}
    points = np.array([len(one) for one in lists(y)], np.int32)
    formula: list[str | None] = [None] * size
    terms: list[list[dict[str, float]] | None] = [None] * size
    flags: list[list[str]] = [[] for _ in range(size)]
    for p, sizes, seconds, rows in _alike(x, n, y, flags):
        model = fit_surface(p, sizes, seconds)
        fitted = model.at(p, sizes)
        total = ((seconds - seconds.mean(1, keepdims=True)) ** 2).sum(1)
        left = ((seconds - fitted) ** 2).sum(1)
        values["r2"][rows] = 1 - left / np.where(total > 0, total, np.nan)
        values["smape"][rows] = (2 * np.abs(fitted - seconds) / (fitted + seconds)).mean(1)
        values["cv_error"][rows] = model.error
        for place, row in enumerate(rows):
            terms[row] = _written(model, place)
            formula[row] = " + ".join(_text(term) for term in terms[row] or ())
    return structs(
        {
            "formula": pa.array(formula, pa.string()),
            "terms": pa.array(terms, pa.list_(_TERM)),
            **{name: doubles(value) for name, value in values.items()},
            "points": pa.array(points),
            "flags": texts(flags),
        }
    )


def scaling_forecast_at(
    kind: pa.StringArray,
    x: pa.ListArray,
    n: pa.ListArray,
    y: pa.ListArray,
    noise: pa.DoubleArray,
    own: pa.DoubleArray,
    at: pa.ListArray,
    size: pa.DoubleArray,
) -> pa.StructArray:
    """Foretell functions at other counts and another problem size.

    What is foretold at the set's own size (see `scaling_forecast`) is scaled by what the
    surface says between that size and the one asked for.

    Args:
        kind: kinds of the functions.
        x: parallelism of each function's points, ascending within each size.
        n: their problem sizes.
        y: their seconds, above zero.
        noise: relative scatter of the repetitions.
        own: the set's own problem size.
        at: counts to foretell, the same list in every row.
        size: problem size to foretell, the same in every row.

    Returns:
        As `scaling_forecast`.
    """
    flags: list[list[str]] = [[] for _ in range(len(whole(kind)))]
    owns, scatter, asked = numbers(own), numbers(noise), lists(at)
    (places, ends), (seconds, _) = flat(x), flat(y)
    mine = flat(n)[0] == np.repeat(owns, np.diff(ends, prepend=0))
    own_ends = np.concatenate([[0], np.cumsum(mine)])[ends]
    series = Series(whole(kind).to_pylist(), places[mine], seconds[mine], own_ends)
    counts = asked[0] if flags else np.zeros(0)
    values = {name: np.full((len(flags), len(counts)), np.nan) for name in _INTERVAL}
    ratio, error = values["seconds"].copy(), np.full(len(flags), np.nan)
    for p, sizes, times, rows in _alike(x, n, y, flags):
        model = fit_surface(p, sizes, times)
        target = float(numbers(size)[0])
        ratio[rows] = _log_ratio(model, counts, target, owns[rows[0]])
        octaves = np.abs(np.log2(target / np.unique(sizes))).min()
        error[rows] = model.error * np.sqrt(1 + octaves)
    for basis, near, times, rows in series.groups():
        told = forecast(basis, near, times, np.tile(counts, (len(rows), 1)))
        told = told.shifted(ratio[rows], error[rows])
        values["seconds"][rows] = np.exp(told.log_seconds)
        values["low"][rows], values["high"][rows] = told.interval(scatter[rows])
        flag_unstable(series, rows, told.error)
    both = [a + b for a, b in zip(series.flags, flags, strict=True)]
    columns = {name: double_lists(value) for name, value in values.items()}
    return structs({**columns, "flags": texts(both)})


def _log_ratio(model: Surface, counts: Array, target: float, own: float) -> Array:
    """Give how much longer the target size takes than the set's own, as logarithms."""
    there = model.at(counts, np.full(len(counts), target))
    here = model.at(counts, np.full(len(counts), own))
    tiny = np.finfo(float).tiny
    ratio: Array = np.log(np.maximum(there, tiny)) - np.log(np.maximum(here, tiny))
    return ratio


def _alike(
    x: pa.ListArray, n: pa.ListArray, y: pa.ListArray, flags: list[list[str]]
) -> Iterator[tuple[Array, Array, Array, Index]]:
    """Put functions measured at the same points together; flag those with too few."""
    by_key: dict[tuple[bytes, bytes], list[int]] = {}
    counts, sizes, seconds = lists(x), lists(n), lists(y)
    for row, (p, s) in enumerate(zip(counts, sizes, strict=True)):
        if len(p) < LEAST_POINTS or len(np.unique(s)) < 2 or len(np.unique(p)) < 2:
            flags[row].append("no model of the problem size: fewer than five points or two sizes")
        else:
            by_key.setdefault((p.tobytes(), s.tobytes()), []).append(row)
    for found in by_key.values():
        for some in np.array_split(np.array(found), -(-len(found) // 64)):
            yield counts[found[0]], sizes[found[0]], np.stack([seconds[i] for i in some]), some


def _written(model: Surface, row: int) -> list[dict[str, float]]:
    """Give one function's terms with factors of the plain powers."""
    out = []
    for term, factor in zip(model.terms[row], model.factors[row], strict=True):
        if term < 0 or factor <= 0:
            continue
        (p, p_log), (n, n_log) = P_TERMS[term // len(N_TERMS)], N_TERMS[term % len(N_TERMS)]
        last_p, last_n = model.largest
        plain = last_p**p * np.log2(last_p) ** p_log * last_n**n * np.log2(last_n) ** n_log
        out.append(
            {
                "factor": float(factor / plain),
                "p_exponent": p,
                "p_log": float(p_log),
                "n_exponent": n,
                "n_log": float(n_log),
            }
        )
    return out


def _text(term: dict[str, float]) -> str:
    """Write one term, as 0.5*p^-1*n."""
    parts = [f"{term['factor']:.4g}"]
    for name in ("p", "n"):
        exponent = term[f"{name}_exponent"]
        if exponent:
            parts.append(name if exponent == 1 else f"{name}^{exponent:.3g}")
        if term[f"{name}_log"]:
            parts.append(f"log2({name})")
    return "*".join(parts)
