"""Dependence chains: how long they are in windows of the unrolled block, by instructions."""

from __future__ import annotations

import numpy as np

from udfs.arrays import Integers
from udfs.throughput.batch import SLOTS, Batch
from udfs.throughput.instructions import REGISTERS

WINDOW = 40
# Windows that are counted.
_WINDOWS = 3


def critical_paths(batch: Batch) -> Integers:
    """Return the histogram of chain lengths 1..40 over windows of 40 instructions (blocks x 40).

    A block is unrolled to 120 instructions, three windows; chains start anew in each. Every
    instruction counts 1, including the front end's operations on the stack pointer.
    """
    n, width = batch.macro.shape
    wide = REGISTERS + SLOTS
    rows = np.arange(n) * wide
    depth = np.zeros(n * wide, np.int64)
    seen, longest = np.zeros(n, np.int64), np.zeros(n, np.int64)
    out = np.zeros((n, WINDOW), np.int64)
    positions = [_sources(batch, j, rows) for j in range(width)]
    for step in range(width * -(-_WINDOWS * WINDOW // max(1, int(batch.length.min())))):
        sources, targets = positions[step % width]
        real = batch.length > step % width
        chain = depth.take(sources).max(axis=0) + 1
        chain = np.where(real, chain, 0)
        for target in targets:
            depth[target] = chain
        longest = np.maximum(longest, chain)
        seen += real
        full = np.flatnonzero(real & (seen % WINDOW == 0) & (seen <= _WINDOWS * WINDOW))
        if len(full):
            out[full, np.minimum(longest[full], WINDOW) - 1] += 1
            longest[full] = 0
            depth.reshape(n, wide)[full] = 0
        if seen.min() >= _WINDOWS * WINDOW:
            break
    return out


def _sources(batch: Batch, j: int, rows: Integers) -> tuple[Integers, list[Integers]]:
    """Return flat indices that a position reads and writes; memory slots count as registers."""
    fed = REGISTERS - 1 + batch.from_slot[:, j]
    fed = np.where(batch.from_slot[:, j] > 0, fed, batch.address[:, j, 0])
    kept = batch.to_slot[:, j]
    read = np.concatenate([batch.sources[:, j], batch.address[:, j], fed[:, None]], axis=1)
    written = np.where(kept > 0, REGISTERS - 1 + kept, REGISTERS - 1)
    targets = [rows + batch.targets[:, j, k] for k in range(batch.targets.shape[2])]
    return (rows[:, None] + read).T.copy(), [*targets, rows + written]
