"""Fields of many text lines at once: cursors that move through the lines in step.

Every field is one load of eight bytes at each line's own position. Digits are converted inside
64-bit words (Lemire, "Quickly parsing eight digits", 2022), which costs about ten nanoseconds a
field.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ingest.parsing.lines import Chunk
from udfs.arrays import Flags, Integers

Words = NDArray[np.uint64]

# A damaged line sends its cursor astray by at most 16 digits a field: room enough to read there.
ROOM = b"\0" * 1024
_EIGHT = np.uint64(8)


def _every_byte(value: int) -> np.uint64:
    return np.uint64(int.from_bytes(bytes([value]) * 8, "little"))


_ZEROS, _ABOVE_NINE, _TOP_BITS = _every_byte(0x30), _every_byte(0x76), _every_byte(0x80)
_BEFORE_A, _ABOVE_SIX, _ONES = _every_byte(0x60), _every_byte(0x79), _every_byte(0x01)
_LOW_HALVES = _every_byte(0x0F)
_BYTE_NUMBER = np.uint64(0x0001020304050607)
_STEPS = (
    (np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(2561), np.uint64(8)),
    (np.uint64(0x00FF00FF00FF00FF), np.uint64(6553601), np.uint64(16)),
    (np.uint64(0x0000FFFF0000FFFF), np.uint64(42949672960001), np.uint64(32)),
)


def line_bounds(chunk: Chunk) -> tuple[bytes, Integers, Integers]:
    """Return a chunk with line ends of \\n only, and where its lines start and end."""
    data = chunk.data.replace(b"\r\n", b"\n") if b"\r" in chunk.data else chunk.data
    if not chunk.whole:
        data += b"\n"
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
    return data, np.concatenate(([0], ends[:-1] + 1)), ends


def words(data: bytes) -> Words:
    """Return the eight bytes from each position on, as a number whose lowest byte is the first."""
    return np.ndarray((len(data) - 7,), "<u8", data, strides=(1,))


class Cursor:
    """Positions in the data, one a line, that move over fields; `fine` flags those that can."""

    def __init__(self, data: bytes, at: Integers) -> None:
        self._words = words(data)
        self.at = at
        self.fine: Flags = np.ones(at.size, np.bool_)

    def keep(self, mask: Flags) -> None:
        """Let go of the lines that are not flagged."""
        self.at = self.at[mask]
        self.fine = self.fine[mask]

    def sees(self, literal: bytes) -> Flags:
        """Return where the literal is found (not more than eight bytes)."""
        word = self._words[self.at]
        word &= np.uint64((1 << 8 * len(literal)) - 1)
        seen: Flags = word == np.uint64(int.from_bytes(literal, "little"))
        return seen

    def skip(self, literal: bytes) -> None:
        """Move over a literal."""
        for start in range(0, len(literal), 8):
            piece = literal[start : start + 8]
            self.fine &= self.sees(piece)
            self.at = self.at + len(piece)

    def number(self) -> Integers:
        """Move over a number of up to 15 digits and return its value."""
        value, digits = self._digits(self.at)
        if not digits.all():
            self._long_numbers(value, digits)
        self.at = self.at + digits.view(np.int64)
        return value.view(np.int64)

    def hexadecimal(self) -> Integers:
        """Move over up to eight hexadecimal digits, lower case, and return their value."""
        word = self._words[self.at]
        decimal, letter = word ^ _ZEROS, word ^ _BEFORE_A
        other = (decimal + _ABOVE_NINE) | decimal
        # A letter's low bits are 1 to 6: neither above that nor none of them.
        other &= (letter + _ABOVE_SIX) | letter | ~((letter | _TOP_BITS) - _ONES)
        other &= _TOP_BITS
        other &= np.negative(other)
        other >>= np.uint64(7)
        digits = np.where(other == 0, _EIGHT, (other * _BYTE_NUMBER) >> np.uint64(56))
        word &= other - np.uint64(1)
        # A shift by all 64 bits is not defined.
        word = np.where(digits == 0, np.uint64(0), word << ((_EIGHT - digits) << np.uint64(3)))
        word = (word & _LOW_HALVES) + np.uint64(9) * ((word >> np.uint64(6)) & _ONES)
        word = ((word << np.uint64(4)) | (word >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
        word = ((word << np.uint64(8)) | (word >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
        word = ((word << np.uint64(16)) | (word >> np.uint64(32))) & np.uint64(0xFFFFFFFF)
        self.fine &= digits > 0
        self.at = self.at + digits.view(np.int64)
        return word.view(np.int64)

    def _long_numbers(self, value: Words, digits: Words) -> None:
        """Complete the numbers of eight digits and more; note the lines without any digit."""
        word = self._words[self.at] ^ _ZEROS
        long = ((word + _ABOVE_NINE) | word) & _TOP_BITS == 0
        more, further = self._digits(self.at[long] + 8)
        value[long] = _value(word[long]) * np.power(np.uint64(10), further) + more
        digits[long] = further + _EIGHT
        self.fine &= digits > 0

    def _digits(self, at: Integers) -> tuple[Words, Words]:
        """Return the value and the number of the digits at each position, up to seven of them.

        Both are 0 where there are eight or more.
        """
        word = self._words[at]
        word ^= _ZEROS
        unit = word + _ABOVE_NINE
        unit |= word
        unit &= _TOP_BITS
        unit &= np.negative(unit)
        unit >>= np.uint64(7)
        # `unit` is now 256 ** digits, or 0 where all eight bytes are digits.
        digits = unit * _BYTE_NUMBER
        digits >>= np.uint64(56)
        unit -= np.uint64(1)
        word &= unit
        word <<= (_EIGHT - digits) << np.uint64(3)
        return _value(word), digits


def _value(word: Words) -> Words:
    """Return the number whose eight decimal digits are the bytes of each word."""
    for mask, factor, shift in _STEPS:
        word &= mask
        word *= factor
        word >>= shift
    return word
