"""One kernel launch of a GPGPU-Sim log, summed up while its lines go by.

A visit of a block is counted when it is over: when the thread enters its next block, or the launch
ends. So sums never contain part of a visit, and where a jump into the middle of a known block shows
that it is two, the sums of the whole are the sums of both parts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ingest.parsing.blocks.dependences import Dependences
from ingest.parsing.blocks.tally import Tally, stable_order, starts_of_runs
from ingest.readers.blocks.gpgpusim.fields import Fields
from ingest.readers.blocks.gpgpusim.program import Fault, Program
from ingest.readers.blocks.gpgpusim.text import Push
from ingest.readers.blocks.gpgpusim.threads import Spool, Threads, put_aside
from udfs.arrays import Integers
from warehouse.errors import InputError


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of a launch.

    `visits` counts visits by leader, `edges` by `leader << 32 | next leader`, `dependences` by
    `instruction << 32 | distance` (0: none; None where calls make registers ambiguous). `chains`
    are the instructions of the blocks, as blocks were when the launch ended.
    """

    push: Push
    instructions: int
    warp_instructions: int
    visits: dict[int, int]
    edges: tuple[Integers, Integers]
    dependences: tuple[Integers, Integers] | None
    chains: dict[int, Integers]


class Launch:
    """A launch in progress, the `number`th of the log.

    `instructions` are its lines so far, `threads` those of its threads that are over.
    `in_order` is whether thread blocks run one after another, as in functional simulation.
    """

    def __init__(
        self, number: int, push: Push, warp_size: int, program: Program, spool: Spool
    ) -> None:
        x, y, z = push.block_dim
        self.push = push
        self.in_order = False
        self.instructions = 0
        self.threads = 0
        self._warp_instructions = 0
        self._number = number
        self._warps = -(-x * y * z // warp_size)
        self._warp_size = warp_size
        self._program = program
        self._spool = spool
        self._threads = Threads(program, x * y * z)
        self._edges = Tally()
        self._visits: Integers = np.zeros(0, np.int64)
        self._dependences: Dependences | None = Dependences(program)
        self._last_warp = (-1, -1, -1)

    def advance(self, lines: Fields, ids: Integers, part: slice, fault: Fault) -> None:
        """Take the instruction lines of a part of a piece of the log."""
        block, thread = self._indices(lines, part, fault)
        found = ids[part]
        self._count_warps(block, thread, found)
        if self._program.calls[found].any():
            self._dependences = None
        self._check_listing(found, lines.icount[part], part.start, fault)
        slot = self._threads.locate(block, thread)
        order = stable_order(slot - slot.min())
        slot, found, row = slot[order], found[order], order + part.start
        icount = lines.icount[row]
        heads = starts_of_runs(slot)
        self._threads.check(slot, heads, lines.uid[row], icount, row, fault)
        previous = np.empty_like(found)
        previous[1:] = found[:-1]
        previous[heads] = self._threads.last[slot[heads]]
        stray = (self._program.follower[previous] != found) & ~self._program.leader[found]
        if stray.any():
            self._meet_leaders(previous[stray], found[stray], row[stray], fault)
        enters = np.flatnonzero(self._program.leader[found])
        self._enter(slot[enters], found[enters], icount[enters])
        tails = np.append(heads[1:], slot.size) - 1
        self._threads.move(slot[tails], found[tails], icount[tails])
        self._leave(self._threads.over(in_order=self.in_order, calls=self._dependences is None))

    def finish(self, where: str) -> Summary:
        """End the launch. Raises `InputError` where threads stopped in the middle of a block."""
        self._leave(self._threads.all())
        if self._dependences is not None:
            self._dependences.settle()
        self._count_visits(np.zeros(0, np.int64))
        visits = {
            found: int(self._visits[found]) for found in np.flatnonzero(self._visits).tolist()
        }
        chains = {found: self._program.chain(found) for found in visits}
        if sum(visits[found] * chains[found].size for found in visits) != self.instructions:
            raise InputError(
                f"threads of '{self.push.kernel}' stop in the middle of a block",
                where=where,
                expected="blocks that are executed to their end",
                hint="Is the block listing that of another program?",
            )
        return Summary(
            self.push,
            self.instructions,
            self._warp_instructions,
            visits,
            self._edges.total(),
            None if self._dependences is None else self._dependences.counts.total(),
            chains,
        )

    def _leave(self, slot: Integers) -> None:
        """Let threads end, with their last visits, and forget them."""
        if not slot.size:
            return
        after = self._program.follower[self._threads.last[slot]]
        inside = (after >= 0) & ~self._program.leader[after] & ~self._program.listed[after]
        if inside.any():
            self._split(np.unique(after[inside]).tolist())
        running = slot[self._threads.leader[slot] >= 0]
        self._book(running, self._threads.leader[running], self._threads.entry[running])
        self.threads += int(np.count_nonzero(self._threads.last[slot] >= 0))
        gone, kept = self._threads.leave(self._number, slot)
        put_aside(self._spool, gone)
        if self._dependences is not None:
            self._dependences.keep(kept)

    def _indices(self, lines: Fields, part: slice, fault: Fault) -> tuple[Integers, Integers]:
        """Return linear block and thread of each line; checks that they are inside the launch."""
        linear = []
        for what, of, indices, size in (
            ("thread block", "grid", lines.block, self.push.grid),
            ("thread", "block", lines.thread, self.push.block_dim),
        ):
            x, y, z = (index[part] for index in indices)
            outside = (x >= size[0]) | (y >= size[1]) | (z >= size[2])
            if outside.any():
                row = int(np.flatnonzero(outside)[0])
                raise fault(
                    part.start + row,
                    f"{what} ({x[row]},{y[row]},{z[row]}) is outside the {of} of "
                    f"{size[0]} x {size[1]} x {size[2]} in the launch of '{self.push.kernel}'",
                )
            linear.append(x + size[0] * (y + size[1] * z))
        return linear[0], linear[1]

    def _check_listing(self, found: Integers, icount: Integers, start: int, fault: Fault) -> None:
        """Check that a listed kernel begins as listed and leaves its listing by calls only."""
        entry = self._program.entries.get(self.push.kernel)
        if entry is None:
            return
        wrong = (icount == 1) & (found != entry)
        if self._dependences is not None:
            wrong |= ~self._program.listed[found]
        if wrong.any():
            k = int(np.flatnonzero(wrong)[0])
            raise fault(
                start + k,
                f"pc={self._program.pcs[found[k]]} is not in the block listing of "
                f"'{self.push.kernel}', or not where it begins",
            )

    def _count_warps(self, block: Integers, thread: Integers, found: Integers) -> None:
        """Count runs of lines of one warp at one instruction, lanes ascending."""
        warp = block * self._warps + thread // self._warp_size
        before = self._last_warp
        runs = 1 + np.count_nonzero(
            (warp[1:] != warp[:-1]) | (found[1:] != found[:-1]) | (thread[1:] <= thread[:-1])
        )
        goes_on = before[:2] == (warp[0], found[0]) and thread[0] > before[2]
        self.instructions += found.size
        self._warp_instructions += int(runs) - bool(goes_on)
        self._last_warp = (int(warp[-1]), int(found[-1]), int(thread[-1]))

    def _meet_leaders(
        self, previous: Integers, found: Integers, row: Integers, fault: Fault
    ) -> None:
        """Make instructions that were jumped to leaders, unless a listing contradicts."""
        program = self._program
        astray = program.listed[found] & ~program.returns[previous]
        if astray.any():
            k = int(np.flatnonzero(astray)[0])
            raise fault(
                int(row[k]),
                f"the listing has pc={program.pcs[found[k]]} in the middle of a block, "
                "but it is jumped to",
            )
        new = np.unique(found[~program.listed[found]])
        if new.size:
            self._split(new.tolist())

    def _split(self, leaders: list[int]) -> None:
        program = self._program
        if self._dependences is not None:
            self._dependences.settle()
        self._count_visits(np.zeros(0, np.int64))
        for leader in sorted(leaders, key=program.pcs.__getitem__):
            owner = program.owner(leader)
            program.lead([leader])
            if owner >= 0 and owner != leader:
                self._split_one(owner, leader)

    def _split_one(self, owner: int, leader: int) -> None:
        """Let a block end before `leader`: what was counted for it is valid for both parts."""
        self._visits[leader] = self._visits[owner]
        keys, counts = self._edges.total()
        moved = keys >> 32 == owner
        self._edges = Tally()
        self._edges.add(np.where(moved, keys & 0xFFFFFFFF | leader << 32, keys), counts)
        self._edges.add([owner << 32 | leader], [self._visits[owner]])
        self._threads.split(owner, leader)
        slot, entry = self._threads.passing(owner, leader)
        if slot.size:
            self._book(slot, np.full(slot.size, owner), entry)
            self._edges.add(np.full(slot.size, owner << 32 | leader))

    def _enter(self, slot: Integers, leader: Integers, entry: Integers) -> None:
        """Let threads enter blocks (sorted by slot and time), which ends their visits before."""
        if not slot.size:
            return
        heads = starts_of_runs(slot)
        left, left_entry = np.empty_like(leader), np.empty_like(entry)
        left[1:], left_entry[1:] = leader[:-1], entry[:-1]
        left[heads] = self._threads.leader[slot[heads]]
        left_entry[heads] = self._threads.entry[slot[heads]]
        over = left >= 0
        self._edges.add(left[over] << 32 | leader[over])
        self._book(slot[over], left[over], left_entry[over])
        tails = np.append(heads[1:], slot.size) - 1
        self._threads.visit(slot[tails], leader[tails], entry[tails])

    def _book(self, slot: Integers, leader: Integers, entry: Integers) -> None:
        """Count visits that are over, sorted by slot and time."""
        if not slot.size:
            return
        self._count_visits(leader)
        self._threads.count(slot, leader)
        if self._dependences is not None:
            self._dependences.book(slot, leader, entry)

    def _count_visits(self, leader: Integers) -> None:
        visits = np.bincount(leader, minlength=len(self._program))
        visits[: self._visits.size] += self._visits
        self._visits = visits
