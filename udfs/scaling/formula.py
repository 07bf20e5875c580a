"""The best single formula of a function: its text, parameters and goodness."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from udfs.scaling.bases import DECAY, DECAYS, GROWTH, GROWTHS, Array, Basis, Index, Names
from udfs.scaling.ensemble import Forecast
from udfs.scaling.least_squares import Fit
from udfs.scaling.members import relative_values

_TERM_COST = 0.005
"""The least improvement of a formula's error by a further term, as a logarithm."""


@dataclass(frozen=True, slots=True)
class Formulas:
    """Best single formulas of n functions; `r2` is NaN where all times are the same."""

    texts: list[str]
    parameters: list[dict[str, float]]
    r2: Array
    smape: Array


def formulas(basis: Basis, names: list[Names], x: Array, y: Array, predicted: Forecast) -> Formulas:
    """Return for each function the formula of the family that predicts and fits it best.

    The formula is scaled through the last point.

    Args:
        basis: terms of the functions.
        names: names of the parameters, for each function.
        x: counts, ascending, n x m.
        y: times of n functions, n x m, s.
        predicted: their forecast, with the fitted families and their errors.
    """
    fits = predicted.fits
    each = relative_values(fits, basis, x, x[:, -1]) * y[:, -1:]
    misfit = np.sqrt((np.log(np.maximum(each, np.finfo(float).tiny) / y) ** 2).mean(2))
    size = _TERM_COST * np.array([[len(fit.name)] for fit in fits])
    costs = np.nan_to_num(predicted.fit_errors + misfit + size, nan=np.inf)
    chosen = np.argmin(costs, axis=0)
    fitted = np.empty_like(y)
    texts, parameters = [""] * len(y), [dict[str, float]()] * len(y)
    for place in np.unique(chosen):
        rows, fit = np.flatnonzero(chosen == place), fits[place]
        fitted[rows] = each[place][rows]
        raw = _unscaled(basis, fit, rows, x[rows, -1], y[rows, -1])
        for row, values, places in zip(rows, raw.tolist(), fit.terms[rows].tolist(), strict=True):
            known = [(v, p) for v, p in zip(values, places, strict=True) if v > 0]
            texts[row] = " + ".join(_text(basis, value, term) for value, term in known)
            parameters[row] = dict(
                pair for value, term in known for pair in _parameters(names[row], value, term)
            )
    return Formulas(texts, parameters, _r2(y, fitted), _smape(y, fitted))


def _unscaled(basis: Basis, fit: Fit, rows: Index, last: Array, seconds: Array) -> Array:
    """Return factors of the plain terms from those of terms that are 1 at the last count."""
    terms, factors = fit.terms[rows], fit.coefficients[rows]
    size = last[:, None] ** (basis.tenths[terms] / 10) * np.log2(last)[:, None] ** basis.logs[terms]
    raw: Array = factors / factors.sum(1)[:, None] * seconds[:, None] / size
    return raw


def _text(basis: Basis, value: float, term: int) -> str:
    """Return one term as text; p is the parallelism."""
    factor = f"{value:.4g}"
    if term == 0:
        return factor
    if term < DECAYS.stop:
        return f"{factor}*p^-{DECAY[term - DECAYS.start]:g}"
    if term < GROWTHS.stop:
        exponent = GROWTH[term - GROWTHS.start]
        power = "p" if exponent == 1 else f"p^{exponent:g}"
        return f"{factor}*{power}*log2(p)" if basis.growth_log else f"{factor}*{power}"
    return f"{factor}*log2(p)"


def _parameters(names: Names, value: float, term: int) -> list[tuple[str, float]]:
    """Return the named parameters of one term."""
    constant, decay, decay_exponent, growth, growth_exponent, log = names
    if term == 0:
        return [(constant, value)]
    if term < DECAYS.stop:
        return [(decay, value), (decay_exponent, float(DECAY[term - DECAYS.start]))]
    if term < GROWTHS.stop:
        return [(growth, value), (growth_exponent, float(GROWTH[term - GROWTHS.start]))]
    return [(log, value)]


def _r2(y: Array, fitted: Array) -> Array:
    """Return the coefficient of determination."""
    total = ((y - y.mean(1, keepdims=True)) ** 2).sum(1)
    left = ((y - fitted) ** 2).sum(1)
    share: Array = 1 - left / np.where(total > 0, total, np.nan)
    return share


def _smape(y: Array, fitted: Array) -> Array:
    """Return the symmetric mean absolute percentage error, 0..2."""
    error: Array = (2 * np.abs(y - fitted) / (y + fitted)).mean(1)
    return error
