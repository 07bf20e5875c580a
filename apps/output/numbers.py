"""Numbers as people read them: three digits, SI prefixes, shares, ratios and their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, overload

from apps.output.text import cell

_EXACT = 2**53
# The end of an interval beyond which only its size matters.
_LARGEST_RATIO = 1000
_LEAST_SHARE = 1e-5
# Ratios near 1 have 16 digits, and a few are lost where logarithms are taken.
_SMALLEST_CHANGE = 1e-12
# What tools call units that have a symbol.
_SYMBOLS = {
    **{"second": "s", "msec": "ms", "usec": "µs", "nsec": "ns"},
    **{"byte": "B", "bytes": "B", "byte/s": "B/s", "bytes/s": "B/s"},
}
_OF_BYTES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
# Sizes and SI prefixes of the units that take them, the largest first.
_PREFIXES = {
    "s": ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")),
    "B": _OF_BYTES,
    "B/s": _OF_BYTES,
}


def is_number(value: Any) -> bool:
    """Return whether a value is a number, which true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def three_digits(value: float | None) -> float | None:
    """Return a fraction to three significant digits; whole and large numbers stay whole.

    Beyond those that a fraction holds exactly there are no whole numbers, only long ones.
    """
    if value is None or isinstance(value, int) or not math.isfinite(value):
        return value
    is_whole = value == round(value) or abs(value) >= 1000
    return round(value) if is_whole and abs(value) < _EXACT else float(f"{value:.3g}")


def amount(value: float | None, unit: str | None = None) -> str:
    """Return a value to three significant digits with its unit: 13.4 ns; shares have none.

    Unknown is - without a unit.
    """
    return amounts([value], unit)[0]


def amounts(values: Sequence[float | None], unit: str | None = None) -> list[str]:
    """Return values as `amount` does, all with the SI prefix of the largest."""
    size, named = prefixed(values, unit)
    return [_amount(value, size, named) for value in values]


def _amount(value: float | None, size: float, unit: str | None) -> str:
    if value is None:
        return cell(None)
    digits = three_digits(value if size == 1 else value / size)
    number = f"{digits:,}" if isinstance(digits, int) else cell(digits)
    return number if unit in (None, "1") else f"{number} {cell(unit)}"


def prefixed(values: Iterable[float | None], unit: str | None) -> tuple[float, str | None]:
    """Return the size and the name of a unit with an SI prefix, so that the largest is 1 or more.

    That is the unit itself where it takes no prefix.
    """
    unit = _SYMBOLS.get(unit or "", unit)
    sizes = [abs(value) for value in values if value is not None and math.isfinite(value)]
    largest = three_digits(max(sizes, default=0)) or 0
    if unit not in _PREFIXES or largest == 0:
        return 1.0, unit
    prefixes = _PREFIXES[unit]
    size, prefix = next((one for one in prefixes if largest >= one[0]), prefixes[-1])
    return size, f"{prefix}{unit}"


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """Return a number of things: 1 run, 2 runs; `plural` where it is not the singular with an s."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def short_count(number: float) -> str:
    """Return a count to three significant digits, with k, M or G from ten thousand on."""
    for least, size, prefix in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if number >= least:
            return f"{number / size:.3g} {prefix}"
    return f"{number:,}"


@overload
def percent(share: float) -> str: ...


@overload
def percent(share: float | None) -> str | None: ...


def percent(share: float | None) -> str | None:
    """Return a share as per cent with three significant digits: 12.3 %; None where unknown."""
    if share is not None and 0 < abs(share) < _LEAST_SHARE:
        return f"under {amount(100 * _LEAST_SHARE, '%')}"
    return None if share is None else amount(100 * share, "%")


def signed_percent(change: float | None) -> str | None:
    """Return a relative change: +12.3 %; None where it is unknown."""
    if change is None:
        return None
    if abs(change) < _SMALLEST_CHANGE:
        change = 0.0
    return f"{100 * change:+.3g} %" if abs(change) < 10 else f"{amount(1 + change)} times"


def ratio_percent(ratio: float | None) -> str | None:
    """Return a ratio as a relative change: 1.05 is +5 %."""
    return None if ratio is None else signed_percent(ratio - 1)


def interval(low: float | None, high: float | None) -> str | None:
    """Return an interval of ratios as one of relative changes; None if there is none."""
    if low is None and high is None:
        return None
    last = ratio_percent(high) or "?"
    if high is not None and high > _LARGEST_RATIO:
        last = f"over {_LARGEST_RATIO:,} times"
    return f"{ratio_percent(low) or '?'} to {last}"


def exponent_text(exponent: float) -> str:
    """Return how a time depends on the number of processes p: falls as p^-0.70."""
    if round(exponent, 2) == 0:
        return "is constant"
    return f"{'grows' if exponent > 0 else 'falls'} as p^{exponent:.2f}"


def p_value_text(p_value: float | None) -> str:
    """Return the p-value of a change: small ones only as an upper bound."""
    if p_value is None:
        return "p unknown"
    return f"p = {p_value:.2g}" if p_value >= 1e-6 else "p < 1e-6"
