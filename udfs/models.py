"""Loaded models, for functions that apply them to rows without passing the weights in every row.

SQL passes a constant argument once for every row. A model of some thousand numbers is therefore
passed once a query, to `load_model`, and every row carries the number that it returns.
"""

from __future__ import annotations

import struct
import threading
from collections import OrderedDict
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from udfs.arrow import Column, contiguous

if TYPE_CHECKING:
    import numpy.typing as npt

    Arrays = dict[str, npt.NDArray[np.float64]]

_MOST_LOADED = 64  # models, which limits memory
_loaded: OrderedDict[int, Arrays] = OrderedDict()
_lock = threading.Lock()


def load_model(arrays: Column) -> pa.UInt64Array:
    """Load models into this process and return the numbers by which `loaded_model` finds them.

    The number is a hash of the content, so the same model has the same number in every query and
    process. The 64 models used last stay loaded.

    Args:
        arrays: n models, each a map from the name of an array to its shape and its elements, the
            last dimension running fastest.

    Returns:
        n numbers of 64 bits; NULL for a NULL model.
    """
    return pa.array(
        [_load(row) if row.is_valid else None for row in contiguous(arrays)], pa.uint64()
    )


def loaded_model(number: int) -> Arrays:
    """Return the read-only arrays of a model that `load_model` loaded.

    Raises KeyError where it was not loaded in this process, or more than 64 others since.
    """
    with _lock:
        _loaded.move_to_end(number)
        return _loaded[number]


def _load(model: pa.MapScalar) -> int:
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
        _loaded[number] = arrays
        _loaded.move_to_end(number)
        while len(_loaded) > _MOST_LOADED:
            _loaded.popitem(last=False)
    return int(number)
