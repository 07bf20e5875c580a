"""Arrow columns in and out of the functions for SQL."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from udfs.scaling.bases import Array, Index


def whole(column: Any) -> Any:
    """Give a column as one array."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def flat(column: Any) -> tuple[Array, Index]:
    """Give a column of DOUBLE[] as one array of all elements, and where each list ends.

    NULL elements are NaN.
    """
    array = whole(column)
    lengths = np.nan_to_num(array.value_lengths().to_numpy(zero_copy_only=False))
    values = array.flatten().to_numpy(zero_copy_only=False).astype(float)
    return values, np.cumsum(lengths).astype(np.intp)


def lists(column: Any) -> list[Array]:
    """Give the lists of a column of DOUBLE[] as arrays."""
    values, ends = flat(column)
    return np.split(values, ends[:-1]) if len(ends) else []


def numbers(column: Any) -> Array:
    """Give a column of DOUBLE as an array; NULL is NaN."""
    return np.asarray(whole(column).to_numpy(zero_copy_only=False), float)


def doubles(values: Array) -> Any:
    """Give an array of numbers as a column; NaN and infinity are NULL."""
    return pa.array(values, mask=~np.isfinite(values))


def double_lists(values: Array) -> Any:
    """Give n x t numbers as a column of n lists; NaN and infinity are NULL."""
    offsets = np.arange(len(values) + 1, dtype=np.int32) * values.shape[1]
    return pa.ListArray.from_arrays(offsets, doubles(values.ravel()))


def texts(values: list[list[str]]) -> Any:
    """Give lists of text as a column."""
    return pa.array(values, pa.list_(pa.string()))


def structs(columns: dict[str, Any]) -> Any:
    """Give columns as one column of structs."""
    return pa.StructArray.from_arrays(list(columns.values()), list(columns))
