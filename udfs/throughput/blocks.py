"""Functions for SQL on blocks of machine code: features for models, and a readable summary."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from udfs.arrow import contiguous, is_known, lengths, returned
from udfs.throughput import features, summary
from udfs.throughput.aarch64 import is_plain
from udfs.throughput.course import Course, least_cycles, run
from udfs.throughput.decode import Decoder, bytes_of, decode
from udfs.throughput.described import aarch64_instructions
from udfs.throughput.features import FEATURES
from udfs.throughput.instructions import Instruction
from udfs.throughput.support import ASSUMED_ADDRESSES, DISTINCT_ARRAYS, NO_PREDICTION
from udfs.throughput.workers import Table, map_in_processes
from udfs.throughput.x86_core import Core, core_of

COUNTS = (
    *("instructions", "n_int", "n_fp", "n_simd", "n_load", "n_store", "n_branch"),
    *("n_other", "serialising"),
)
# Blocks described at a time, which limits memory.
_CHUNK = 1 << 15


def block_features(code: Any) -> pa.ListArray:
    """Return the features of blocks of x86-64 machine code.

    Args:
        code: n texts, a block in hexadecimal each.

    Returns:
        n lists in the order of `udfs.throughput.features.FEATURES`; NULL where a block is NULL,
        empty or cannot be decoded completely, or has instructions that no steady state is known of
        (`flags` of `block_summary`).
    """
    return describe(code.to_pylist())["features"].combine_chunks()


def block_summary(code: Any) -> pa.StructArray:
    """Return mix, dependence chains and analytic bounds of blocks of x86-64 machine code.

    Args:
        code: n texts, a block in hexadecimal each.

    Returns:
        n structs; NULL where a block cannot be decoded completely. `n_int`, `n_fp`, `n_simd`,
        `n_branch` and `n_other` are instructions by class; those that only move data to or from
        memory are in none of them. `n_load` and `n_store` are instructions that read
        and write memory. `critical_path` counts the windows of 40 instructions of the unrolled
        block whose longest dependence chain has 1, 2 .. 40 instructions. The bounds are
        cycles of one pass: the front end's width, the loop-carried chain by latency, and the
        busiest execution units; NULL where `flags` has one of NO_PREDICTION. `flags`
        are these, poor_support (x87, MMX, rare ones) and assumed_addresses (a load reads what a
        store wrote only where their registers point to the same place); like_aarch64, and
        everything else NULL, where the bytes are no x86-64 but plainly AArch64. `serial_cycles` are
        those of one instruction after another; `aliased_cycles` are NULL here.
    """
    return describe(code.to_pylist())["code"].combine_chunks()


def block_instructions(code: Any, core: Any, isa: Any) -> pa.ListArray:
    """Return the instructions of blocks of machine code, and what each costs on a core.

    Args:
        code: n texts, a block in hexadecimal each.
        core: n tables of cores as for `describe_blocks`.
        isa: n instruction sets, x86-64 or aarch64.

    Returns:
        n lists of structs: `text` (disassembled), `unit` and the `ports` that have it, `operations`
        there, `cycles` that one occupies it, `latency` in cycles from the last operand to the
        result, without the load of a memory operand, `front_end`, the macro-operations, and
        `on_chain`, whether it is in a longest dependence chain. NULL where a block cannot be
        decoded completely.
    """
    out = []
    for text, table, name in zip(code.to_pylist(), core.to_pylist(), isa.to_pylist(), strict=True):
        listed = aarch64_instructions if name == "aarch64" else _x86_instructions
        out.append(listed(bytes_of(text), table))
    return pa.array(out, returned("block_instructions"))


def _x86_instructions(code: bytes, table: Table | None) -> list[dict[str, Any]] | None:
    import iced_x86 as ix

    decoder = Decoder(core_of(table))
    block = decoder.block(code)
    if block is None:
        return None
    # In a longest chain is what makes it longer by being slower.
    least = [decoder.instructions[row].least_latency for row in block]
    slower = [
        [*block[:k], decoder.variant(row, least[k] + 1), *block[k + 1 :]]
        for k, row in enumerate(block)
    ]
    chain, *chains = least_cycles([block, *slower], decoder)
    formatter = ix.Formatter(ix.FormatterSyntax.INTEL)
    return [
        _listed(formatter.format(shown), decoder.instructions[row], decoder.core)
        | {"on_chain": bool(longer > chain > 0)}
        for shown, row, longer in zip(ix.Decoder(64, code), block, chains, strict=True)
    ]


def _listed(text: str, i: Instruction, core: Core) -> dict[str, Any]:
    units = [i.unit] * (i.unit != "none")
    units += [("vload" if i.vector else "load")] * bool(i.loads)
    units += [("vstore" if i.vector else "store")] * bool(i.stores)
    ports = [core.port_names[unit] for unit in units]
    return {
        "text": text,
        "unit": " + ".join(units),
        "ports": " + ".join(ports),
        "operations": i.uops if i.unit != "none" else 0,
        "cycles": i.busy,
        "latency": i.latency,
        "front_end": i.macro,
    }


def describe_blocks(codes: Any, distinct: Any, core: Any) -> pa.ListArray:
    """Return summaries and features of many blocks at once, much faster than one by one.

    Args:
        codes: n lists of texts, a block in hexadecimal each.
        distinct: n times whether different registers point to different arrays; false as blocks
            are measured, with all registers pointing to one place.
        core: n tables of cores: structs of width, lacks, units (core_ports) and instructions
            (instruction_costs) in their order; NULL for Zen 3.

    Returns:
        n lists, each as long as its list, of structs with `code` as from `block_summary` and
        `features` as from `block_features`. Where arrays are distinct, the flag distinct_arrays
        is instead of assumed_addresses, and `aliased_cycles` of `code` is what is simulated where
        registers point to the same place.
    """
    lists = contiguous(codes)
    parts = [
        map_in_processes(
            one.values.to_pylist() if one.is_valid else [], describe, is_distinct, table
        )
        for one, is_distinct, table in zip(
            lists, distinct.to_pylist(), core.to_pylist(), strict=True
        )
    ]
    table = pa.concat_tables(parts or [_part([], False, core_of(None))])
    names = table.column_names
    both = pa.StructArray.from_arrays(
        [table[name].combine_chunks() for name in names], fields=list(table.schema)
    )
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths(lists))]).astype(np.int32))
    return pa.ListArray.from_arrays(offsets, both, mask=pa.array(~is_known(lists)))


def describe(
    hexes: list[str | None], distinct: bool = False, table: Table | None = None
) -> pa.Table:
    """Return `code` and `features` of blocks (n rows), as in `describe_blocks`.

    `table` is that of the core; without one that of Zen 3.
    """
    core = core_of(table)
    parts = [_part(hexes[at : at + _CHUNK], distinct, core) for at in range(0, len(hexes), _CHUNK)]
    return pa.concat_tables(parts or [_part([], distinct, core)])


def _modelled(
    blocks: list[list[int]], decoder: Decoder, course: Course, distinct: bool
) -> tuple[list[list[int]], Course]:
    """Return blocks as models take them, and their simulation.

    Where models are fitted to straight code, the jump that closes a loop is left to the bounds.
    """
    jumps = [k for k, i in enumerate(decoder.instructions) if i.name.startswith("J")]
    closes = set() if decoder.core.loops else set(jumps)
    bodies = [b[:-1] if len(b) > 1 and b[-1] in closes else b for b in blocks]
    differ = np.array([len(b) != len(o) for b, o in zip(bodies, blocks, strict=True)], bool)
    again = np.flatnonzero(differ | (course.assumed & distinct))
    own = run([bodies[k] for k in again], decoder, distinct=distinct)
    columns = {}
    for column in fields(Course):
        columns[column.name] = getattr(course, column.name).copy()
        columns[column.name][again] = getattr(own, column.name)
    return bodies, Course(**columns)


def _part(hexes: list[str | None], distinct: bool, core: Core) -> pa.Table:
    decoder = Decoder(core)
    blocks, decoded = decode(hexes, decoder)
    flags = [
        ["like_aarch64"] if not known and is_plain(bytes_of(text)) else []
        for text, known in zip(hexes, decoded, strict=True)
    ]
    course = run(blocks, decoder, paths=True)
    for place, block, is_assumed in zip(
        np.flatnonzero(decoded), blocks, course.assumed, strict=True
    ):
        found = {decoder.instructions[row].support for row in block} - {""}
        assumption = DISTINCT_ARRAYS if distinct else ASSUMED_ADDRESSES
        flags[place] = sorted(found | ({assumption} if is_assumed else set()))
    known = decoded & np.array([not set(f) & set(NO_PREDICTION) for f in flags], bool)
    matrix = np.zeros((len(hexes), len(FEATURES)), np.float32)
    counts = np.zeros((len(hexes), len(COUNTS)), np.int32)
    paths = np.zeros((len(hexes), course.paths.shape[1]), np.int32)
    limits = np.full((len(hexes), len(summary.BOUNDS) + len(summary.ENDS)), np.nan)
    if blocks:
        bodies, modelled = _modelled(blocks, decoder, course, distinct)
        matrix[decoded] = features.of_blocks(bodies, decoder, modelled)
        of_blocks = summary.of_blocks(blocks, decoder, course)
        counts[decoded], paths[decoded] = of_blocks.counts, of_blocks.paths
        aliased = np.where(course.assumed & distinct, course.cycles[:, 0], np.nan)
        ends = np.stack([aliased, of_blocks.serial], axis=1)
        limits[decoded] = np.concatenate([of_blocks.bounds, ends], axis=1)
        limits[~known] = np.nan
    arrays: list[Any] = [
        pa.array(np.ascontiguousarray(column), mask=~decoded) for column in counts.T
    ]
    arrays.append(_lists(paths, decoded))
    arrays += [pa.array(np.ascontiguousarray(column), from_pandas=True) for column in limits.T]
    arrays.append(pa.array(flags, pa.list_(pa.string())))
    names = (*COUNTS, "critical_path", *summary.BOUNDS, *summary.ENDS, "flags")
    types = [pa.field(name, array.type) for name, array in zip(names, arrays, strict=True)]
    explained = decoded | [bool(one) for one in flags]
    code = pa.StructArray.from_arrays(arrays, fields=types, mask=pa.array(~explained))
    return pa.table({"code": code, "features": _lists(matrix, known)})


def _lists(matrix: NDArray[Any], present: NDArray[np.bool_]) -> pa.ListArray:
    offsets = np.arange(len(matrix) + 1, dtype=np.int32) * matrix.shape[1]
    values = pa.array(np.ascontiguousarray(matrix).ravel())
    return pa.ListArray.from_arrays(pa.array(offsets), values, mask=pa.array(~present))
