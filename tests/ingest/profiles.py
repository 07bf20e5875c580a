"""Profiles in the forms of TAU, written by us: the tests' own, and small enough to read."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from ingest.readers.profiles.tau.facts import Location

# Name, calls, then exclusive and inclusive value; for packed profiles one pair a metric.
Row = tuple[str, float, float, float]


def quoted(row: Row, group: str = "TAU_USER") -> str:
    """Write one line of a text profile."""
    name, calls, exclusive, inclusive = row
    if " => " in name:
        group = f"TAU_CALLPATH|{group}"
    return f'"{name}" {calls:.16G} 0 {exclusive:.16G} {inclusive:.16G} 0 GROUP="{group}" \n'


def text_profile(
    lines: Sequence[Row | str],
    metric: str = "TIME",
    metadata: Mapping[str, str] | None = None,
    events: Sequence[str] = (),
) -> str:
    """Write a text profile; lines are rows, or text to be written as it is."""
    pairs = {"Metric Name": metric, **(metadata or {})}
    xml = "".join(
        f"<attribute><name>{name}</name><value>{value}</value></attribute>"
        for name, value in pairs.items()
    )
    head = f"{len(lines)} templated_functions_MULTI_{metric}\n"
    head += f"# Name Calls Subrs Excl Incl ProfileCalls # <metadata>{xml}</metadata>\n"
    tail = "0 aggregates\n"
    if events:
        tail += f"{len(events)} userevents\n# eventname numevents max min mean sumsqr\n"
    body = "".join(line if isinstance(line, str) else quoted(line) for line in lines)
    return head + body + tail + "".join(f'"{event}" 1 8 8 8 64\n' for event in events)


def write_profiles(folder: Path, texts: Mapping[str, str]) -> Path:
    """Write text profiles by name and return the path of the first."""
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder / next(iter(texts))


def _text(value: str) -> bytes:
    raw = value.encode("utf-16-be", "surrogatepass")
    # Java writes half characters, each in three bytes.
    units = struct.unpack(f">{len(raw) // 2}H", raw)
    packed = b"".join(chr(unit).encode("utf-8", "surrogatepass") for unit in units)
    packed = packed.replace(b"\0", b"\xc0\x80")
    return struct.pack(">H", len(packed)) + packed


def _pairs(metadata: Mapping[str, str]) -> bytes:
    return struct.pack(">i", len(metadata)) + b"".join(
        _text(name) + _text(value) for name, value in metadata.items()
    )


def _texts(values: Sequence[str]) -> bytes:
    return struct.pack(">i", len(values)) + b"".join(map(_text, values))


def packed_bytes(
    threads: Mapping[Location, Sequence[Sequence[float]]],
    functions: Sequence[tuple[str, str]],
    metrics: Sequence[str] = ("TIME",),
    metadata: Mapping[str, str] | None = None,
    events: Sequence[str] = (),
    version: tuple[int, int] = (2, 1),
) -> bytes:
    """Write a packed profile without its compression.

    `functions` are names and groups (joined with |); a thread's rows are function, calls, and
    exclusive and inclusive value for each metric.
    """
    groups = sorted({group for _, joined in functions for group in joined.split("|")})
    header = struct.pack(">i", 0) + _pairs(metadata or {}) + struct.pack(">i", len(threads))
    for location in threads:
        header += struct.pack(">3i", *location) + _pairs({"pid": str(4000 + location[0])})
    data = "PPK".encode("utf-16-be") + struct.pack(">3i", *version, len(header)) + header
    data += _texts(metrics) + _texts(groups) + struct.pack(">i", len(functions))
    for name, joined in functions:
        numbers = [groups.index(group) for group in joined.split("|")]
        data += _text(name) + struct.pack(f">{1 + len(numbers)}i", len(numbers), *numbers)
    data += _texts(events) + struct.pack(">i", len(threads))
    event_rows = b"".join(
        struct.pack(">2i4d", event, 1, 8.0, 8.0, 8.0, 64.0) for event in range(len(events))
    )
    parts = [data]
    for location, rows in threads.items():
        parts.append(struct.pack(">4i", *location, len(rows)))
        for function, calls, *values in rows:
            parts.append(struct.pack(f">i{2 + len(values)}d", int(function), calls, 0.0, *values))
        parts.append(struct.pack(">i", len(events)) + event_rows)
    return b"".join(parts)


def write_packed(path: Path, data: bytes) -> Path:
    """Compress a packed profile into a file; equal data make equal files."""
    path.write_bytes(gzip.compress(data, mtime=0))
    return path
