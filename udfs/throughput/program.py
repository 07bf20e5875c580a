"""Blocks of similar length stored as arrays, for the simulation and the counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from udfs.arrays import Floats, Integers
from udfs.throughput.batch import SLOTS, Batch
from udfs.throughput.decode import Decoder
from udfs.throughput.instructions import NOTHING, NOWHERE, RSP, SINK, Instruction
from udfs.throughput.memory import ACCESS_COUNTS, accesses
from udfs.throughput.x86_core import LONG, NAMES, Core

_UNIT = {name: i for i, name in enumerate(NAMES)}
# Blocks are batched by length: with little padding for many blocks, in few batches for few. Blocks
# between two of the coarse lengths take the same number of passes in any batch.
_FINE = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128, 192, 256, 512, 1024)
COARSE = (4, 8, 16, 32, 64, 192, 1024)  # lengths of batches of fewer blocks
_MANY, _BATCH, _MAX_CELLS = 8192, 2048, 1 << 17  # blocks, blocks and cells of a batch
_NOTHING = (1, 0, 0, 0, 0, 1, NOWHERE, NOWHERE, *[NOWHERE] * 4, *[SINK] * 4, 0, 0, 0, 0, 0, 0)


def with_stack(block: Sequence[int], instructions: Sequence[Instruction]) -> list[int]:
    """Insert the operations that update rsp after pushes and pops, as the core does.

    One before each instruction that uses rsp explicitly after a push or pop; -2 in the result.
    """
    code = [instructions[row] for row in block]
    pending = any(i.pushes for i in code)
    if not pending or not any(i.frames for i in code):
        return list(block)
    out: list[int] = []
    for _ in range(2):
        out = []
        for row, i in zip(block, code, strict=True):
            if i.frames and pending:
                out.append(-2)
                pending = False
            if i.pushes:
                pending = True
            out.append(row)
    return out


def table(decoder: Decoder) -> Integers:
    """Return a row of numbers for each instruction, and two more.

    The last but one updates the stack pointer, the last is padding without effect.
    """
    rows = [_row(i, decoder.core) for i in decoder.shapes]
    sync = (1, _UNIT["alu"], 1, 1, 1, 1, NOWHERE, NOWHERE, RSP, *[NOWHERE] * 3, RSP, *[SINK] * 3)
    rows.append((*sync, 0, 0, 0, 0, 0, 0))
    rows.append((0, *_NOTHING[1:]))
    shapes = np.array(rows, np.int64)
    n = len(decoder.shapes)
    return shapes[[*decoder.shape_of, n, n + 1]]


def _row(i: Instruction, core: Core) -> tuple[int, ...]:
    load = "vload" if i.vector else "load"
    store = "vstore" if i.vector else "store"
    cost = core.cost(load_row(i))
    is_indexed = any(place.scale > 1 for place in i.loads)
    return (
        i.macro,
        _UNIT[i.unit],
        i.uops if i.busy < LONG else min(i.uops, 1),
        i.latency,
        i.busy,
        i.least_latency,
        *_padded(i.address, 2, NOWHERE),
        *_padded(i.sources, 4, NOWHERE),
        *_padded(i.targets, 4, SINK),
        # With a moving stack pointer each access costs as much as two.
        len(i.loads) * (1 + i.pushes),
        len(i.stores) * (1 + i.pushes),
        _UNIT[load],
        _UNIT[store],
        cost.latency + is_indexed,
        cost.least_latency + is_indexed,
    )


def _padded(registers: tuple[int, ...], width: int, filler: int) -> tuple[int, ...]:
    return (*registers[:width], *[filler] * (width - len(registers)))


def batches(
    blocks: Sequence[Sequence[int]], decoder: Decoder, rows: Integers, *, distinct: bool = False
) -> Iterator[tuple[Integers, Batch, Floats]]:
    """Yield batches of blocks of similar length: their positions, the arrays and the counts.

    Args:
        blocks: rows of instructions in the decoder, block by block.
        decoder: the decoder of the blocks.
        rows: `table` of the decoder's instructions.
        distinct: whether different registers point to different arrays.
    """
    laid = [with_stack(b, decoder.instructions) for b in blocks]
    lengths = np.array([len(b) for b in laid])
    for some in _similar_lengths(lengths):
        width = int(lengths[some].max())
        matrix = np.full((len(some), width), len(rows) - 1)
        flat = np.concatenate([laid[k] for k in some])
        matrix[np.arange(width) < lengths[some, None]] = flat
        memory, counts = _memory([laid[k] for k in some], width, decoder, distinct)
        yield some, _batch(decoder.core, rows[matrix], memory, lengths[some]), counts


def _similar_lengths(lengths: Integers) -> Iterator[Integers]:
    """Yield positions of blocks of similar length."""
    order = np.argsort(lengths, kind="stable")
    steps = np.searchsorted(_FINE if len(lengths) >= _MANY else COARSE, lengths[order])
    begin = 0
    for end in [*(np.flatnonzero(np.diff(steps)) + 1), len(order)]:
        at_once = max(1, min(_BATCH, _MAX_CELLS // int(lengths[order[end - 1]])))
        for start in range(begin, end, at_once):
            yield order[start : min(start + at_once, end)]
        begin = end


def _memory(
    blocks: Sequence[Sequence[int]],
    width: int,
    decoder: Decoder,
    distinct: bool,
) -> tuple[Integers, Floats]:
    """Return arrays of positions (5 x blocks x width), and counts (blocks x ACCESS_COUNTS).

    They are from_slot, forward, to_slot, certain and least_forward.
    """
    out = np.zeros((5, len(blocks), width), np.int64)
    counts = np.zeros((len(blocks), len(ACCESS_COUNTS)))
    for k, block in enumerate(blocks):
        code = [decoder.instructions[row] if row >= 0 else NOTHING for row in block]
        if not any(i.loads or i.stores for i in code):
            continue
        found, counts[k] = accesses(code, distinct=distinct)
        slots: dict[int, int] = {}
        for load, store, _, renamed, whole, certain, _ in found:
            slot = slots.setdefault(store, 1 + len(slots) % SLOTS)
            out[0, k, load] = slot
            cost = decoder.core.cost(forward_row(code[load], renamed, whole))
            out[1, k, load], out[4, k, load] = cost.latency, cost.least_latency
            out[2, k, store] = slot
            out[3, k, load] = certain
        # Stores that share a slot would link chains that are none.
        out[3, k] *= len(slots) <= SLOTS
    return out, counts


def load_row(i: Instruction) -> str:
    """Return the row of the table for the loads of an instruction."""
    return "vector load" if i.vector else "load"


def forward_row(load: Instruction, renamed: bool, whole: bool) -> str:
    """Return the row of the table for a load of what a store wrote, as `memory.accesses` finds."""
    if not whole:
        return "forward failed"
    if load.vector:
        return "forward vector"
    if renamed:
        return "forward renamed"
    return "forward update" if load.stores else "forward"


# Where the rows of `table` and `_memory` have what a batch has.
_PLACES: dict[str, int | slice] = {
    **{n: k for k, n in enumerate(("macro", "unit", "uops", "latency", "busy", "least_latency"))},
    **{"address": slice(6, 8), "sources": slice(8, 12), "targets": slice(12, 16)},
    **{n: k for k, n in enumerate(("loads", "stores", "load_unit", "store_unit"), 16)},
    **{"load_latency": 20, "least_load": 21},
}
_OF_MEMORY = ("from_slot", "forward", "to_slot", "certain", "least_forward")


def _batch(core: Core, rows: Integers, memory: Integers, lengths: Integers) -> Batch:
    columns = {name: rows[..., place] for name, place in _PLACES.items()}
    columns |= zip(_OF_MEMORY, memory, strict=True)
    return Batch(core=core, timed=len(lengths), length=lengths, **columns)
