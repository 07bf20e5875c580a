"""A .traceg file from begin to end: whether it is whole, and its lines put aside in short.

What is put aside of a warp are runs: instructions in a row, at PCs that follow each other, under
one mask. That is all that counting needs once all traces are read and blocks are final.

Where lanes come back that a divergent branch sent elsewhere.

A warp whose lanes part does the one side, then the other. Where the second side only falls into
the place at which the first side, or lanes without any, had been sent to, no PC of the warp shows
of a jump. The lanes do: the next line that names a lane after a branch that it took, and that
others did not, is where it jumped to.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ingest.parsing.blocks.spool import Spool
from ingest.readers.blocks.nvbit.code import Kernel
from ingest.readers.blocks.nvbit.fields import BEGIN, BLANK, BLOCK, CODE, COUNT, END, WARP, Fields
from ingest.readers.blocks.nvbit.header import Header
from udfs.arrays import Flags, Integers
from warehouse.errors import InputError

_START = -1
_AFTER = {
    _START: (BEGIN,),
    BEGIN: (BLOCK,),
    BLOCK: (WARP,),
    WARP: (COUNT,),
    COUNT: (CODE, WARP, END),
    CODE: (CODE, WARP, END),
    END: (BEGIN,),
}
_ALLOWED = np.zeros((9, 9), np.bool_)
for _kind, _next in _AFTER.items():
    _ALLOWED[_kind, list(_next)] = True
_CUT = "Is the file cut off or damaged here? Copy or record it again."
Kinds = NDArray[np.int8]
Masks = NDArray[np.uint32]
_LANES = 32


class Trace:
    """Takes a trace piece by piece, each under `launch` into the spool; `finish` checks its end.

    What is put aside of a piece: first slot, length and mask of every run, and of every warp that
    begins in it the number of runs before it, its thread block and its number.
    """

    def __init__(
        self, header: Header, kernel: Kernel, spool: Spool[int], launch: int, part: str, rows: int
    ) -> None:
        self._header = header
        self._kernel = kernel
        self._spool = spool
        self._launch = launch
        self._part = part
        self._rows = rows
        self._kind = _START
        self._block = -1
        self._warp = -1
        self._slot = -1
        self._joins = Joins()
        self._counted = (0, 0, 0)
        self._blocks = [np.zeros(0, np.int64)]

    def take(self, lines: Fields) -> None:
        """Take the next piece; raises `InputError` with the first line that is wrong."""
        if lines.damaged is not None:
            raise self._fault(lines.damaged, "the line is damaged")
        rows = np.flatnonzero(lines.kind != BLANK)
        kind = lines.kind[rows]
        self._check_order(rows, kind)
        block, warp, starts = self._warps(lines, rows, kind)
        self._check_counts(lines, rows[kind == COUNT])
        self._check_lanes(lines, warp, starts)
        slot = self._kernel.slots(lines)
        if (wrong := self._kernel.learn(lines, slot)) is not None:
            raise self._fault(int(lines.row[wrong[0]]), wrong[1])
        self._put_aside(lines, slot, starts, block[1:], warp[1:])
        self._rows += lines.kind.size

    def finish(self) -> None:
        """End the trace; raises `InputError` where something is missing."""
        where = f"{self._part}, line {self._rows}"
        if self._kind != END:
            raise InputError(
                "the trace ends inside a thread block" if self._kind != _START else "it is empty",
                where=where,
                expected="#END_TB after the last warp",
                hint=_CUT,
            )
        self._kernel.leads[self._slot + 1] = True
        blocks = np.concatenate(self._blocks)
        expected = math.prod(self._header.grid)
        if np.unique(blocks).size != blocks.size or blocks.size != expected:
            raise InputError(
                f"{np.unique(blocks).size} of the {expected} thread blocks of "
                f"'{self._header.kernel}' are there"
                + (", some of them twice" if np.unique(blocks).size != blocks.size else ""),
                where=where,
                expected="every thread block of the launch, once",
                hint=_CUT,
            )

    def _fault(self, row: int, problem: str) -> InputError:
        return InputError(
            problem,
            where=f"{self._part}, line {self._rows + row + 1}",
            expected="#BEGIN_TB, thread block = 0,0,0, warp = 0, insts = 23, then 23 lines such as "
            "0008 ffffffff 1 R1 MOV 0 0",
            hint=_CUT,
        )

    def _check_order(self, rows: Integers, kind: Kinds) -> None:
        """Check that every line may follow the one before it."""
        before = np.concatenate(([self._kind], kind[:-1])) if kind.size else kind
        wrong = ~_ALLOWED[before, kind]
        if wrong.any():
            raise self._fault(int(rows[wrong][0]), "the line is not in its place")
        if kind.size:
            self._kind = int(kind[-1])

    def _warps(
        self, lines: Fields, rows: Integers, kind: Kinds
    ) -> tuple[Integers, Integers, Integers]:
        """Return thread block and number of the warps, and how many instruction lines precede them.

        The first two begin with the warp that goes on from the piece before.
        """
        grid = self._header.grid
        x, y, z = lines.block
        blocks = x + grid[0] * (y + grid[1] * z)
        outside = (x >= grid[0]) | (y >= grid[1]) | (z >= grid[2])
        at = np.flatnonzero(kind == BLOCK)
        if outside.any():
            k = int(np.flatnonzero(outside)[0])
            raise self._fault(
                int(rows[at[k]]),
                f"thread block {x[k]},{y[k]},{z[k]} is outside the grid of "
                f"{grid[0]} x {grid[1]} x {grid[2]}",
            )
        self._blocks.append(blocks)
        warps = np.flatnonzero(kind == WARP)
        number = lines.number[kind[(kind == WARP) | (kind == COUNT)] == WARP]
        self._check_warps(rows, kind, at, warps, number)
        block = np.append(self._block, blocks)[np.searchsorted(at, warps)]
        block, warp = np.append(self._block, block), np.append(self._warp, number)
        self._block = int(blocks[-1]) if blocks.size else self._block
        if at.size and not (warps.size and warps[-1] > at[-1]):
            self._warp = -1
        elif number.size:
            self._warp = int(number[-1])
        return block, warp, np.searchsorted(lines.row, rows[warps])

    def _check_warps(
        self, rows: Integers, kind: Kinds, at: Integers, warps: Integers, number: Integers
    ) -> None:
        """Check that every thread block has all its warps, in order."""
        first = np.append(-1 - self._warp, np.searchsorted(warps, at))
        expected = np.arange(warps.size) - first[np.searchsorted(at, warps)]
        if (number != expected).any():
            k = int(np.flatnonzero(number != expected)[0])
            raise self._fault(
                int(rows[warps[k]]), f"warp {number[k]} is where {expected[k]} is due"
            )
        ends = np.flatnonzero(kind == END)
        last = np.append(self._warp, number)[np.searchsorted(warps, ends)]
        if (last != self._header.warps - 1).any():
            k = int(np.flatnonzero(last != self._header.warps - 1)[0])
            raise self._fault(
                int(rows[ends[k]]),
                f"the thread block has {last[k] + 1} of its {self._header.warps} warps",
            )

    def _check_counts(self, lines: Fields, rows: Integers) -> None:
        """Check that every warp has as many instruction lines as announced."""
        announced, had, line = self._counted
        kinds = lines.kind[(lines.kind == WARP) | (lines.kind == COUNT)]
        expected = np.append(announced, lines.number[kinds == COUNT])
        cuts = np.concatenate(([0], np.searchsorted(lines.row, rows), [lines.row.size]))
        got = np.diff(cuts)
        got[0] += had
        place = np.append(line, rows + self._rows + 1)
        over = got != expected
        # The last one may go on in the next piece.
        over[-1] &= got[-1] > expected[-1] or self._kind not in (COUNT, CODE)
        if over.any():
            k = int(np.flatnonzero(over)[0])
            raise self._fault(
                int(place[k]) - 1 - self._rows,
                f"the warp has {got[k]} instructions instead of {expected[k]}",
            )
        self._counted = (int(expected[-1]), int(got[-1]), int(place[-1]))

    def _check_lanes(self, lines: Fields, warp: Integers, starts: Integers) -> None:
        """Check that lanes beyond the end of the thread block do nothing."""
        lanes = self._header.threads % 32
        if not lanes:
            return
        last = np.repeat(
            warp == self._header.warps - 1, np.diff(np.concatenate(([0], starts, [lines.row.size])))
        )
        beyond: Flags = last & (lines.mask >> np.uint32(lanes) != 0)
        if beyond.any():
            raise self._fault(
                int(lines.row[beyond][0]),
                f"lanes from {lanes} on are active, but the thread block ends before them",
            )

    def _put_aside(
        self, lines: Fields, slot: Integers, starts: Integers, block: Integers, warp: Integers
    ) -> None:
        """Cut the lines into runs; note where control does not go on to the next PC."""
        if slot.size:
            begins = np.zeros(slot.size + 1, np.bool_)
            begins[starts] = True
            begins = begins[:-1]
            before = np.concatenate(([self._slot], slot[:-1]))
            jumps = slot != before + 1
            cuts = jumps | begins
            self._kernel.leads[slot[cuts]] = True
            self._kernel.leads[before[cuts] + 1] = True
            control = self._kernel.control(slot)
            self._kernel.leads[self._joins.find(slot, lines.mask, control, begins)] = True
            cuts[1:] |= lines.mask[1:] != lines.mask[:-1]
            cuts[0] = True
            at = np.flatnonzero(cuts)
            self._slot = int(slot[-1])
        else:
            at = np.zeros(0, np.int64)
        self._spool.put(
            self._launch,
            (
                slot[at].astype(np.uint32),
                np.diff(np.append(at, slot.size)).astype(np.uint32),
                lines.mask[at],
                np.searchsorted(at, starts).astype(np.uint32),
                block,
                warp.astype(np.int32),
            ),
        )


class Joins:
    """Follows lanes from piece to piece of a trace."""

    def __init__(self) -> None:
        self._away = 0
        self._last = (-1, 0)

    def find(self, slot: Integers, mask: Masks, control: Flags, begins: Flags) -> Integers:
        """Return the slots that lanes were sent to by branches that others did not take.

        All are over the lines of a piece: `control` flags instructions that may branch, `begins`
        the first line of each warp.
        """
        if not slot.size:
            return slot
        if not begins[0] and int(slot[0]) == self._last[0] + 1:
            self._away |= self._last[1]
        elif begins[0]:
            self._away = 0
        parts = np.zeros(slot.size, np.bool_)
        parts[:-1] = (slot[1:] == slot[:-1] + 1) & ~begins[1:]
        parts &= control & (mask != 0)
        found = slot[:0]
        warp: Integers = np.cumsum(begins)
        if self._away or parts.any():
            mine: Flags = np.isin(warp, warp[parts])
            mine = mine | (warp == warp[0]) & (self._away != 0)
            found = self._follow(
                slot[mine], mask[mine], parts[mine], warp[mine], int(warp[0]), int(warp[-1])
            )
        elif warp[-1] != warp[0]:
            self._away = 0
        self._last = (int(slot[-1]), int(mask[-1]) if control[-1] else 0)
        return found

    def _follow(
        self, slot: Integers, mask: Masks, parts: Flags, warp: Integers, first: int, last: int
    ) -> Integers:
        # A line before the others is for the lanes that are away already.
        mask = np.append(np.uint32(self._away), mask)
        parts, slot = np.append(True, parts), np.append(-1, slot)
        warp = np.append(first, warp)
        bits = np.unpackbits(mask.astype("<u4").view(np.uint8), bitorder="little")
        lane, line = np.nonzero(bits.reshape(-1, _LANES).T)
        goes_on = np.zeros(lane.size, np.bool_)
        goes_on[:-1] = (lane[1:] == lane[:-1]) & (warp[line[1:]] == warp[line[:-1]])
        away = parts[line] & ~goes_on & (warp[line] == last)
        self._away = int(np.bitwise_or.reduce(np.uint32(1) << lane[away].astype(np.uint32)))
        back = np.flatnonzero(parts[line] & goes_on) + 1
        return np.unique(slot[line[back]])
