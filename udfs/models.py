"""Models at hand for functions that apply them, so that their weights need not be passed by row.

SQL passes a constant argument once for every row. A model of some thousand numbers is therefore
handed over once a query, to `hold_model`, and every row carries the number that it gives.
"""

from __future__ import annotations

import struct
import threading
from collections import OrderedDict
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    import numpy.typing as npt

    Arrays = dict[str, npt.NDArray[np.float64]]

_MOST = 64
_held: OrderedDict[int, Arrays] = OrderedDict()
_lock = threading.Lock()


def hold_model(arrays: pa.MapArray) -> pa.UInt64Array:
    """Remember models and give the numbers by which `held` finds them in this process.

    The number is a hash of the content, so the same model has the same number in every query and
    process. The 64 models used last are remembered.

    Args:
        arrays: n models, each a map from the name of an array to its shape and its elements, the
            last dimension running fastest.

    Returns:
        n numbers of 64 bits; NULL for a NULL model.
    """
    if isinstance(arrays, pa.ChunkedArray):
        arrays = arrays.combine_chunks()
    return pa.array([_hold(row) if row.is_valid else None for row in arrays], pa.uint64())


def held(number: int) -> Arrays:
    """Give the arrays of a model that `hold_model` was given; not to be changed.

    Raises KeyError where it was not given in this process, or more than 64 others since.
    """
    with _lock:
        _held.move_to_end(number)
        return _held[number]


def _hold(model: pa.MapScalar) -> int:
    entries = model.values
    names = entries.field(0).to_pylist()
    shapes = entries.field(1).field(0).to_pylist()
    digest = blake2b(digest_size=8)
    arrays: Arrays = {}
    parts = sorted(zip(names, shapes, entries.field(1).field(1), strict=True), key=lambda p: p[0])
    for name, shape, values in parts:
        numbers = values.values.to_numpy(zero_copy_only=False).astype(np.float64).reshape(shape)
        numbers.flags.writeable = False
        arrays[name] = numbers
        digest.update(repr((name, shape)).encode())
        digest.update(numbers.tobytes())
    (number,) = struct.unpack("<Q", digest.digest())
    with _lock:
        _held[number] = arrays
        _held.move_to_end(number)
        while len(_held) > _MOST:
            _held.popitem(last=False)
    return int(number)
