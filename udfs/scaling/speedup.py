"""Laws of speed-up: Amdahl's, Gustafson's and the universal scalability law, side by side.

Of a speed-up S at r times the smallest count, Amdahl's law is r / S = 1 + a (r - 1), the universal
scalability law r / S = 1 + a (r - 1) + b r (r - 1) (Gunther, Guerrilla Capacity Planning, 2007),
Gustafson's S = r - a (r - 1). Each is linear, beside a factor for the noise of the smallest count:
least squares of relative errors, with factors of zero or more.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa

from udfs.arrays import Floats
from udfs.scaling.columns import lists, numbers
from udfs.student import t_quantile

LAWS: Final = ("Amdahl", "Gustafson", "USL")
_LEAST: Final = 1e-6
"""Relative noise of times at least, which no smaller part is told from."""


def scaling_speedup_laws(
    counts: pa.ListArray, seconds: pa.ListArray, noise: pa.DoubleArray, weak: pa.BooleanArray
) -> pa.ListArray:
    """Fit laws of speed-up to the times of programs.

    Args:
        counts: the counts of each program, ascending and distinct.
        seconds: times at these counts, s, above zero.
        noise: relative noise of a point, 0 where unknown.
        weak: whether the problem grows with the count.

    Returns:
        Lists of structs, one for each of `LAWS`, empty for fewer than three counts: law, serial
        (a) and coherence (b) with the ends of their 90 % intervals, most (the largest speed-up
        against the smallest count), peak (the count at which that is), NULL where there is none,
        and smape.
    """
    scatter = numbers(noise)
    found = [
        _laws(x, y, float(one), bool(is_weak))
        for x, y, one, is_weak in zip(
            lists(counts), lists(seconds), scatter, weak.to_pylist(), strict=True
        )
    ]
    return pa.array(found, _TYPE)


_TYPE = pa.list_(
    pa.struct(
        [("law", pa.string())]
        + [
            (name, pa.float64())
            for name in (
                *("serial", "serial_low", "serial_high"),
                *("coherence", "coherence_low", "coherence_high", "most", "peak", "smape"),
            )
        ]
    )
)


def _laws(x: Floats, y: Floats, noise: float, is_weak: bool) -> list[dict[str, Any]]:
    if len(x) < 3:
        return []
    r = x / x[0]
    speedup = y[0] / y * (r if is_weak else 1.0)
    found = []
    for law in LAWS:
        is_gustafson = law == "Gustafson"
        terms = np.stack([np.ones(len(r)), r - 1, r * (r - 1)][: 3 if law == "USL" else 2])
        target = speedup if is_gustafson else r / speedup
        factors, spread = _fitted(terms / target, noise)
        fitted = factors @ terms
        ratio, low, high = (
            np.append(part, np.nan)[:2] for part in _ratios(factors, spread, len(r) - len(terms))
        )
        if is_gustafson:
            ratio, low, high = 1 - ratio, 1 - high, 1 - low
        ends = np.clip([low, high], 0, 1)
        row = {"law": law, "serial": min(max(ratio[0], 0), 1)}
        row |= {"serial_low": ends[0, 0], "serial_high": ends[1, 0]}
        if law == "USL":
            row |= {"coherence": ratio[1], "coherence_low": low[1].clip(0)}
            row |= {"coherence_high": high[1]}
        row |= _peak(law, row["serial"], ratio[1], x[0])
        row["smape"] = float(np.mean(2 * np.abs(fitted - target) / (fitted + target)))
        found.append({name: _known(value) for name, value in row.items()})
    return found


def _fitted(scaled: Floats, noise: float) -> tuple[Floats, Floats]:
    """Return the factors of zero or more of terms over their target, and their covariance."""
    free = list(range(len(scaled)))
    while True:
        part = scaled[free]
        factors = np.linalg.lstsq(part.T, np.ones(part.shape[1]), rcond=None)[0]
        shares = factors * part.max(1)
        worst = int(shares.argmin())
        if shares[worst] > _LEAST or free[worst] == 0:
            break
        free.pop(worst)
    # What may be zero has an interval, too.
    left = ((factors @ part - 1) ** 2).sum() / max(part.shape[1] - len(scaled), 1)
    variance = max(left, noise**2, _LEAST**2)
    full = np.zeros(len(scaled))
    full[free] = factors
    return full, np.linalg.pinv(scaled @ scaled.T) * variance


def _ratios(factors: Floats, spread: Floats, freedom: int) -> tuple[Floats, Floats, Floats]:
    """Return the factors over the first, and the ends of their 90 % intervals."""
    ratios = factors[1:] / factors[0]
    # Of a ratio a / c: the variance of (a - ratio c) / c.
    variance = np.diag(spread)[1:] - 2 * ratios * spread[0, 1:] + ratios**2 * spread[0, 0]
    reach = t_quantile(float(max(freedom, 1)), 0.95) * np.sqrt(variance.clip(0)) / factors[0]
    return ratios, ratios - reach, ratios + reach


def _peak(law: str, serial: float, coherence: float, smallest: float) -> dict[str, float]:
    """Return the largest speed-up of a law and the count at which it is."""
    if law == "Amdahl" and serial > 0:
        return {"most": 1 / serial}
    if law != "USL" or not coherence > 0:
        return {"most": 1 / serial} if law == "USL" and serial > 0 else {}
    r = max(np.sqrt((1 - serial) / coherence), 1.0)
    most = r / (1 + serial * (r - 1) + coherence * r * (r - 1))
    return {"most": most, "peak": r * smallest}


def _known(value: Any) -> Any:
    return value if isinstance(value, str) else float(value) if np.isfinite(value) else None
