"""Writes pprof profiles (profile.proto) from stacks that a test can show on one screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# Functions from the root, and a value of each sample type.
Sample = tuple[Sequence[str], Sequence[int]]


def number(field: int, value: int) -> bytes:
    """Return a field with a number."""
    return _varint(field << 3) + _varint(value % (1 << 64))


def part(field: int, content: bytes) -> bytes:
    """Return a field with bytes: a text, a message or packed numbers."""
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def profile(
    types: Sequence[tuple[str, str]],
    samples: Sequence[Sample],
    *,
    files: Mapping[str, str] | None = None,
    labels: Mapping[str, int] | None = None,
    more: bytes = b"",
) -> bytes:
    """Return a profile. Functions joined with + are one location: the right one was inlined.

    `files` are the files of functions, `labels` numbers that every sample has.
    """
    texts: dict[str, int] = {"": 0}
    functions: dict[str, int] = {}
    locations: dict[str, int] = {}
    data = b""

    def text(value: str) -> int:
        return texts.setdefault(value, len(texts))

    for name, unit in types:
        data += part(1, number(1, text(name)) + number(2, text(unit)))
    for stack, values in samples:
        for place in stack:
            locations.setdefault(place, len(locations) + 1)
            for name in place.split("+"):
                functions.setdefault(name, len(functions) + 1)
        ids = b"".join(_varint(locations[place]) for place in reversed(stack))
        content = part(1, ids) + part(2, b"".join(_varint(v % (1 << 64)) for v in values))
        for label, value in (labels or {}).items():
            content += part(3, number(1, text(label)) + number(3, value))
        data += part(2, content)
    for place, code in locations.items():
        lines = (part(4, number(1, functions[name])) for name in reversed(place.split("+")))
        data += part(4, number(1, code) + b"".join(lines))
    for name, code in functions.items():
        file = text((files or {}).get(name, ""))
        data += part(5, number(1, code) + number(2, text(name)) + number(4, file))
    return data + b"".join(part(6, value.encode()) for value in texts) + more


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])
