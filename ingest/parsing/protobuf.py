"""A strict reader of Protocol Buffers' wire format: fields by number, without a schema.

Source: protobuf.dev, "Encoding". The library of Google would do the same with a dependency of its
own; a profile needs three kinds of fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from warehouse.errors import InputError

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_LONGEST = 10


def fields(data: bytes, begin: int = 0, end: int | None = None) -> Iterator[tuple[int, int, int]]:
    """Yield the fields of a message within data: number, value, length.

    Of a varint the value is the number itself, and the length -1; of others the position in
    `data` and the length. Raises `InputError` with the byte where the message is not well formed.
    """
    at, end = begin, len(data) if end is None else end
    while at < end:
        start = at
        tag, at = varint(data, at, end)
        number, kind = tag >> 3, tag & 7
        if kind == VARINT:
            value, at = varint(data, at, end)
            yield number, value, -1
            continue
        if kind == BYTES:
            size, at = varint(data, at, end)
        else:
            size = {FIXED64: 8, FIXED32: 4}.get(kind, -1)
        if not number or size < 0:
            raise damaged(f"a field of kind {kind} with number {number}", start)
        if at + size > end:
            raise damaged(f"field {number} has {size} bytes, of which {end - at} are there", start)
        yield number, at, size
        at += size


def varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Return the number (0 to 2^64 - 1) at a position, and the position behind it."""
    value = 0
    for place, byte in enumerate(data[at : min(at + _LONGEST, end)]):
        value |= (byte & 127) << (7 * place)
        if byte < 128:
            return value & ((1 << 64) - 1), at + place + 1
    raise damaged("a number has no end", at)


def varints(data: bytes, at: int, size: int) -> list[int]:
    """Return the numbers of a packed field."""
    packed = data[at : at + size]
    if not packed or max(packed) < 128:
        return list(packed)
    ends = [place + 1 for place, byte in enumerate(packed) if byte < 128]
    if not ends or ends[-1] != size:
        raise damaged("a number has no end", at)
    return [varint(packed, first, last)[0] for first, last in pairwise((0, *ends))]


def signed(value: int) -> int:
    """Return the number that an int64 field has."""
    return value - (1 << 64) if value >= 1 << 63 else value


def damaged(problem: str, at: int) -> InputError:
    """Return the error for a place."""
    return InputError(
        problem,
        where=f"byte {at} of the decompressed file",
        expected="a whole file in Protocol Buffers",
        hint="Is the file cut off or damaged? Copy or record it again.",
    )
