"""Summaries of blocks for users: mix, chains, serialising instructions, bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from udfs.throughput import features, zen3
from udfs.throughput.bounds import unit_bound, width_bound
from udfs.throughput.course import Course
from udfs.throughput.decode import Decoder
from udfs.throughput.instructions import Instruction

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
    each = np.array([_row(i) for i in decoder.shapes], np.float64)
    demand = np.array([_least_demand(i) for i in decoder.shapes])
    units = unit_bound(features.sum_by_block(blocks, decoder, demand))
    guessed = np.array(
        [[0 if zen3.known(i.name) else i.macro - 1] for i in decoder.shapes], np.float64
    )
    unknown = features.sum_by_block(blocks, decoder, guessed)[:, 0]
    width = width_bound(course.macro - course.sync - unknown)
    limits = np.stack([width, course.cycles[:, 3], units], axis=1)
    counts = features.sum_by_block(blocks, decoder, each).astype(np.int64)
    one = np.array([[_alone(i)] for i in decoder.shapes])
    serial = features.sum_by_block(blocks, decoder, one)[:, 0]
    return Summaries(counts, course.paths, limits, serial)


def _alone(i: Instruction) -> float:
    """Return the most cycles that an instruction takes where nothing overlaps with it."""
    load = zen3.VECTOR_LOAD_LATENCY if i.vector else zen3.LOAD_LATENCY
    memory = max(load, zen3.FAILED_FORWARD if i.stores else 0) * bool(i.loads or i.stores)
    return max(1, i.latency, i.busy, i.macro / zen3.DISPATCH) + memory


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
        i.name in zen3.SERIALISING or i.locked,
    )


def _least_demand(i: Instruction) -> Floats:
    """Return the least cycles of each unit of zen3.UNITS that an instruction was measured to need.

    Below the costs of `zen3`, which are those of models: a moving stack pointer and the extension
    of a loaded sign cost nothing.
    """
    out = np.zeros(len(zen3.NAMES))
    place = zen3.NAMES.index
    if not (i.loads and i.name in ("MOVSX", "MOVSXD")):
        out[place(i.unit)] = i.uops * i.busy * zen3.least_share(i.name, i.unit, locked=i.locked)
    out[place("vload" if i.vector else "load")] += zen3.LEAST_ACCESS * len(i.loads)
    out[place("store")] += zen3.LEAST_ACCESS * len(i.stores)
    out[place("vstore")] += i.vector * len(i.stores)
    return out
