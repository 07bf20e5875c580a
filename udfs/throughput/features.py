"""All features of blocks of machine code, one row a block, from which models predict cycles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from udfs.arrays import Floats
from udfs.throughput.course import Course
from udfs.throughput.decode import Decoder
from udfs.throughput.instructions import Instruction
from udfs.throughput.memory import ACCESS_COUNTS
from udfs.throughput.x86_core import NAMES

# Fewer cycles count as this many, so that the logarithm is finite.
MIN_CYCLES = 0.1

_NAMED = """
MOV LEA ADD SUB TEST CMP XOR AND OR NOP PUSH POP MOVSXD MOVZX IMUL CMOVCC SETCC SHL SHR
SAR DEC CDQE DIV IDIV BSR XCHG XADD CMPXCHG MFENCE MOVSD MOVSS MOVAPS MOVUPS MOVAPD MOVDQU
MOVDQA LDDQU PXOR SHUFPS BROADCASTSS ADDSD ADDSS ADDPS SUBSD SUBSS MULSD MULSS MULPS DIVSD
DIVSS UCOMISD UCOMISS CVTSI2SD VZEROALL FLD FSTP
"""
# Mnemonics with counts of their own: frequent in compiled code, or costly.
MNEMONICS: tuple[str, ...] = tuple(_NAMED.split())
_PLAIN = (
    *("instructions", "bytes", "macro", "loads", "vector_loads", "indexed_loads", "stores"),
    *("vector_stores", "updates", "pushes", "pops", "eliminated", "idioms", "wide", "narrow"),
    *("long", "merging", "locked", "repeated", "latency", "divided_64", "divided_32"),
)
_KINDS = ("int", "fp", "simd", "move", "branch", "other")
_CYCLES = (*("simulated", "chain", "register_chain", "width", "units", "committed", "best"),)
FEATURES: tuple[str, ...] = (
    *(f"log_{name}" for name in _CYCLES),
    *(f"ratio_{name}" for name in _CYCLES[:-1]),
    *(f"n_{name}" for name in _PLAIN),
    *(f"kind_{name}" for name in _KINDS),
    *(f"unit_{name}" for name in NAMES),
    *ACCESS_COUNTS,
    "sync",
    *(f"op_{name.lower()}" for name in MNEMONICS),
)
# The feature that is the best estimate without training: log cycles of one pass.
LOG_BEST = "log_best"
_MNEMONIC = {name: k for k, name in enumerate(MNEMONICS)}


def of_blocks(
    blocks: Sequence[Sequence[int]], decoder: Decoder, course: Course
) -> NDArray[np.float32]:
    """Return the features of decoded blocks, given their simulation."""
    counts = sum_by_block(blocks, decoder, _counts(decoder))
    plain = counts[:, : len(_PLAIN) + len(_KINDS)]
    units = counts[:, len(_PLAIN) + len(_KINDS) :][:, : len(NAMES)]
    names = counts[:, len(_PLAIN) + len(_KINDS) + len(NAMES) :]
    cycles = np.empty((len(blocks), len(_CYCLES)))
    cycles[:, :3] = course.cycles[:, :3]
    cycles[:, 3] = decoder.core.width_bound(course.macro)
    cycles[:, 4] = decoder.core.unit_bound(units)
    cycles[:, 5] = course.access[:, ACCESS_COUNTS.index("commit")]
    cycles[:, 6] = cycles[:, [0, 3, 4, 5]].max(axis=1)
    logs = np.log(np.maximum(cycles, MIN_CYCLES))
    ratios = logs[:, :-1] - logs[:, -1:]
    sync = course.sync[:, None]
    parts = [logs, ratios, plain, units, course.access, sync, names]
    return np.concatenate(parts, axis=1).astype(np.float32)


def sum_by_block(blocks: Sequence[Sequence[int]], decoder: Decoder, counts: Floats) -> Floats:
    """Sum rows of `counts` (shapes of instructions x counts) over the instructions of blocks."""
    out = np.empty((len(blocks), counts.shape[1]))
    shapes = np.array(decoder.shape_of)
    for begin in range(0, len(blocks), _CHUNK):
        some = blocks[begin : begin + _CHUNK]
        lengths = np.array([len(b) for b in some])
        flat = shapes[np.concatenate(some)]
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        out[begin : begin + _CHUNK] = np.add.reduceat(counts[flat], starts, axis=0)
    return out


_CHUNK = 1 << 13  # blocks added up at a time, which limits memory


def _counts(decoder: Decoder) -> Floats:
    """Return the contribution of each shape of instruction to the counts (shapes x counts)."""
    wide = len(_PLAIN) + len(_KINDS) + len(NAMES) + len(MNEMONICS)
    out = np.zeros((len(decoder.shapes), wide))
    units = len(_PLAIN) + len(_KINDS)
    load, vload = NAMES.index("load"), NAMES.index("vload")
    store, vstore = NAMES.index("store"), NAMES.index("vstore")
    for row, i in zip(out, decoder.shapes, strict=True):
        row[: len(_PLAIN)] = _plain(i)
        row[len(_PLAIN) + _KINDS.index(i.kind)] = 1
        row[units + NAMES.index(i.unit)] = i.uops * i.busy
        accesses = 1 + i.pushes
        row[units + (vload if i.vector else load)] += accesses * len(i.loads)
        row[units + store] += accesses * len(i.stores)
        row[units + vstore] += i.vector * len(i.stores)
        place = _MNEMONIC.get(i.name)
        if place is not None:
            row[units + len(NAMES) + place] = 1
    return out


def _plain(i: Instruction) -> tuple[float, ...]:
    loads, stores = len(i.loads), len(i.stores)
    division = i.name in ("DIV", "IDIV")
    return (
        1,
        i.length,
        i.macro,
        loads,
        loads * i.vector,
        any(place.scale > 1 for place in i.loads),
        stores,
        stores * i.vector,
        bool(loads and stores and not i.pushes),
        i.pushes and bool(stores),
        i.pushes and bool(loads),
        i.eliminated,
        i.idiom,
        i.wide > 16,
        0 < i.operand < 4,
        i.length >= 8,
        0 < i.operand < 4 and any(r < 16 for r in i.targets),
        i.locked,
        i.repeated,
        i.latency,
        division and i.operand == 8,
        division and i.operand == 4,
    )
