"""Results of the simulated core for blocks: cycles, and counts of memory accesses."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from udfs.arrays import Flags, Floats, Integers
from udfs.throughput import program, simulate
from udfs.throughput.batch import SLOTS, Batch, least_chains, with_chains
from udfs.throughput.decode import Decoder
from udfs.throughput.instructions import REGISTERS
from udfs.throughput.memory import ACCESS_COUNTS
from udfs.throughput.x87 import stack_faults

WINDOW = 40  # instructions of a window of chains
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


# Instructions of a simulation, approximately; the least passes, fewer for long blocks.
_STEPS, _PASSES, _PASSES_LONG, _LONG = 120, 4, 3, 64
_WORKERS = 2  # threads


@dataclass(frozen=True, slots=True)
class Course:
    """Results for n blocks in the steady state.

    `cycles` (n x 4) of one pass: simulated, by the loop-carried chain, by that in registers alone,
    by the chain with the least latencies;
    `access` (n x ACCESS_COUNTS); `macro` (n) operations that pass the front end, `sync` (n) those
    of them that only update the stack pointer; `assumed` (n) whether a load reads what a store
    wrote only where their registers point to the same place; `paths` (n x 40) windows by their
    longest chain, 0 where not computed.
    """

    cycles: Floats
    access: Floats
    macro: Floats
    sync: Floats
    assumed: Flags
    paths: Integers


def run(
    blocks: Sequence[Sequence[int]],
    decoder: Decoder,
    *,
    paths: bool = False,
    distinct: bool = False,
) -> Course:
    """Simulate decoded blocks; with `paths`, also count chains in windows.

    Where registers are `distinct`, different ones point to different arrays.
    """
    n = len(blocks)
    course = Course(
        np.zeros((n, 4)),
        np.zeros((n, len(ACCESS_COUNTS))),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n, bool),
        np.zeros((n, WINDOW), np.int64),
    )
    if not blocks:
        return course
    lengths = np.array([len(b) for b in blocks])
    rows = program.table(decoder)

    def one(some: Integers, batch: Batch) -> None:
        course.cycles[some] = _cycles(batch)
        if paths:
            course.paths[some] = critical_paths(batch)

    with ThreadPoolExecutor(_WORKERS) as workers:
        pending = []
        for some, batch, access in program.batches(blocks, decoder, rows, distinct=distinct):
            course.access[some] = access
            course.macro[some] = batch.macro.sum(axis=1)
            course.sync[some] = batch.length - lengths[some]
            course.assumed[some] = ((batch.from_slot > 0) & (batch.certain == 0)).any(axis=1)
            pending.append(workers.submit(one, some, batch))
        for task in pending:
            task.result()
    course.cycles[:, 0] += decoder.core.stack_fault * faults(blocks, decoder)
    return course


def least_cycles(blocks: Sequence[Sequence[int]], decoder: Decoder) -> Floats:
    """Return the cycles of a pass (n) by the loop-carried chain with the least latencies."""
    out = np.zeros(len(blocks))
    for some, batch, _ in program.batches(blocks, decoder, program.table(decoder)):
        out[some] = simulate.steady(least_chains(batch), passes_of(batch))
    return out


def faults(blocks: Sequence[Sequence[int]], decoder: Decoder) -> Floats:
    """Return how many instructions of a pass (n) find the stack of x87 full or empty."""
    x87 = {k for k, i in enumerate(decoder.instructions) if i.pops is not None}
    out = np.zeros(len(blocks))
    for k, block in enumerate(blocks):
        if not x87.isdisjoint(block):
            out[k] = stack_faults([decoder.instructions[row] for row in block])
    return out


def _cycles(batch: Batch) -> Floats:
    return simulate.steady(with_chains(batch), passes_of(batch)).reshape(4, -1).T


def passes_of(batch: Batch) -> int:
    """Return how often the simulation runs the blocks of a batch."""
    step = int(np.searchsorted(program.COARSE, batch.macro.shape[1]))
    length = program.COARSE[min(step, len(program.COARSE) - 1)]
    return max(_PASSES_LONG if length > _LONG else _PASSES, -(-_STEPS // length))
