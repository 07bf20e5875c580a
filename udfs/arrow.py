"""Arrow columns as DuckDB passes them to functions for SQL.

Arrow's own functions on columns would do, but take as long to import as DuckDB itself, in each
command that calls one.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from udfs import UDFS

Column: TypeAlias = pa.Array | pa.ChunkedArray


def contiguous(column: Column) -> Any:
    """Return a column, of one or several chunks, as one array."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def is_known(array: pa.Array) -> NDArray[np.bool_]:
    """Return which of n values are not NULL."""
    if not array.null_count:
        return np.ones(len(array), bool)
    bits = np.frombuffer(array.buffers()[0], np.uint8)
    known = np.unpackbits(bits, bitorder="little")[array.offset : array.offset + len(array)]
    return known.astype(bool)


def numbers(array: pa.Array) -> NDArray[Any]:
    """Return n whole numbers, 0 where one is NULL, in the type that they have."""
    known: NDArray[Any] = (array.fill_null(0) if array.null_count else array).to_numpy()
    return known


def lengths(lists: pa.ListArray) -> NDArray[np.int32]:
    """Return the number of elements of each of n lists, 0 where one is NULL."""
    return np.diff(np.asarray(lists.offsets)).astype(np.int32)


def elements(lists: pa.ListArray) -> pa.Array:
    """Return the elements of all lists, one list after another."""
    ends = lists.offsets
    return lists.values[ends[0].as_py() : ends[-1].as_py()]


_PLAIN = {
    "BIGINT": pa.int64(),
    "BLOB": pa.binary(),
    "BOOLEAN": pa.bool_(),
    "DOUBLE": pa.float64(),
    "FLOAT": pa.float32(),
    "INTEGER": pa.int32(),
    "UBIGINT": pa.uint64(),
    "VARCHAR": pa.string(),
}


def returned(name: str) -> pa.DataType:
    """Return the Arrow type of what a function for SQL returns, as `udfs.UDFS` declares it."""
    return arrow_type(next(udf.returns for udf in UDFS if udf.name == name))


def arrow_type(sql: str) -> pa.DataType:
    """Return the Arrow type of a SQL type: DOUBLE, K[], MAP(K, V), STRUCT(name K, "order" V)."""
    if sql.endswith("[]"):
        return pa.list_(arrow_type(sql[:-2]))
    outer, _, inner = sql.removesuffix(")").partition("(")
    if outer == "MAP":
        return pa.map_(*map(arrow_type, _parts(inner)))
    if outer == "STRUCT":
        fields = [part.split(" ", 1) for part in _parts(inner)]
        return pa.struct([(name.strip('"'), arrow_type(kind)) for name, kind in fields])
    return _PLAIN[sql]


def _parts(text: str) -> list[str]:
    """Return what commas separate that are in no brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]
