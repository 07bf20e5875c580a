"""Conversion of Arrow columns to arrays and back, for the functions for SQL."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from udfs.arrays import Floats
from udfs.arrow import contiguous, elements, lengths
from udfs.scaling.bases import Index


def flat(column: Any) -> tuple[Floats, Index]:
    """Return a column of DOUBLE[] as one array of all elements, and where each list ends.

    NULL elements are NaN.
    """
    array = contiguous(column)
    values = elements(array).to_numpy(zero_copy_only=False).astype(float)
    return values, np.cumsum(lengths(array)).astype(np.intp)


def lists(column: Any) -> list[Floats]:
    """Return the lists of a column of DOUBLE[] as arrays."""
    values, ends = flat(column)
    return np.split(values, ends[:-1]) if len(ends) else []


def numbers(column: Any) -> Floats:
    """Return a column of DOUBLE as an array; NULL is NaN."""
    return np.asarray(contiguous(column).to_numpy(zero_copy_only=False), float)


def doubles(values: Floats) -> Any:
    """Return an array of numbers as a column; NaN and infinity are NULL."""
    return pa.array(values, mask=~np.isfinite(values))


def rectangle(column: Any) -> Floats:
    """Return a column of n lists as an array, n x t; the last element of shorter ones is repeated.

    Those of an empty list are 1.
    """
    values, ends = flat(column)
    sizes = np.diff(ends, prepend=0)
    places = np.minimum(np.arange(sizes.max(initial=0)), sizes[:, None] - 1)
    places += (ends - sizes)[:, None]
    found: Floats = np.append(values, 1.0)[np.where(sizes[:, None] > 0, places, -1)]
    return found


def double_lists(values: Floats, sizes: NDArray[np.int32] | None = None) -> Any:
    """Return n x t numbers as a column of n lists, of all or so many; NaN and infinity are NULL."""
    count, most = values.shape
    sizes = np.full(count, most, np.int32) if sizes is None else sizes
    offsets = np.append(0, np.cumsum(sizes)).astype(np.int32)
    return pa.ListArray.from_arrays(offsets, doubles(values[np.arange(most) < sizes[:, None]]))


def structs(columns: dict[str, Any]) -> Any:
    """Return columns as one column of structs."""
    return pa.StructArray.from_arrays(list(columns.values()), list(columns))
