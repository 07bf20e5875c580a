"""Functions for SQL on blocks of machine code: features for models, and a summary to read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from udfs.throughput import features, summary
from udfs.throughput.course import run
from udfs.throughput.decode import Decoder, decode
from udfs.throughput.features import FEATURES
from udfs.throughput.workers import shared_out

BLOCK_FEATURES: tuple[str, ...] = FEATURES

_WHOLE = (
    "instructions",
    "n_int",
    "n_fp",
    "n_simd",
    "n_load",
    "n_store",
    "n_branch",
    "n_other",
    "serialising",
)
# Blocks that are described at once: arrays of this many are held.
_AT_ONCE = 1 << 15
_BOUNDS = ("width_bound", "critical_path_bound", "unit_bound")


def block_features(hexes: Any) -> pa.ListArray:
    """Give the features of blocks of x86-64 machine code.

    Args:
        hexes: n texts, a block in hexadecimal each.

    Returns:
        n lists in the order of BLOCK_FEATURES; NULL where a block cannot be decoded whole (bytes
        left over, no instruction, none at all) or is NULL.
    """
    matrix, decoded = block_matrix(hexes.to_pylist())
    return _lists(matrix, decoded)


def block_matrix(hexes: list[str | None]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Give the features of blocks in hexadecimal (n x len(BLOCK_FEATURES)), and which decode (n).

    Rows of blocks that do not decode are 0.
    """
    out = np.zeros((len(hexes), len(FEATURES)), np.float32)
    present = np.zeros(len(hexes), bool)
    for begin in range(0, len(hexes), _AT_ONCE):
        decoder = Decoder()
        blocks, decoded = decode(hexes[begin : begin + _AT_ONCE], decoder)
        present[begin : begin + _AT_ONCE] = decoded
        if blocks:
            place = begin + np.flatnonzero(decoded)
            out[place] = features.of_blocks(blocks, decoder, run(blocks, decoder))
    return out, present


def block_summary(hexes: Any) -> pa.StructArray:
    """Give mix, dependence chains and analytic bounds of blocks of x86-64 machine code.

    Args:
        hexes: n texts, a block in hexadecimal each.

    Returns:
        n structs; NULL where a block cannot be decoded whole. `n_int`, `n_fp`, `n_simd`,
        `n_branch` and `n_other` are instructions by what they compute; those that only move data
        to or from memory are in none of them. `n_load` and `n_store` are instructions that read
        and write memory. `critical_path` says in how many windows of 40 instructions of the
        unrolled block the longest dependence chain has 1, 2 .. 40 instructions. The bounds are
        cycles of one pass: the front end's width, the loop-carried chain by latency, and the
        busiest execution units.
    """
    return described(hexes.to_pylist())["code"].combine_chunks()


def describe_blocks(lists: Any) -> pa.ListArray:
    """Give summaries and features of many blocks at once, which is much faster than one by one.

    Args:
        lists: n lists of texts, a block in hexadecimal each.

    Returns:
        n lists, each as long as its list, of structs `code` as `block_summary` gives it and
        `features` as `block_features` does.
    """
    lists = lists.combine_chunks() if isinstance(lists, pa.ChunkedArray) else lists
    table = shared_out(lists.flatten().to_pylist(), described)
    names = table.column_names
    both = pa.StructArray.from_arrays(
        [table[name].combine_chunks() for name in names], fields=list(table.schema)
    )
    lengths = np.asarray(lists.value_lengths().fill_null(0))
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))
    return pa.ListArray.from_arrays(offsets, both, mask=lists.is_null())


def described(hexes: list[str | None]) -> pa.Table:
    """Give `code` and `features` of blocks (n rows), each as `describe_blocks` does."""
    parts = [_part(hexes[at : at + _AT_ONCE]) for at in range(0, len(hexes), _AT_ONCE)]
    codes, found = zip(*parts or [_part([])], strict=True)
    return pa.table({"code": pa.concat_arrays(codes), "features": pa.concat_arrays(found)})


def _part(hexes: list[str | None]) -> tuple[pa.StructArray, pa.ListArray]:
    decoder = Decoder()
    blocks, decoded = decode(hexes, decoder)
    course = run(blocks, decoder, paths=True)
    matrix = np.zeros((len(hexes), len(FEATURES)), np.float32)
    counts = np.zeros((len(hexes), len(_WHOLE)), np.int32)
    paths = np.zeros((len(hexes), course.paths.shape[1]), np.int32)
    limits = np.zeros((len(hexes), len(_BOUNDS)))
    if blocks:
        matrix[decoded] = features.of_blocks(blocks, decoder, course)
        found = summary.of_blocks(blocks, decoder, course, matrix[decoded])
        counts[decoded], paths[decoded] = found.counts, found.paths
        limits[decoded] = found.bounds
    arrays: list[Any] = [pa.array(np.ascontiguousarray(column)) for column in counts.T]
    arrays.append(_lists(paths, np.ones(len(hexes), bool)))
    arrays += [pa.array(np.ascontiguousarray(column)) for column in limits.T]
    names = (*_WHOLE, "critical_path", *_BOUNDS)
    fields = [pa.field(name, array.type) for name, array in zip(names, arrays, strict=True)]
    code = pa.StructArray.from_arrays(arrays, fields=fields, mask=pa.array(~decoded))
    return code, _lists(matrix, decoded)


def _lists(matrix: NDArray[Any], present: NDArray[np.bool_]) -> pa.ListArray:
    offsets = np.arange(len(matrix) + 1, dtype=np.int32) * matrix.shape[1]
    values = pa.array(np.ascontiguousarray(matrix).ravel())
    return pa.ListArray.from_arrays(pa.array(offsets), values, mask=pa.array(~present))
