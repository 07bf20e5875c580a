"""Times written as decimal microseconds, as whole nanoseconds."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_WIDEST = 24  # a longer number goes the slow way
_MOST = 1 << 62
_MOST_DIGITS = 18  # of a number in ns, so that it fits 64 bits
_DOT, _ZERO = b".0"


def nanoseconds(texts: Sequence[bytes]) -> Integers:
    """Return microseconds, written as JSON numbers, in whole ns, rounded half up.

    A double has no room for the time of day in ns, so the digits are read as they are. Raises
    `ValueError` with the first text that is no number or does not fit.
    """
    if not len(texts):
        return np.zeros(0, np.int64)
    cells = np.array(texts, dtype=np.bytes_)
    width = cells.dtype.itemsize
    values = np.zeros(len(cells), np.int64)
    odd = np.ones(len(cells), bool)
    if 0 < width <= _WIDEST:
        _read_plain(cells.view(np.uint8).reshape(len(cells), width), values, odd)
    for place in np.flatnonzero(odd).tolist():
        values[place] = _any_number(texts[place])
    return values


def _read_plain(characters: npt.NDArray[np.uint8], values: Integers, odd: Flags) -> None:
    """Set the values of texts of digits with at most one dot, all of one shape at a time."""
    width = characters.shape[1]
    lengths = width - np.argmax(characters[:, ::-1] != 0, axis=1)
    is_dot = characters == _DOT
    dots = np.where(is_dot.any(axis=1), np.argmax(is_dot, axis=1), lengths)
    shape_of = lengths * (width + 1) + dots
    shapes = np.flatnonzero(np.bincount(shape_of)).tolist()
    for shape in shapes:
        length, dot = divmod(shape, width + 1)
        rows = slice(None) if len(shapes) == 1 else np.flatnonzero(shape_of == shape)
        columns = [at for at in range(length) if at != dot]
        used = [at for at in columns if at < dot + 4]
        missing = 3 - (len(used) - min(dot, length))
        if not used or len(used) + missing > _MOST_DIGITS:
            continue
        digits = characters[rows][:, columns] - np.uint8(_ZERO)
        powers = 10 ** np.arange(len(used) - 1, -1, -1, dtype=np.int64)
        value = digits[:, : len(used)].astype(np.int64) @ powers * 10**missing
        if len(columns) > len(used):
            value += digits[:, len(used)] >= 5
        values[rows] = value
        odd[rows] = (digits > 9).any(axis=1)


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
