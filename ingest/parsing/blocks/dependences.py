"""Dependence distances of the threads of one launch, summed.

The dependence distance of an executed instruction is the number of instructions that the same
thread executed since the latest writer of any of its source registers, its guard included: the
smallest over the sources. Where no source was written before, there is none.

Within a block a distance is the same at every visit wherever a source is written earlier in the
block. Only the other instructions, here called exposed, depend on the way to the block: for these
the time of the last write of every exposed register is carried along each thread's visits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ingest.parsing.blocks.tally import Tally, columns, stable_order, starts_of_runs
from udfs.arrays import Integers

Times = NDArray[np.int32]

# Sets threads apart on one time axis: no thread executes as many instructions.
_SPAN = 1 << 32
_NEVER = -(1 << 62)
_CELLS = 1 << 21


class Operands(Protocol):
    """The registers of one instruction."""

    @property
    def reads(self) -> tuple[str, ...]:
        """Its sources."""
        ...

    @property
    def writes(self) -> tuple[str, ...]:
        """Its results."""
        ...


class Code(Protocol):
    """A program whose instructions have ids from 0; `version` changes whenever its blocks do."""

    version: int

    @property
    def instructions(self) -> Sequence[Operands]:
        """The instructions by id."""
        ...

    def __len__(self) -> int: ...

    def chain(self, leader: int) -> Integers:
        """Return the ids of a block's instructions in order; `leader` is the first."""
        ...


@dataclass(slots=True)
class _Block:
    """One block's part in dependences; times are offsets from the block's first instruction.

    `fixed` are (instruction, distance or 0 for none), `exposed` (instruction, offset, registers),
    `writes` (register, offset of its last write).
    """

    fixed: list[tuple[int, int]] = field(default_factory=list)
    exposed: list[tuple[int, int, list[int]]] = field(default_factory=list)
    writes: dict[int, int] = field(default_factory=dict)


class Dependences:
    """Counts of (instruction, distance); `counts` has keys `instruction << 32 | distance`.

    Distance 0 is none.
    """

    def __init__(self, program: Code) -> None:
        self.counts = Tally()
        self._program = program
        self._registers: dict[str, int] = {}
        self._written: Times = np.zeros((0, 0), np.int32)
        self._version = -1
        self._blocks: dict[int, _Block] = {}
        self._visited: Integers = np.zeros(0, np.int64)

    def settle(self) -> None:
        """Count the fixed distances of all visits so far; to be called before blocks are split."""
        for leader in np.flatnonzero(self._visited).tolist():
            fixed = self._block(leader).fixed
            keys = [found << 32 | distance for found, distance in fixed]
            self.counts.add(keys, np.full(len(keys), self._visited[leader]))
        self._visited[:] = 0

    def keep(self, slots: Integers) -> None:
        """Forget all threads but these, which are renumbered in this order."""
        self._written = self._written[slots[slots < len(self._written)]]

    def book(self, slot: Integers, leader: Integers, entry: Integers) -> None:
        """Count visits (thread's slot, block, time of entry), sorted by slot and time."""
        visited = np.bincount(leader, minlength=len(self._program))
        visited[: self._visited.size] += self._visited
        self._visited = visited
        blocks = {found: self._block(found) for found in columns(leader)[0].tolist()}
        self._make_room(int(slot.max(initial=-1)) + 1)
        exposed = sorted({r for b in blocks.values() for _, _, rs in b.exposed for r in rs})
        heads = starts_of_runs(slot)
        step = max(1, _CELLS // max(1, len(exposed)))
        cuts = heads[np.searchsorted(heads, np.arange(0, slot.size, step))[1:] - 1]
        for part in np.split(np.arange(slot.size), np.unique(cuts[cuts > 0])):
            self._book(slot[part], leader[part], entry[part], blocks, np.array(exposed, np.int64))

    def _book(
        self,
        slot: Integers,
        leader: Integers,
        entry: Integers,
        blocks: dict[int, _Block],
        exposed: Integers,
    ) -> None:
        present, column = columns(leader)
        visited = [blocks[found] for found in present.tolist()]
        heads = starts_of_runs(slot)
        thread = np.repeat(np.arange(heads.size), np.diff(np.append(heads, slot.size)))
        if exposed.size:
            latest = self._latest(slot, column, entry, heads, thread, visited, exposed)
            self._count_exposed(column, entry, visited, exposed, latest)
        # The last visit of each block by each thread contains that thread's last writes in it.
        last = np.full((heads.size, present.size), -1, np.int64)
        last[thread, column] = np.arange(slot.size)
        for k, block in enumerate(visited):
            visits = last[:, k][last[:, k] >= 0]
            cells = np.ix_(slot[visits], np.array(list(block.writes), np.int64))
            times = entry[visits][:, None] + np.array(list(block.writes.values()), np.int64)
            self._written[cells] = np.maximum(self._written[cells], times)

    def _latest(
        self, slot: Integers, column: Integers, entry: Integers, heads: Integers, thread: Integers,
        visited: list[_Block], exposed: Integers,
    ) -> Integers:  # fmt: skip
        """Return the time of the last write of each exposed register before each visit.

        It is 0 or less where there was none.
        """
        offsets = np.full((exposed.size, len(visited)), _NEVER, np.int64)
        rows = {register: k for k, register in enumerate(exposed.tolist())}
        for k, block in enumerate(visited):
            for register in block.writes.keys() & rows.keys():
                offsets[rows[register], k] = block.writes[register]
        latest = np.empty((exposed.size, slot.size), np.int64)
        latest[:, 1:] = offsets[:, column[:-1]]
        latest[:, 1:] += entry[:-1]
        latest[:, heads] = self._written[np.ix_(slot[heads], exposed)].T
        latest += thread * _SPAN
        np.maximum.accumulate(latest, axis=1, out=latest)
        latest -= thread * _SPAN
        return latest

    def _count_exposed(
        self,
        column: Integers,
        entry: Integers,
        visited: list[_Block],
        exposed: Integers,
        latest: Integers,
    ) -> None:
        order = stable_order(column)
        bounds = np.searchsorted(column[order], np.arange(len(visited) + 1))
        for k, block in enumerate(visited):
            visits = order[bounds[k] : bounds[k + 1]]
            for what, offset, registers in block.exposed:
                rows = np.searchsorted(exposed, registers)
                write = latest[rows[:, None], visits].max(axis=0)
                distance = np.where(write > 0, entry[visits] + offset - write, 0)
                self.counts.add(distance | what << 32)

    def _make_room(self, slots: int) -> None:
        rows, columns = self._written.shape
        if slots > rows or len(self._registers) > columns:
            more = (max(0, slots - rows), max(0, len(self._registers) - columns))
            self._written = np.pad(self._written, ((0, more[0]), (0, more[1])))

    def _block(self, leader: int) -> _Block:
        if self._version != self._program.version:
            self._blocks, self._version = {}, self._program.version
        if leader not in self._blocks:
            self._blocks[leader] = self._analyse(leader)
        return self._blocks[leader]

    def _analyse(self, leader: int) -> _Block:
        block = _Block()
        for offset, found in enumerate(self._program.chain(leader).tolist()):
            what = self._program.instructions[found]
            reads = [self._registers.setdefault(r, len(self._registers)) for r in what.reads]
            inside = [offset - block.writes[r] for r in reads if r in block.writes]
            if inside or not reads:
                block.fixed.append((found, min(inside, default=0)))
            else:
                block.exposed.append((found, offset, reads))
            for name in what.writes:
                block.writes[self._registers.setdefault(name, len(self._registers))] = offset
        return block
