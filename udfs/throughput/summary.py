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
    cycles of one pass: width, loop-carried chain, units.
    """

    counts: Integers
    paths: Integers
    bounds: Floats


def of_blocks(
    blocks: Sequence[Sequence[int]],
    decoder: Decoder,
    course: Course,
    matrix: NDArray[np.float32],
) -> Summaries:
    """Summarise decoded blocks.

    Args:
        blocks: from `decoder`.
        decoder: the decoder of the blocks.
        course: their simulation, with chains.
        matrix: their features.
    """
    each = np.array([_row(i) for i in decoder.shapes], np.float64)
    units = unit_bound(features.unit_demand(matrix))
    limits = np.stack([width_bound(course.macro), course.cycles[:, 1], units], axis=1)
    counts = features.sum_by_block(blocks, decoder, each).astype(np.int64)
    return Summaries(counts, course.paths, limits)


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
