"""Times written as decimal microseconds, as whole nanoseconds."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]

_WIDEST = 24  # a plain number of more characters goes the slow way
_MOST = 1 << 62
_DOT, _ZERO, _NINE = b".09"


def nanoseconds(texts: Sequence[bytes]) -> Integers:
    """Return microseconds, written as JSON numbers, in whole ns, exact to half a ns.

    A double has no room for the time of day in ns, so the digits are read as they are. Raises
    `ValueError` with the first text that is no number or does not fit.
    """
    if not texts:
        return np.zeros(0, np.int64)
    cells = np.array(texts, dtype=np.bytes_)
    width = cells.dtype.itemsize
    if width > _WIDEST:
        plain = np.zeros(len(cells), bool)
        values = np.zeros(len(cells), np.int64)
    else:
        values, plain = _plain(cells.view(np.uint8).reshape(len(cells), width))
    for place in np.flatnonzero(~plain).tolist():
        values[place] = _any_number(texts[place])
    return values


def _plain(characters: npt.NDArray[np.uint8]) -> tuple[Integers, npt.NDArray[np.bool_]]:
    """Return the values of texts of digits with at most one dot, and which texts are such."""
    count = len(characters)
    values = np.zeros(count, np.int64)
    dots = np.zeros(count, np.int8)
    decimals = np.zeros(count, np.int8)
    digits = np.zeros(count, np.int8)
    good = np.ones(count, bool)
    half = np.zeros(count, np.int64)
    for column in characters.T:
        is_digit = (column >= _ZERO) & (column <= _NINE)
        is_dot = column == _DOT
        good &= is_digit | is_dot | (column == 0)
        kept = is_digit & (decimals < 3)
        digit = column.astype(np.int64) - _ZERO
        half[is_digit & (decimals == 3) & (digit >= 5)] = 1
        values = np.where(kept, values * 10 + digit, values)
        digits += kept
        decimals += is_digit & (dots > 0)
        dots += is_dot
    values *= np.int64(10) ** np.clip(3 - decimals, 0, 3).astype(np.int64)
    # 10^15 us are 30 years, as times since the epoch are; 15 digits more leave 64 bits.
    good &= (dots <= 1) & (digits > 0) & (digits <= 18 - np.clip(3 - decimals, 0, 3))
    return values + half, good


def _any_number(text: bytes) -> int:
    """Return what is not plain: signs, exponents, texts in quotes."""
    try:
        value = Decimal(text.decode().strip('"'))
        if not (value.is_finite() and abs(value) < _MOST):
            raise ValueError
        found = int((value * 1000).to_integral_value())
    except (InvalidOperation, ValueError, UnicodeDecodeError):
        raise ValueError(text[:40].decode("utf-8", "replace")) from None
    if abs(found) >= _MOST:
        raise ValueError(text[:40].decode("utf-8", "replace"))
    return found
