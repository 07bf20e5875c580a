"""A writer of Protocol Buffers' wire format: fields by number, without a schema.

Source: protobuf.dev, "Encoding". Each function returns the bytes of one field.
"""

from __future__ import annotations

import struct

_VARINT, _FIXED64, _BYTES = 0, 1, 2
_MASK = (1 << 64) - 1


def varint(value: int) -> bytes:
    """Return a number of 64 bits as a varint; negative ones as their two's complement."""
    value &= _MASK
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)


def number(field: int, value: int) -> bytes:
    """Return a field of a whole number, enumeration or truth value."""
    return varint(field << 3 | _VARINT) + varint(value)


def fixed64(field: int, value: int) -> bytes:
    """Return a field of eight bytes."""
    return varint(field << 3 | _FIXED64) + struct.pack("<Q", value)


def double(field: int, value: float) -> bytes:
    """Return a field of a double."""
    return varint(field << 3 | _FIXED64) + struct.pack("<d", value)


def packed(field: int, values: list[int]) -> bytes:
    """Return a field of repeated whole numbers."""
    return message(field, b"".join(map(varint, values)))


def message(field: int, *parts: bytes) -> bytes:
    """Return a field of a message, whose fields are the parts."""
    body = b"".join(parts)
    return varint(field << 3 | _BYTES) + varint(len(body)) + body


def text(field: int, value: str) -> bytes:
    """Return a field of text."""
    return message(field, value.encode(errors="replace"))
