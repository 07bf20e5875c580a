"""The threads of one launch that are still running: where each is, and what it visited so far.

A thread has a slot, its position in all arrays here. The slots of a thread block lie together.
Threads that are over leave for a spool, so that memory follows the threads that run at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.parsing.blocks import spool as blocks
from ingest.parsing.blocks.tally import columns, starts_of_runs
from ingest.readers.blocks.gpgpusim.program import Fault, Program
from udfs.arrays import Integers

_MANY_SLOTS = 1 << 14
_LONGEST = 1 << 31


@dataclass(frozen=True, slots=True)
class Visits:
    """Visits of blocks by threads that are over: arrays of equal length.

    `chains` are the instructions of the blocks, as blocks were when this was counted.
    """

    launch: int
    block: Integers
    thread: Integers
    leader: Integers
    visits: Integers
    chains: dict[int, Integers]


Spool = blocks.Spool[tuple[int, dict[int, Integers]]]


def put_aside(spool: Spool, batch: Visits) -> None:
    """Put a batch of visits aside until the blocks are final."""
    columns = (batch.block, batch.thread, batch.leader, batch.visits)
    spool.put((batch.launch, batch.chains), columns)


def recall(spool: Spool) -> Iterator[Visits]:
    """Yield all batches in the order in which they were put aside."""
    for (launch, chains), (block, thread, leader, visits) in spool.batches():
        yield Visits(launch, block, thread, leader, visits, chains)


class Threads:
    """State of a launch's running threads.

    `last` is the id of the thread's latest instruction (-1: none yet), `leader` the block that it
    is in and `entry` its instruction count when it entered it.
    """

    def __init__(self, program: Program, block_size: int) -> None:
        self._program = program
        self._block_size = block_size
        self._bases: dict[int, int] = {}
        self._used = 0
        self._newest = -1
        self.block = self.thread = self._uid = self.last = np.zeros(0, np.int64)
        self._icount = self.leader = self.entry = np.zeros(0, np.int64)
        self._visits: NDArray[np.uint32] = np.zeros((0, 0), np.uint32)
        self._columns: dict[int, int] = {}

    def locate(self, block: Integers, thread: Integers) -> Integers:
        """Return the slots of threads by linear block and thread; new blocks get slots."""
        heads = starts_of_runs(block)
        bases = []
        for number in block[heads].tolist():
            if number not in self._bases:
                self._bases[number] = self._open(number)
            bases.append(self._bases[number])
        self._newest = int(block[-1])
        return np.repeat(bases, np.diff(np.append(heads, block.size))) + thread

    def _open(self, block: int) -> int:
        base, self._used = self._used, self._used + self._block_size
        if self._used > self.block.size:
            more = max(self._block_size, self.block.size)
            for name in ("block", "thread", "_uid", "last", "_icount", "leader", "entry"):
                setattr(self, name, np.pad(getattr(self, name), (0, more)))
            self._visits = np.pad(self._visits, ((0, more), (0, 0)))
        here = slice(base, self._used)
        self.block[here] = block
        self.thread[here] = np.arange(self._block_size)
        self._uid[here] = self.last[here] = self.leader[here] = -1
        self._icount[here] = self.entry[here] = 0
        self._visits[here] = 0
        return base

    def check(
        self,
        slot: Integers,
        heads: Integers,
        uid: Integers,
        icount: Integers,
        row: Integers,
        fault: Fault,
    ) -> None:
        """Check that every thread's lines go on without a gap, under one number."""
        before = np.empty_like(icount)
        before[1:] = icount[:-1]
        before[heads] = self._icount[slot[heads]]
        gap = (icount != before + 1) | (icount >= _LONGEST)
        if gap.any():
            k = int(np.flatnonzero(gap)[0])
            raise fault(
                int(row[k]),
                f"thread {uid[k]} is at icount={icount[k]}, after icount={before[k]}: "
                "lines are missing or damaged",
            )
        new = self._uid[slot[heads]] < 0
        self._uid[slot[heads][new]] = uid[heads][new]
        other = uid != self._uid[slot]
        if other.any():
            k = int(np.flatnonzero(other)[0])
            raise fault(
                int(row[k]), f"thread {uid[k]} is at the place of thread {self._uid[slot[k]]}"
            )

    def move(self, slot: Integers, last: Integers, icount: Integers) -> None:
        """Set the threads' latest instructions."""
        self.last[slot] = last
        self._icount[slot] = icount

    def visit(self, slot: Integers, leader: Integers, entry: Integers) -> None:
        """Set the blocks that the threads are in, and since when."""
        self.leader[slot] = leader
        self.entry[slot] = entry

    def count(self, slot: Integers, leader: Integers) -> None:
        """Count visits that are over."""
        present, place = columns(leader)
        column = np.array([self._column(found) for found in present.tolist()])[place]
        np.add.at(self._visits, (slot, column), 1)

    def _column(self, leader: int) -> int:
        column = self._columns.setdefault(leader, len(self._columns))
        if column >= self._visits.shape[1]:
            self._visits = np.pad(self._visits, ((0, 0), (0, max(8, column))))
        return column

    def split(self, owner: int, leader: int) -> None:
        """Let visits of a block count for its new second part as well."""
        if owner in self._columns:
            source, target = self._column(owner), self._column(leader)
            self._visits[:, target] = self._visits[:, source]

    def passing(self, owner: int, leader: int) -> tuple[Integers, Integers]:
        """Move the threads that are past `leader` in the block `owner` into the new block.

        Returns their slots and when they entered the old one.
        """
        pcs = self._program.pcs
        inside = self.leader[: self._used] == owner
        slot = np.flatnonzero(inside & (pcs[self.last[: self._used]] >= pcs[leader]))
        entry = self.entry[slot]
        self.visit(slot, np.full(slot.size, leader), entry + (pcs[leader] - pcs[owner]) // 8)
        return slot, entry

    def over(self, *, in_order: bool, calls: bool) -> Integers:
        """Return the slots of thread blocks that are over, once there are many slots in use.

        Where blocks run one after another all but the newest are; else those whose threads have
        all returned, unless they may have returned from a function.
        """
        if self._used < _MANY_SLOTS or (calls and not in_order):
            return np.zeros(0, np.int64)
        if in_order:
            return np.flatnonzero(self.block[: self._used] != self._newest)
        ended = self._program.ends_thread[self.last[: self._used]]
        whole = ended.reshape(-1, self._block_size).all(axis=1)
        return np.flatnonzero(np.repeat(whole, self._block_size))

    def all(self) -> Integers:
        """Return the slots of all threads that ran."""
        return np.flatnonzero(self.last[: self._used] >= 0)

    def leave(self, launch: int, slot: Integers) -> tuple[Visits, Integers]:
        """Take threads out; return what they visited, and the slots of those that stay."""
        row, column = np.nonzero(self._visits[slot])
        leaders = np.array(list(self._columns), np.int64)
        gone = Visits(
            launch,
            self.block[slot][row],
            self.thread[slot][row],
            leaders[column],
            self._visits[slot][row, column].astype(np.int64),
            {found: self._program.chain(found) for found in leaders.tolist()},
        )
        stays = np.ones(self._used, np.bool_)
        stays[slot] = False
        kept = np.flatnonzero(stays)
        for name in ("block", "thread", "_uid", "last", "_icount", "leader", "entry", "_visits"):
            setattr(self, name, getattr(self, name)[kept])
        self._used = kept.size
        self._bases = {int(self.block[k]): k for k in range(0, kept.size, self._block_size)}
        return gone, kept
