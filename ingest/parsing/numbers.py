"""Numbers in text, as Arrow arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ingest.parsing.lines import unexpected
from warehouse.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from udfs.arrays import Integers


def cast(values: pa.Array, kind: pa.DataType, lines: Integers, what: str) -> pa.Array:
    """Return text as numbers of a type; "" and null become null.

    `lines` are the values' line numbers. Raises `InputError` at the first that does not fit.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    values = pc.if_else(pc.equal(values, ""), pa.scalar(None, pa.string()), values)
    try:
        return values.cast(kind)
    except pa.ArrowInvalid:
        for value, line in zip(values, lines.tolist(), strict=True):
            if not _fits(value, kind):
                problem = "out of range" if is_number(str(value)) else "not a number"
                raise InputError(
                    f"the {what} {value} is {problem}",
                    where=f"line {line}",
                    expected=f"a number within {kind.bit_width} bits",
                ) from None
        raise


def number(cell: str, where: str) -> float:
    """Return the number in a cell; raises `InputError` where it is none."""
    try:
        return float(cell)
    except ValueError:
        raise unexpected(cell, where, "a number") from None


def is_number(text: str) -> bool:
    """Return whether text is a number as Python reads it."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _fits(value: Any, kind: pa.DataType) -> bool:
    import pyarrow as pa

    try:
        value.cast(kind)
    except pa.ArrowInvalid:
        return False
    return True
