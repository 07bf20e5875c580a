"""Summaries of blocks for users: mix, chains, serialising instructions, bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from udfs.arrays import Floats, Integers
from udfs.throughput import features
from udfs.throughput.course import Course, faults
from udfs.throughput.decode import Decoder
from udfs.throughput.instructions import Instruction
from udfs.throughput.program import load_row
from udfs.throughput.x86_core import NAMES, SERIALISING, Core

# Names of the bounds, and of what a block does not exceed, in summaries of blocks.
BOUNDS = ("width_cycles", "critical_path_cycles", "unit_cycles")
ENDS = ("aliased_cycles", "serial_cycles")


@dataclass(frozen=True, slots=True)
class Summaries:
    """Summaries of n blocks.

    `counts` (n x 9): instructions, integer, floating point, SIMD, loads, stores, branches, other,
    serialising. `paths` (n x 40): windows by the length of their longest chain. `bounds` (n x 3),
    cycles of one pass: width, loop-carried chain, units. `serial` (n): one instruction after
    another.
    """

    counts: Integers
    paths: Integers
    bounds: Floats
    serial: Floats


def of_blocks(
    blocks: Sequence[Sequence[int]],
    decoder: Decoder,
    course: Course,
) -> Summaries:
    """Summarise decoded blocks.

    Args:
        blocks: from `decoder`.
        decoder: the decoder of the blocks.
        course: their simulation, with chains.
    """
    core = decoder.core
    each = np.array([_row(i) for i in decoder.shapes], np.float64)
    demand = np.array([_least_demand(i, core) for i in decoder.shapes])
    units = core.unit_bound(features.sum_by_block(blocks, decoder, demand))
    macro = np.array([[least_macro(i)] for i in decoder.shapes], np.float64)
    width = core.width_bound(features.sum_by_block(blocks, decoder, macro)[:, 0])
    limits = np.stack([width, course.cycles[:, 3], units], axis=1)
    counts = features.sum_by_block(blocks, decoder, each).astype(np.int64)
    one = np.array([[_alone(i, core)] for i in decoder.shapes])
    serial = features.sum_by_block(blocks, decoder, one)[:, 0]
    serial += core.stack_fault * faults(blocks, decoder)
    return Summaries(counts, course.paths, limits, serial)


def least_macro(i: Instruction) -> int:
    """Return the macro-operations that an instruction was measured to take at least."""
    return min(i.macro, 1 + i.least_extra)


def _alone(i: Instruction, core: Core) -> float:
    """Return the most cycles that an instruction takes where nothing overlaps with it."""
    load, forward = core.cost(load_row(i)).latency, core.cost("forward failed").latency
    memory = max(load, forward) if i.stores else load * bool(i.loads)
    return float(max(1, i.latency, i.busy, i.macro / core.width) + memory)


def _row(i: Instruction) -> tuple[float, ...]:
    return (
        1,
        i.kind == "int",
        i.kind == "fp",
        i.kind == "simd",
        bool(i.loads),
        bool(i.stores),
        i.kind == "branch",
        i.kind == "other",
        i.name in SERIALISING or i.locked,
    )


def _least_demand(i: Instruction, core: Core) -> Floats:
    """Return the least cycles of each unit of NAMES that an instruction was measured to need."""
    out = np.zeros(len(NAMES))
    for _, unit, cycles in least_parts(i, core):
        out[NAMES.index(unit)] += cycles
    return out


def least_parts(i: Instruction, core: Core) -> Iterator[tuple[str, str, float]]:
    """Yield the row of the table, the unit and the least cycles there for what an instruction does.

    Below the costs of the table, which are those of models: a moving stack pointer and the
    extension of a loaded sign cost nothing.
    """
    if not (i.loads and i.name in ("MOVSX", "MOVSXD")):
        yield i.form_name, i.unit, i.uops * i.busy * i.least_share
    if i.loads:
        share = core.cost(load_row(i)).least_share
        yield load_row(i), "vload" if i.vector else "load", share * len(i.loads)
    if i.stores:
        yield "store", "store", core.cost("store").least_share * len(i.stores)
        if i.vector:
            yield "vector store", "vstore", core.cost("vector store").least_share * len(i.stores)
