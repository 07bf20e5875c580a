"""The formula of a function, which is its prediction where a law predicts: text and parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from udfs.arrays import Floats
from udfs.scaling.bases import Names
from udfs.scaling.forecast import Forecast
from udfs.scaling.grid import Term
from udfs.scaling.laws import LawForecast

_SHOWN, _FLAT = 1e-6, 5e-4
"""Shares of terms that a measured time shows, and exponents that are not 0."""
_INFINITE = 100.0  # distance of logarithms that stands for no value
APART: Final = 0.1
"""Relative distance from the prediction beyond which a formula is said to differ from it."""


@dataclass(frozen=True, slots=True)
class Formulas:
    """Formulas of n functions: the law that predicts, or the formula nearest to the prediction.

    `apart` (n) is how far a formula is from the prediction at most, relative, up to eight times the
    largest count: 0 where it is the prediction; `misfit` (n) is the root mean square distance, in
    logarithms, of the points from it. `since` (n) is the count from which on a formula holds, 0
    where at all. `r2` is NaN where all times are the same.
    """

    texts: list[str]
    parameters: list[dict[str, float]]
    r2: Floats
    smape: Floats
    apart: Floats
    misfit: Floats
    since: Floats


def formulas(names: list[Names], x: Floats, y: Floats, predicted: Forecast) -> Formulas:
    """Return the formula of each function.

    Args:
        names: names of the parameters, for each function.
        x: counts, ascending, n x m.
        y: times of n functions, n x m, s.
        predicted: their forecast.
    """
    law, m = predicted.law, x.shape[1]
    each = np.concatenate([law.fitted, predicted.law_ahead], axis=1)
    wanted = np.concatenate([np.log(y), predicted.log_ahead], axis=1)
    distance = np.nan_to_num(np.abs(each - wanted), nan=_INFINITE).clip(max=_INFINITE)
    apart = np.where(predicted.rules, 0.0, np.expm1(distance[:, m:].max(1, initial=0.0)))
    parts = [_law(law, row, float(last)) for row, last in enumerate(x[:, -1])]
    since = np.where(law.start > 0, x[np.arange(len(x)), law.start], 0.0)
    texts = [
        " + ".join(_text(*part) for part in one) + (f" from {count:g} on" if count else "")
        for one, count in zip(parts, since.tolist(), strict=True)
    ]
    parameters = [_parameters(*one) for one in zip(names, parts, strict=True)]
    misfit, fitted = np.sqrt((distance[:, :m] ** 2).mean(1)), np.exp(law.fitted)
    return Formulas(texts, parameters, r2(y, fitted), smape(y, fitted), apart, misfit, since)


Part = tuple[float, Term, float]


def _law(forecast: LawForecast, row: int, last: float) -> list[Part]:
    """Return the factors and terms of a function's law, and the largest count, for its text."""
    half, factors = float(forecast.half[row]), forecast.factors[row]
    parts = []
    for factor, exponent, logs in zip(
        factors.tolist(), forecast.exponents[row].tolist(), forecast.logs[row], strict=True
    ):
        term = Term(exponent if abs(exponent) > _FLAT else 0.0, int(logs), half)
        size = last**term.exponent * np.log2(last) ** term.logs / (1 + term.half)
        if factor > _SHOWN * factors.sum():
            parts.append((float(factor / size), term, last))
    return parts


def _text(factor: float, term: Term, last: float) -> str:
    """Return one term of a law as text; p is the parallelism."""
    text = f"{factor:.4g}"
    if term.half:
        return f"{text}*p/(p + {term.half * last:.4g})"
    return text + powers("p", term.exponent, term.logs)


def powers(name: str, exponent: float, logs: int) -> str:
    """Return what a factor is multiplied with, as *p^2*log2(p); nothing if both are 0."""
    text, shown = "", f"{exponent:.3g}"
    if abs(exponent) > _FLAT:
        text += f"*{name}" if shown == "1" else f"*{name}^{shown}"
    if logs:
        text += f"*log2({name})" if logs == 1 else f"*log2({name})^{logs}"
    return text


def _parameters(names: Names, law: list[Part]) -> dict[str, float]:
    """Return the named parameters of a law."""
    constant, decay, decay_exponent, growth, growth_exponent, log = names
    found: dict[str, float] = {}
    for factor, term, last in law:
        if term.half:
            found |= {"limit": factor, "half": term.half * last}
        elif term.exponent == 0 and term.logs == 0:
            found[constant] = factor
        elif term.exponent == 0 and term.logs == 1 and log:
            found[log] = factor
        elif term.exponent < 0:
            found |= {decay: factor, decay_exponent: -term.exponent}
        else:
            found |= {growth: factor, growth_exponent: term.exponent}
            if term.logs:
                found["log_exponent"] = float(term.logs)
    return found


def r2(y: Floats, fitted: Floats) -> Floats:
    """Return the coefficient of determination."""
    # The squares of shares of the largest time are numbers, whatever its unit.
    largest = y.max(1, keepdims=True)
    y, fitted = y / largest, fitted / largest
    total = ((y - y.mean(1, keepdims=True)) ** 2).sum(1)
    left = ((y - fitted) ** 2).sum(1)
    share: Floats = 1 - left / np.where(total > 0, total, np.nan)
    return share


def smape(y: Floats, fitted: Floats) -> Floats:
    """Return the symmetric mean absolute percentage error, 0..2."""
    error: Floats = (2 * np.abs(y - fitted) / (y + fitted)).mean(1)
    return error
