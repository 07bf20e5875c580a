"""Lists of rows in an Arrow column: matrices out of them, lists back into them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from udfs.clustering.points import Floats, Ints, TooLittle

_POINTS = pa.list_(pa.list_(pa.float64()))


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one cell that are fully known, m x d, their numbers, and the count of all."""

    known: Floats
    numbers: Ints
    count: int

    @property
    def left_out(self) -> int:
        """How many rows are NULL or hold NULL, NaN or an infinity."""
        return self.count - len(self.numbers)


def cells(points: pa.Array | pa.ChunkedArray) -> list[pa.ListArray | None]:
    """Give the list of rows in each cell of a DOUBLE[][] column, or of what can be cast to it."""
    if isinstance(points, pa.ChunkedArray):
        points = points.combine_chunks()
    try:
        column = points.cast(_POINTS)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise TypeError(
            f"points must be DOUBLE[][], a list of rows of metrics, here {points.type}"
        ) from error
    return [cell.values if cell.is_valid else None for cell in column]


def numbers(
    column: pa.Array | pa.ChunkedArray | None, count: int, default: int = 0
) -> list[int | None]:
    """Give a column of whole numbers, or the default for each cell where it is left out."""
    if column is None:
        return [default] * count
    try:
        found: list[int | None] = column.cast(pa.int64()).to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise TypeError(f"a whole number is expected, here {column.type}") from error
    return found


def matrix(cell: pa.ListArray) -> Rows:
    """Give the rows of a cell; without copying where all of them are known.

    Raises:
        TooLittle: rows of different lengths, of no metrics, or none that is fully known.
    """
    lengths = cell.value_lengths().fill_null(-1).to_numpy()
    given = np.flatnonzero(lengths >= 0)
    widths = np.unique(lengths[given])
    if len(widths) > 1:
        raise TooLittle(
            f"rows have from {widths[0]} to {widths[-1]} metrics, not one number of them"
        )
    if not len(widths) or widths[0] == 0:
        raise TooLittle("there are no metrics in the rows" if len(given) else "there are no rows")
    rows = cell.flatten().to_numpy(zero_copy_only=False).reshape(-1, widths[0])
    finite = np.isfinite(rows)
    if finite.all():
        return Rows(rows, given, len(cell))
    known = finite.all(axis=1)
    if not known.any():
        raise TooLittle("no row is fully known: each holds NULL, NaN or an infinity")
    return Rows(rows[known], given[known], len(cell))


def listed(parts: Sequence[pa.Array | None], kind: pa.DataType) -> pa.ListArray:
    """Give a column of lists, NULL for None."""
    ends = np.cumsum([0, *(0 if part is None else len(part) for part in parts)])
    values = [part.cast(kind) for part in parts if part is not None]
    return pa.ListArray.from_arrays(
        pa.array(ends, pa.int32()),
        pa.concat_arrays(values) if values else pa.array([], kind),
        mask=pa.array([part is None for part in parts], pa.bool_()),
    )
