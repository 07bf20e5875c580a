"""Summaries of blocks for users: mix, chains, serialising instructions, bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from udfs.throughput import features
from udfs.throughput.course import Course, faults
from udfs.throughput.decode import Decoder
from udfs.throughput.instructions import Instruction
from udfs.throughput.x86_core import NAMES, SERIALISING, Core

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


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
    guessed = np.array(
        [[i.macro - 1 if _is_guessed(i, core) else 0] for i in decoder.shapes], np.float64
    )
    unknown = features.sum_by_block(blocks, decoder, guessed)[:, 0]
    width = core.width_bound(course.macro - course.sync - unknown)
    limits = np.stack([width, course.cycles[:, 3], units], axis=1)
    counts = features.sum_by_block(blocks, decoder, each).astype(np.int64)
    one = np.array([[_alone(i, core)] for i in decoder.shapes])
    serial = features.sum_by_block(blocks, decoder, one)[:, 0]
    serial += core.stack_fault * faults(blocks, decoder)
    return Summaries(counts, course.paths, limits, serial)


def _is_guessed(i: Instruction, core: Core) -> bool:
    """Return whether an instruction may need fewer macro-operations than the table has.

    A constant of 16 bits delays the decoders, which loops need not pass again.
    """
    return not core.known(i.name) or i.form_name.endswith(" i16")


def _alone(i: Instruction, core: Core) -> float:
    """Return the most cycles that an instruction takes where nothing overlaps with it."""
    load = (core.vector_load if i.vector else core.load).latency
    memory = max(load, core.failed_forward.latency if i.stores else 0) * bool(i.loads or i.stores)
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
    """Return the least cycles of each unit of NAMES that an instruction was measured to need.

    Below the costs of the table, which are those of models: a moving stack pointer and the
    extension of a loaded sign cost nothing.
    """
    out = np.zeros(len(NAMES))
    place = NAMES.index
    if not (i.loads and i.name in ("MOVSX", "MOVSXD")):
        out[place(i.unit)] = i.uops * i.busy * i.least_share
    load = core.vector_load if i.vector else core.load
    out[place("vload" if i.vector else "load")] += load.least_share * len(i.loads)
    out[place("store")] += core.store.least_share * len(i.stores)
    out[place("vstore")] += core.vector_store.least_share * i.vector * len(i.stores)
    return out
