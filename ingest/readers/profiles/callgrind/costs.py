"""The cost lines of a callgrind profile as arrays: `0x401136 12 3`, `+4 * 3`, `* -2 1`.

A line is positions (address, line), then costs; those that are left out at its end are 0. A
position is a number, or its distance to the one of the cost line before (valgrind's manual,
"Callgrind Format Specification").
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from udfs.arrays import Integers

ADDRESS_BITS = 48
_POSITION = rb"(?:\*|[+-]?(?:0x[0-9a-fA-F]{1,16}|\d{1,18}))"
_NOT_A_LINE = re.compile(
    rb"^(?!" + _POSITION + rb"(?:[ \t]+" + _POSITION + rb")*+[ \t]*$).*$", re.MULTILINE
)
_HEX = re.compile(rb"0x([0-9a-fA-F]+)")
_BLANKS = bytes.maketrans(b"*", b"0")
_FIRST = np.zeros(256, np.bool_)
_FIRST[list(b"+-*0123456789")] = True


@dataclass(frozen=True, slots=True)
class Costs:
    """Cost lines: where each begins in the text, its positions and its costs.

    `positions` is (positions, lines), `costs` (events, lines). `wrong` is where the first line
    begins that is none, or has too few or too many fields, or None.
    """

    start: Integers
    positions: Integers
    costs: Integers
    wrong: int | None


def cost_lines(text: bytes, before: Integers, limits: Integers, events: int) -> Costs:
    """Read the cost lines of a text of whole lines.

    `before` are the positions until then, `limits` what each position stays below.
    """
    data = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    starts = np.concatenate(([0], ends[:-1] + 1))
    mine = _FIRST[data[starts]]
    length = ends - starts + 1
    start = starts[mine]
    lines = data[np.repeat(mine, length)].tobytes()
    none = np.zeros((max(before.size, events), 0), np.int64)
    if lines and (odd := _NOT_A_LINE.search(lines[:-1])):
        wrong_line = int(start[lines.count(b"\n", 0, odd.start())])
        return Costs(start[:0], none[: before.size], none[:events], wrong_line)
    values, sign, line = _tokens(lines, length[mine])
    first = np.searchsorted(line, np.arange(start.size))
    fields = np.diff(np.append(first, line.size))
    wrong = (fields < before.size) | (fields > before.size + events)
    # Such a distance would wrap around when they are added up.
    wrong[line[(sign != 0) & (np.abs(values) >> ADDRESS_BITS != 0)]] = True
    # Costs have no sign but -, for memory that was freed.
    cost = np.arange(line.size) - first[line] >= before.size
    wrong[line[cost & (sign != 0) & (sign != ord("-"))]] = True
    if wrong.any():
        k = int(np.flatnonzero(wrong)[0])
        return Costs(start[:0], none[: before.size], none[:events], int(start[k]))
    positions = np.stack(
        [_absolute(values[first + k], sign[first + k], before[k]) for k in range(before.size)]
    )
    costs = np.zeros((events, start.size), np.int64)
    for k in range(events):
        known = fields > before.size + k
        costs[k, known] = values[first[known] + before.size + k]
    beyond = ((positions < 0) | (positions >= limits[:, None])).any(axis=0)
    bad = int(start[np.flatnonzero(beyond)[0]]) if beyond.any() else None
    return Costs(start, positions, costs, bad)


def _tokens(lines: bytes, length: Integers) -> tuple[Integers, NDArray[np.uint8], Integers]:
    """Return every field's number, its sign or `*` (0 for none), and its line."""
    data = np.frombuffer(lines, np.uint8)
    blank = data <= ord(" ")
    begins = ~blank
    begins[1:] &= blank[:-1]
    at = np.flatnonzero(begins)
    mark = data[at]
    sign = np.where((mark == ord("+")) | (mark == ord("-")) | (mark == ord("*")), mark, 0)
    line = np.searchsorted(np.cumsum(length), at, side="right")
    plain = _HEX.sub(lambda found: b"0" * len(found[0]), lines).translate(_BLANKS)
    values = np.fromstring(plain, np.int64, sep=" ")
    for found in _HEX.finditer(lines):
        k = int(np.searchsorted(at, found.start(), side="right")) - 1
        number = min(int(found[1], 16), (1 << 62) - 1)
        values[k] = -number if sign[k] == ord("-") else number
    return values, sign.astype(np.uint8), line


def _absolute(values: Integers, sign: NDArray[np.uint8], before: int) -> Integers:
    """Return positions from numbers and distances."""
    index = np.arange(values.size)
    fixed = np.maximum.accumulate(np.where(sign == 0, index, -1))
    way = np.cumsum(np.where(sign == 0, 0, values))
    anchored = fixed >= 0
    absolute: Integers = np.where(
        anchored, values[fixed] + way - way[fixed], np.int64(before) + way
    )
    return absolute
