"""Functions for SQL on the basic-block vectors of threads; one row is a thread block.

The vectors of a thread block are three lists of equal length, one element a visited block: thread,
basic block and weight, which is the visits or, where these are unknown, the instructions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from udfs.arrays import Integers
from udfs.arrow import returned
from udfs.block_vectors import MAX_THREADS, TooManyThreads, collapse
from udfs.similarity import Picture, fluctuation, picture

_PAIR = returned("thread_matrix").value_type
_ROW = returned("thread_pixels").value_type
_SIMILARITY = returned("thread_similarity")


def thread_matrix(
    threads: pa.ListArray,
    blocks: pa.ListArray,
    weights: pa.ListArray,
    as_shares: pa.BooleanArray,
    metric: pa.StringArray,
) -> pa.ListArray:
    """Return the distances between all threads of each thread block.

    Args:
        threads: n lists of BIGINT, the thread of each element.
        blocks: n lists of INTEGER, its basic block.
        weights: n lists of BIGINT, visits or instructions.
        as_shares: n, divide the vectors by their sums, so that threads that differ only in length
            are equal.
        metric: n, euclidean or manhattan.

    Returns:
        n lists of structs (thread_a, thread_b, distance, brightness), ordered by both threads;
        NULL where a weight is NULL. Brightness is the pixel of the picture, 0..1.

    Raises `ValueError` for another metric, `TooManyThreads` where one matrix would be too large.
    """
    found: list[pa.Array | None] = []
    for elements, by in zip(_elements(threads, blocks, weights, as_shares), metric, strict=True):
        found.append(None if elements is None else _pairs(elements.picture(by.as_py())))
    return _lists(found, _PAIR)


def thread_pixels(
    threads: pa.ListArray,
    blocks: pa.ListArray,
    weights: pa.ListArray,
    as_shares: pa.BooleanArray,
    metric: pa.StringArray,
) -> pa.ListArray:
    """Return the picture of each thread block as bytes.

    Args: as of `thread_matrix`.

    Returns:
        n lists of structs (thread; pixels, a byte for each thread in order, from 0 where the two
        are equal to 255), ordered by thread; NULL where a weight is NULL.

    Raises as `thread_matrix` does.
    """
    found: list[pa.Array | None] = []
    for elements, by in zip(_elements(threads, blocks, weights, as_shares), metric, strict=True):
        found.append(None if elements is None else _pixels(elements.picture(by.as_py())))
    return _lists(found, _ROW)


def thread_similarity(
    threads: pa.ListArray,
    blocks: pa.ListArray,
    weights: pa.ListArray,
    as_shares: pa.BooleanArray,
    metric: pa.StringArray,
) -> pa.StructArray:
    """Return summary figures of the distance matrix of each thread block.

    Args: as of `thread_matrix`.

    Returns:
        n structs: fluctuation (rate, 0..1), mean_distance and mean brightness (over all pairs of
        threads), max_distance; the first three NULL for a single thread. NULL where a weight is
        NULL, or where one matrix would be too large.

    Raises `ValueError` for another metric.
    """
    found: list[dict[str, float | None] | None] = []
    rows = _elements(threads, blocks, weights, as_shares)
    for elements, by in zip(rows, metric, strict=True):
        try:
            matrix = None if elements is None else elements.picture(by.as_py())
        except TooManyThreads:
            matrix = None
        found.append(None if matrix is None else _similarity(matrix))
    return pa.array(found, _SIMILARITY)


@dataclass(frozen=True, slots=True)
class _Elements:
    threads: Integers
    blocks: Integers
    weights: Integers
    as_shares: bool

    def picture(self, metric: str) -> Picture:
        vectors = collapse(self.threads, self.blocks, self.weights, as_shares=self.as_shares)
        return picture(vectors, metric)


def _elements(
    threads: pa.ListArray, blocks: pa.ListArray, weights: pa.ListArray, as_shares: pa.BooleanArray
) -> Iterator[_Elements | None]:
    """Yield the elements of each row; None where a weight is unknown."""
    for thread, block, weight, divide in zip(threads, blocks, weights, as_shares, strict=True):
        if not thread.is_valid or weight.values.null_count:
            yield None
            continue
        yield _Elements(
            thread.values.to_numpy().astype(np.int64, copy=False),
            block.values.to_numpy(),
            weight.values.to_numpy(),
            divide.as_py(),
        )


def _lists(found: list[pa.Array | None], kind: pa.DataType) -> pa.ListArray:
    whole = [pa.array([], kind), *(items for items in found if items is not None)]
    ends = np.cumsum([0, *(0 if items is None else len(items) for items in found)])
    missing = np.array([*(items is None for items in found), False])
    offsets = pa.array(ends, pa.int32(), mask=missing)
    return pa.ListArray.from_arrays(offsets, pa.concat_arrays(whole))


def _pixels(matrix: Picture) -> pa.StructArray:
    threads, kinds = matrix.vectors.threads, matrix.vectors.kinds
    if threads.size > MAX_THREADS:
        raise TooManyThreads(threads.size)
    # Rounded up, so that only equal vectors are black.
    shades = np.ceil(matrix.brightness * 255).astype(np.uint8)
    bands = np.array([row.tobytes() for row in shades[:, kinds]], object)
    columns = [pa.array(threads), pa.array(bands[kinds], pa.binary())]
    return pa.StructArray.from_arrays(columns, fields=list(_ROW))


def _pairs(matrix: Picture) -> pa.StructArray:
    threads, kinds = matrix.vectors.threads, matrix.vectors.kinds
    if threads.size > MAX_THREADS:
        raise TooManyThreads(threads.size)
    cells = (kinds[:, None] * len(matrix.distances) + kinds[None, :]).ravel()
    columns = [
        np.repeat(threads, threads.size),
        np.tile(threads, threads.size),
        matrix.distances.ravel()[cells],
        matrix.brightness.ravel()[cells],
    ]
    return pa.StructArray.from_arrays([pa.array(column) for column in columns], fields=list(_PAIR))


def _similarity(matrix: Picture) -> dict[str, float | None]:
    kinds = matrix.vectors.kinds
    times = np.bincount(kinds, minlength=len(matrix.distances)).astype(np.float64)
    pairs = kinds.size * (kinds.size - 1)
    mean = float(times @ matrix.distances @ times) / pairs if pairs else None
    return {
        "fluctuation": fluctuation(matrix),
        "mean_distance": mean,
        "max_distance": float(matrix.distances.max()),
        "brightness": mean / matrix.white if mean and matrix.white else mean,
    }
