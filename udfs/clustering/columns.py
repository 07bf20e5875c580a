"""Conversion of Arrow columns of rows to matrices, and of results to Arrow columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from udfs.arrow import Column, contiguous
from udfs.clustering.points import Floats, InsufficientData, Ints

_POINTS = pa.list_(pa.list_(pa.float64()))


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one cell without unknown values, m x d, their numbers, and the count of all."""

    known: Floats
    numbers: Ints
    count: int

    @property
    def left_out(self) -> int:
        """How many rows are NULL or contain NULL, NaN or an infinity."""
        return self.count - len(self.numbers)


def cells(points: Column) -> list[pa.ListArray | None]:
    """Return the list of rows in each cell of a DOUBLE[][] column, or of what can be cast to it."""
    try:
        column = contiguous(points).cast(_POINTS)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise TypeError(
            f"points must be DOUBLE[][], a list of rows of metrics, not {points.type}"
        ) from error
    return [cell.values if cell.is_valid else None for cell in column]


def numbers(column: Column | None, count: int, default: int = 0) -> list[int | None]:
    """Return a column of whole numbers, or the default for each cell of an omitted column."""
    if column is None:
        return [default] * count
    try:
        found: list[int | None] = column.cast(pa.int64()).to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise TypeError(f"a whole number is expected, not {column.type}") from error
    return found


def matrix(cell: pa.ListArray) -> Rows:
    """Return the rows of a cell, without a copy where all values are known.

    Raises:
        InsufficientData: rows have different lengths or no metrics, or all have unknown values.
    """
    lengths = cell.value_lengths().fill_null(-1).to_numpy()
    present = np.flatnonzero(lengths >= 0)
    widths = np.unique(lengths[present])
    if len(widths) > 1:
        raise InsufficientData(
            f"rows have different numbers of metrics, from {widths[0]} to {widths[-1]}"
        )
    if not len(widths) or widths[0] == 0:
        raise InsufficientData("the rows have no metrics" if len(present) else "there are no rows")
    rows = cell.flatten().to_numpy(zero_copy_only=False).reshape(-1, widths[0])
    finite = np.isfinite(rows)
    if finite.all():
        return Rows(rows, present, len(cell))
    known = finite.all(axis=1)
    if not known.any():
        raise InsufficientData("every row contains NULL, NaN or an infinity")
    return Rows(rows[known], present[known], len(cell))


def list_column(parts: Sequence[pa.Array | None], kind: pa.DataType) -> pa.ListArray:
    """Return a column of lists, NULL for None."""
    ends = np.cumsum([0, *(0 if part is None else len(part) for part in parts)])
    values = [part.cast(kind) for part in parts if part is not None]
    return pa.ListArray.from_arrays(
        pa.array(ends, pa.int32()),
        pa.concat_arrays(values) if values else pa.array([], kind),
        mask=pa.array([part is None for part in parts], pa.bool_()),
    )
