"""Times written as decimal microseconds, as whole nanoseconds."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from udfs.arrays import Flags, Integers

if TYPE_CHECKING:
    from typing_extensions import Buffer

Characters = npt.NDArray[np.uint8]

_WIDEST = 24  # a longer number goes the slow way
_MOST = 1 << 62
_MOST_DIGITS = 15  # before the dot, so that three more fit 64 bits
_COMMA, _DOT, _ZERO = np.frombuffer(b",.0", np.uint8)


def nanoseconds(texts: Sequence[Buffer]) -> Integers:
    """Return microseconds, written as JSON numbers, in whole ns, rounded half up.

    A double has no room for the time of day in ns, so the digits are read as they are. Raises
    `ValueError` with the first text that is no number or does not fit.
    """
    values = np.zeros(len(texts), np.int64)
    odd = np.ones(len(texts), bool)
    characters = np.frombuffer(b"0" * _WIDEST + b",".join(texts) + b",", np.uint8)
    ends = np.flatnonzero(characters == _COMMA)
    # A text with a comma of its own is no number; all go the slow way then, to find it.
    if len(ends) == len(texts):
        begins = np.concatenate(([_WIDEST], ends + 1))[:-1]
        _read_plain(characters, ends, ends - begins, values, odd)
    for place in np.flatnonzero(odd).tolist():
        values[place] = _any_number(bytes(texts[place]))
    return values


def _read_plain(
    characters: Characters, ends: Integers, lengths: Integers, values: Integers, odd: Flags
) -> None:
    """Set the values of texts of digits with at most one dot.

    The texts end at `ends`, with at least _WIDEST characters before; they are read from there, by
    columns of characters: most have the dot in one.
    """
    width = min(int(lengths.max(initial=0)), _WIDEST)
    short = lengths <= width
    columns = np.ascontiguousarray(sliding_window_view(characters, width)[ends - width].T)
    for at in range(width - int(lengths.min(initial=width))):
        columns[at][lengths < width - at] = _ZERO
    is_dot = columns == _DOT
    for dot in [*np.flatnonzero(is_dot.any(axis=1)).tolist(), width]:
        of_dot = short & (is_dot[dot] if dot < width else ~is_dot.any(axis=0))
        # A dot alone is no number, and more digits than these do not fit.
        of_dot &= (lengths > (dot < width)) & (lengths - (width - dot) <= _MOST_DIGITS)
        if not of_dot.all():
            rows = np.flatnonzero(of_dot)
            found, is_number = _values(columns[:, rows], dot)
        else:
            rows = np.arange(len(ends))
            found, is_number = _values(columns, dot)
        values[rows[is_number]] = found[is_number]
        odd[rows[is_number]] = False


def _values(columns: Characters, dot: int) -> tuple[Integers, Flags]:
    """Return numbers in ns that have their dot (or end) in one column, and which are numbers."""
    digits = columns - _ZERO
    digits[dot : dot + 1] = 0
    value = np.zeros(digits.shape[1], np.int64)
    for at in range(min(dot + 4, len(digits))):
        if at != dot:
            value = value * 10 + digits[at]
    value *= 10 ** max(0, dot + 4 - max(len(digits), dot + 1))
    if dot + 4 < len(digits):
        value += digits[dot + 4] >= 5
    return value, (digits <= 9).all(axis=0)


def _any_number(text: bytes) -> int:
    """Return what is not plain: signs, exponents, texts in quotes."""
    try:
        value = Decimal(text.decode().strip('"'))
        if not (value.is_finite() and abs(value) < _MOST):
            raise ValueError
        found = int((value * 1000).to_integral_value(ROUND_HALF_UP))
    except (InvalidOperation, ValueError, UnicodeDecodeError):
        raise ValueError(text[:40].decode("utf-8", "replace")) from None
    if abs(found) >= _MOST:
        raise ValueError(text[:40].decode("utf-8", "replace"))
    return found
