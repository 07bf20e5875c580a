"""An idealised out-of-order core, run for many blocks at once.

Every step takes the next instruction of every block of a batch: it is dispatched (limited by the
macro-operations a cycle and the capacity of the schedulers), waits for its operands, and takes the
first free cycle of a suitable unit. Units are bit patterns of the next 64 cycles. There are no
cache misses and no mispredicted branches.
"""

from __future__ import annotations

import numpy as np

from udfs.arrays import Floats, Integers
from udfs.throughput.batch import SLOTS, Batch
from udfs.throughput.instructions import REGISTERS
from udfs.throughput.positions import CANDIDATES, Position, candidates, demand

_ONE = np.uint64(1)
# Dispatch stalls where an operation would start more cycles ahead than this.
_REACH = 48


def steady(batch: Batch, passes: int) -> Floats:
    """Return the cycles of a pass in the steady state (blocks), from the second half of passes."""
    core = _Core(batch)
    warm = passes // 2
    for _ in range(warm):
        core.run_pass()
    before = core.done.copy()
    for _ in range(warm, passes):
        core.run_pass()
    return np.asarray((core.done - before) / (passes - warm), np.float64)


class _Core:
    """State of the core for each block of a batch; times are cycles from the start."""

    def __init__(self, batch: Batch) -> None:
        n, width = batch.macro.shape
        wide = REGISTERS + SLOTS
        self.width, self.ports = batch.core.width, batch.core.port_count
        ports = candidates(batch.core)
        self.rolled = [np.roll(ports, k, axis=1) for k in range(CANDIDATES)]
        self.timed, self.step, self.passes = batch.timed, 0, 0
        self.demand = demand(batch)
        self.ready = np.zeros(n * wide, np.int64)
        self.taken = np.zeros((batch.timed, self.ports), np.uint64)
        self.passed = np.zeros(n, np.int64)
        self.base = np.zeros(n, np.int64)
        self.stall = np.zeros(n, np.int64)
        self.done = np.zeros(n, np.int64)
        self.positions = [Position(batch, j, wide) for j in range(width)]

    def run_pass(self) -> None:
        """Simulate one pass of every block."""
        for step, position in enumerate(self.positions, self.passes):
            self.step = step
            self._instruction(position)
        self.passes += 1

    def _instruction(self, p: Position) -> None:
        self._dispatch(p.macro)
        data = np.maximum(self.ready.take(p.sources).max(axis=0), self.base)
        if len(p.load):
            data[p.load] = np.maximum(data[p.load], self._load(p))
        if len(p.compute):
            data[p.compute] = self._compute(p, data[p.compute])
        result = data + p.latency
        if len(p.store):
            self._store(p, result)
        if len(p.kept):
            self.ready[p.kept_slot] = result[p.kept]
        for target in p.targets:
            self.ready[target] = result
        np.maximum(self.done, result, out=self.done)

    def _dispatch(self, macro: Integers) -> None:
        np.maximum(self.passed, self.stall * self.width, out=self.passed)
        self.passed += macro
        base = self.passed // self.width
        passed = np.minimum((base - self.base)[: self.timed], 63).astype(np.uint64)
        self.taken >>= passed[:, None]
        self.base = base

    def _load(self, p: Position) -> Integers:
        start = np.maximum(self.ready.take(p.load_address).max(axis=0), self.base[p.load])
        rows, timed = p.timed_load, len(p.timed_load)
        start[:timed] = self._schedule(rows, p.load_unit, start[:timed], None)
        for more in p.more_loads:
            start[more] = self._schedule(rows[more], p.load_unit[more], start[more], None)
        value = start + p.load_latency
        if len(p.fed):
            slot = self.ready.take(p.fed_slot) + p.fed_latency
            value[p.fed] = np.where(p.renamed, slot, np.maximum(value[p.fed], slot))
            rows = p.load[p.fed[p.failed]]
            self.stall[rows] = np.maximum(self.stall[rows], slot[p.failed])
        return np.asarray(value, np.int64)

    def _compute(self, p: Position, ready: Integers) -> Integers:
        start = self._schedule(p.compute, p.unit, ready, p.busy)
        for more in p.more:
            rows = p.compute[more]
            again = self._schedule(rows, p.unit[more], ready[more], p.busy[more])
            start[more] = np.maximum(start[more], again)
        if len(p.drain):
            rows = p.compute[p.drain]
            until = start[p.drain] + p.busy[p.drain].astype(np.int64)
            self.stall[rows] = np.maximum(self.stall[rows], until)
        return start

    def _store(self, p: Position, result: Integers) -> None:
        start = np.maximum(self.ready.take(p.store_address).max(axis=0), self.base[p.store])
        start = self._schedule(p.store, p.store_unit, start, None)
        self.done[p.store] = np.maximum(self.done[p.store], start)
        if len(p.vector_store):
            rows = p.vector_store
            start = self._schedule(rows, p.vector_unit, result[rows], None)
            self.done[rows] = np.maximum(self.done[rows], start)

    def _schedule(
        self, rows: Integers, unit: Integers, ready: Integers, busy: Integers | None
    ) -> Integers:
        """Reserve and return the first free cycle of a unit for some blocks (rows)."""
        ports = self.rolled[self.step % CANDIDATES].take(unit, axis=0)
        ports += (rows * self.ports)[:, None]
        taken = self.taken.ravel()
        bits = taken.take(ports)
        base = self.base.take(rows)
        wait = np.minimum(ready - base, _REACH)
        full = np.bitwise_and.reduce(bits, axis=1) >> wait.astype(np.uint64)
        free = ~full
        first = free & (np.uint64(0) - free)
        slot = wait + np.log2(np.maximum(first, _ONE).astype(np.float64)).astype(np.int64)
        slot = np.minimum(slot, 63)
        place = slot.astype(np.uint64)
        # Of the ports free in that cycle, the one least needed by operations restricted to it.
        unfit = ((bits >> place[:, None]) & _ONE).astype(np.float32) * np.float32(1e6)
        port = np.argmin(unfit + self.demand.take(ports), axis=1)
        chosen = ports.ravel().take(np.arange(len(rows)) * CANDIDATES + port)
        length = _ONE if busy is None else (_ONE << busy) - _ONE
        taken[chosen] |= length << place
        start = np.maximum(base + slot, ready)
        stall = self.stall.take(rows)
        self.stall[rows] = np.maximum(stall, start - _REACH)
        return np.asarray(start)
