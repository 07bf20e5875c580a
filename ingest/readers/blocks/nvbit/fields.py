"""The lines of a .traceg file, taken apart with array operations.

Source: Accel-Sim's tracer (util/tracer_nvbit: tracer_tool.cu, post-traces-processing.cpp). After
the header every thread block has `#BEGIN_TB`, `thread block = x,y,z`, per warp `warp = k`,
`insts = n` and n instruction lines, then `#END_TB`. An instruction line is

    [line] PC mask dest_num [dests] opcode src_num [srcs] mem_width [addresses] [immediate]

with PC and mask in hexadecimal: the mask has a bit for every active lane whose predicate is true.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.parsing.blocks.cursor import ROOM, Cursor, line_bounds
from ingest.parsing.lines import Chunk
from udfs.arrays import Flags, Integers

BLANK, BEGIN, BLOCK, WARP, COUNT, CODE, END, OTHER = range(8)
_PREFIXES = {
    BEGIN: b"#BEGIN_T",
    BLOCK: b"thread b",
    WARP: b"warp = ",
    COUNT: b"insts = ",
    END: b"#END_TB",
}
_WHOLE = {BEGIN: b"#BEGIN_TB", BLOCK: b"thread block = ", END: b"#END_TB"}
_DIGIT = np.zeros(256, np.bool_)
_DIGIT[list(b"0123456789abcdef")] = True


@dataclass(frozen=True, slots=True)
class Fields:
    """The lines of a piece of a trace.

    `kind` is over all lines. `number` is over the lines of kind WARP and COUNT in their order,
    `block` (x, y, z) over those of kind BLOCK. The others are over the lines of kind CODE: `row`
    is the line's number within the piece, from 0, `text` where the text after the mask begins in
    `data`, `end` where the line ends. `source` is empty where the trace has no line numbers.
    `damaged` is the first row that is not of any kind, or not as its kind should be, or None.
    """

    data: bytes
    kind: NDArray[np.int8]
    number: Integers
    block: tuple[Integers, Integers, Integers]
    row: Integers
    pc: Integers
    mask: NDArray[np.uint32]
    source: Integers
    text: Integers
    end: Integers
    damaged: int | None


def parse(chunk: Chunk, *, line_numbers: bool) -> Fields:
    """Parse a piece of a trace made of whole lines."""
    data, starts, ends = line_bounds(chunk)
    padded = data + ROOM
    with np.errstate(over="ignore"):
        kind = _kinds(padded, starts, ends)
        fine = kind != OTHER
        number, numbered = _numbers(padded, starts, kind)
        block, placed = _blocks(padded, starts, kind)
        for these, cursor in ((kind == WARP) | (kind == COUNT), numbered), (kind == BLOCK, placed):
            fine[these] &= cursor.fine & (cursor.at == ends[these])
        for mark in (BEGIN, END):
            these = kind == mark
            fine[these] &= ends[these] - starts[these] == len(_WHOLE[mark])
        row = np.flatnonzero(kind == CODE)
        cursor = Cursor(padded, starts[row])
        source = np.zeros(0, np.int64)
        if line_numbers:
            source = cursor.number()
            cursor.skip(b" ")
        pc = cursor.hexadecimal()
        cursor.skip(b" ")
        before = cursor.at
        mask = cursor.hexadecimal()
        cursor.fine &= cursor.at - before == 8
        cursor.skip(b" ")
    fine[row] &= cursor.fine & (cursor.at < ends[row])
    damaged = None if fine.all() else int(np.flatnonzero(~fine)[0])
    return Fields(
        padded, kind, number, block, row, pc, mask.astype(np.uint32), source, cursor.at, ends[row],
        damaged,
    )  # fmt: skip


def _kinds(data: bytes, starts: Integers, ends: Integers) -> NDArray[np.int8]:
    """Return the kinds of lines from their first bytes."""
    kind = np.full(starts.size, OTHER, np.int8)
    first = np.frombuffer(data, np.uint8)[starts]
    kind[_DIGIT[first]] = CODE
    kind[starts == ends] = BLANK
    rest = np.flatnonzero(kind == OTHER)
    cursor = Cursor(data, starts[rest])
    for mark, prefix in _PREFIXES.items():
        kind[rest[cursor.sees(prefix)]] = mark
    return kind


def _numbers(data: bytes, starts: Integers, kind: NDArray[np.int8]) -> tuple[Integers, Cursor]:
    """Return the numbers of warps and counts."""
    at = starts[(kind == WARP) | (kind == COUNT)]
    counts: Flags = kind[(kind == WARP) | (kind == COUNT)] == COUNT
    cursor = Cursor(data, at + np.where(counts, len(_PREFIXES[COUNT]), len(_PREFIXES[WARP])))
    return cursor.number(), cursor


def _blocks(
    data: bytes, starts: Integers, kind: NDArray[np.int8]
) -> tuple[tuple[Integers, Integers, Integers], Cursor]:
    """Return the indices of thread blocks."""
    cursor = Cursor(data, starts[kind == BLOCK])
    cursor.skip(_WHOLE[BLOCK])
    x = cursor.number()
    cursor.skip(b",")
    y = cursor.number()
    cursor.skip(b",")
    return (x, y, cursor.number()), cursor
