"""The instruction lines of a GPGPU-Sim log, taken apart with array operations.

A level-5 log has one line per executed thread instruction (src/cuda-sim/cuda-sim.cc,
`ptx_thread_info::ptx_exec_inst`); releases of 2010 and before put `[cyc=N]` before `[thd=`:

    452 [thd=5][i=16] : ctaid=(0,0,0) tid=(4,0,0) icount=15 [pc=112] (f.ptx:43 - ret;)  [0x10]

The lines of a piece of the log move through the syntax in step (`ingest.parsing.blocks.cursor`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ingest.parsing.blocks.cursor import ROOM, Cursor, line_bounds
from ingest.parsing.lines import Chunk
from udfs.arrays import Flags, Integers

Triple = tuple[Integers, Integers, Integers]

# Other lines about launches, blocks or the simulator begin with one of these.
_NOTABLE = (b"GPGPU-Si", b"Printing", b"Summary ", b"bb_", b"kernel", b"-gpgpu_s", b"        ")


@dataclass(frozen=True, slots=True)
class Fields:
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


def parse(chunk: Chunk) -> Fields:
    """Parse a piece of a log made of whole lines."""
    data, starts, ends = line_bounds(chunk)
    padded = data + ROOM
    cursor = Cursor(padded, starts)
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
    return Fields(
        padded, ends.size, row, number, uid, block, thread, icount, pc, cursor.at, end, notes,
        damaged,
    )  # fmt: skip


def _fields(cursor: Cursor, old: Flags) -> tuple[Integers, Triple, Triple, Integers, Integers]:
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


def _triple(cursor: Cursor) -> Triple:
    x = cursor.number()
    cursor.skip(b",")
    y = cursor.number()
    cursor.skip(b",")
    return x, y, cursor.number()


def _notes(data: bytes, starts: Integers, ends: Integers, row: Integers) -> list[tuple[int, bytes]]:
    """Return the notable lines among those that are no instruction lines."""
    other: Flags = np.ones(starts.size, np.bool_)
    other[row] = False
    rows = np.flatnonzero(other)
    cursor = Cursor(data, starts[rows])
    notable: Flags = np.zeros(rows.size, np.bool_)
    for prefix in _NOTABLE:
        notable |= cursor.sees(prefix)
    return [(int(n), data[starts[n] : ends[n]]) for n in rows[notable]]
