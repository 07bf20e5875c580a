"""The instruction lines of a GPGPU-Sim log, taken apart with array operations.

A level-5 log has one line per executed thread instruction (src/cuda-sim/cuda-sim.cc,
`ptx_thread_info::ptx_exec_inst`); releases of 2010 and before put `[cyc=N]` before `[thd=`:

    452 [thd=5][i=16] : ctaid=(0,0,0) tid=(4,0,0) icount=15 [pc=112] (f.ptx:43 - ret;)  [0x10]

The lines of a piece of the log move through the syntax in step: every field is one load of eight
bytes at each line's own position. Digits are converted inside 64-bit words (Lemire, "Quickly
parsing eight digits", 2022), which costs about ten nanoseconds a field.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]
Triple = tuple[Integers, Integers, Integers]

# A damaged line sends its cursor astray by at most 16 digits a field: room enough to read there.
_ROOM = b"\0" * 1024
_EIGHT = np.uint64(8)


def _every_byte(value: int) -> np.uint64:
    return np.uint64(int.from_bytes(bytes([value]) * 8, "little"))


_ZEROS, _ABOVE_NINE, _TOP_BITS = _every_byte(0x30), _every_byte(0x76), _every_byte(0x80)
_BYTE_NUMBER = np.uint64(0x0001020304050607)
_STEPS = (
    (np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(2561), np.uint64(8)),
    (np.uint64(0x00FF00FF00FF00FF), np.uint64(6553601), np.uint64(16)),
    (np.uint64(0x0000FFFF0000FFFF), np.uint64(42949672960001), np.uint64(32)),
)
# Other lines that say something about launches, blocks or the simulator begin with one of these.
_NOTABLE = (b"GPGPU-Si", b"Printing", b"Summary ", b"bb_", b"kernel", b"-gpgpu_s", b"        ")


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a piece of a log: arrays over its instruction lines, and the notable others.

    `row` is the line's number within the piece, from 0. `block` and `thread` are the three indices
    x, y, z; `text` is where the text after the opening bracket begins in `data`, `end` where the
    line ends. `notes` are (row, content) of the other lines worth reading. `damaged` is the first
    row that begins as an instruction line and does not go on as one, or None.
    """

    data: bytes
    rows: int
    row: Integers
    number: Integers
    uid: Integers
    block: Triple
    thread: Triple
    icount: Integers
    pc: Integers
    text: Integers
    end: Integers
    notes: list[tuple[int, bytes]]
    damaged: int | None

    def words(self, at: Integers) -> Words:
        """Give the eight bytes at each position."""
        data: Words = np.ndarray((len(self.data) - 7,), "<u8", self.data, strides=(1,))
        return data[at]


class _Cursor:
    """Positions in the data, one per line, that move over fields; `fine` tells who still can."""

    def __init__(self, data: bytes, at: Integers) -> None:
        self._words: Words = np.ndarray((len(data) - 7,), "<u8", data, strides=(1,))
        self.at = at
        self.fine: Mask = np.ones(at.size, np.bool_)

    def keep(self, mask: Mask) -> None:
        self.at = self.at[mask]
        self.fine = self.fine[mask]

    def sees(self, literal: bytes) -> Mask:
        """Tell where the literal stands (not more than eight bytes)."""
        word = self._words[self.at]
        word &= np.uint64((1 << 8 * len(literal)) - 1)
        seen: Mask = word == np.uint64(int.from_bytes(literal, "little"))
        return seen

    def skip(self, literal: bytes) -> None:
        """Move over a literal."""
        for start in range(0, len(literal), 8):
            piece = literal[start : start + 8]
            self.fine &= self.sees(piece)
            self.at = self.at + len(piece)

    def number(self) -> Integers:
        """Move over a number of up to 15 digits and give its value."""
        value, digits = self._digits(self.at)
        if not digits.all():
            self._long_numbers(value, digits)
        self.at = self.at + digits.view(np.int64)
        return value.view(np.int64)

    def _long_numbers(self, value: Words, digits: Words) -> None:
        """Complete the numbers of eight digits and more; note the lines without any digit."""
        word = self._words[self.at] ^ _ZEROS
        long = ((word + _ABOVE_NINE) | word) & _TOP_BITS == 0
        more, further = self._digits(self.at[long] + 8)
        value[long] = _value(word[long]) * np.power(np.uint64(10), further) + more
        digits[long] = further + _EIGHT
        self.fine &= digits > 0

    def _digits(self, at: Integers) -> tuple[Words, Words]:
        """Give the value and the number of the digits at each position, up to seven of them.

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
    """Give the number whose eight decimal digits are the bytes of each word."""
    for mask, factor, shift in _STEPS:
        word &= mask
        word *= factor
        word >>= shift
    return word


def parse(data: bytes) -> Lines:
    """Take apart a piece of a log made of whole lines."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if not data.endswith(b"\n"):
        data += b"\n"
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
    starts = np.concatenate(([0], ends[:-1] + 1))
    padded = data + _ROOM
    cursor = _Cursor(padded, starts)
    with np.errstate(over="ignore"):
        digit = np.frombuffer(padded, np.uint8)[starts] - np.uint8(ord("0")) < 10
        row = np.flatnonzero(digit)
        cursor.keep(digit)
        number = cursor.number()
        old = cursor.sees(b" [cyc=")
        instruction = cursor.fine & (cursor.sees(b" [thd=") | old)
        row, number, old = row[instruction], number[instruction], old[instruction]
        cursor.keep(instruction)
        uid, block, thread, icount, pc = _fields(cursor, old)
    notes = _notes(padded, starts, ends, row)
    end = ends[row]
    fine = cursor.fine & (cursor.at < end)
    damaged = None if fine.all() else int(row[~fine][0])
    return Lines(
        padded, ends.size, row, number, uid, block, thread, icount, pc, cursor.at, end, notes,
        damaged,
    )  # fmt: skip


def _fields(cursor: _Cursor, old: Mask) -> tuple[Integers, Triple, Triple, Integers, Integers]:
    """Move over the fields from `[thd=` to the bracket before the text."""
    if old.any():
        here = cursor.at
        cursor.at = here + 6
        cursor.number()
        cursor.at = np.where(old, cursor.at + 1, here + 1)
    else:
        cursor.at = cursor.at + 1
    cursor.skip(b"[thd=")
    uid = cursor.number()
    cursor.skip(b"][i=")
    cursor.number()
    cursor.skip(b"] : ctaid=(")
    block = _triple(cursor)
    cursor.skip(b") tid=(")
    thread = _triple(cursor)
    cursor.skip(b") icount=")
    icount = cursor.number()
    cursor.skip(b" [pc=")
    pc = cursor.number()
    cursor.skip(b"] (")
    return uid, block, thread, icount, pc


def _triple(cursor: _Cursor) -> Triple:
    x = cursor.number()
    cursor.skip(b",")
    y = cursor.number()
    cursor.skip(b",")
    return x, y, cursor.number()


def _notes(data: bytes, starts: Integers, ends: Integers, row: Integers) -> list[tuple[int, bytes]]:
    """Give the notable lines among those that are no instruction lines."""
    other: Mask = np.ones(starts.size, np.bool_)
    other[row] = False
    rows = np.flatnonzero(other)
    cursor = _Cursor(data, starts[rows])
    notable: Mask = np.zeros(rows.size, np.bool_)
    for prefix in _NOTABLE:
        notable |= cursor.sees(prefix)
    return [(int(n), data[starts[n] : ends[n]]) for n in rows[notable]]
