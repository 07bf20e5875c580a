"""Which files of a folder are the traces of one program.

The tracer writes a file a launch, kernel-1.traceg, kernel-2.traceg ..., and kernelslist.g, which
names them in the order of their launches, between the copies of memory.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from ingest.compressed import SUFFIXES, bare_name, open_bytes, sibling
from ingest.parsing.lines import numbered_lines
from ingest.recording import Recording
from warehouse.errors import InputError

LIST = "kernelslist.g"
_COPY = re.compile(r"Memcpy\w+,0x[0-9a-f]+,\d+\s*")
_NUMBERED = re.compile(r"kernel-(\d{1,9})((?:-[\w.-]+)?\.traceg)")


def program_files(path: Path) -> tuple[Path, ...]:
    """Return all files of the program that `path` belongs to: the list, then its traces in order.

    Without a list the traces that are numbered are taken in the order of their numbers.
    """
    name = bare_name(path)
    listing = path if name == LIST else sibling(path, LIST)
    if listing is not None and listing.is_file():
        names = [bare_name(Path(line)) for line in _trace_names(_content(listing))]
        traces = [found for one in dict.fromkeys(names) if (found := sibling(path, one))]
        if name == LIST or name in names:
            return (listing, *traces)
        return (path,)
    if not _NUMBERED.fullmatch(name):
        return (path,)
    numbered: dict[tuple[int, str], Path] = {}
    for other in sorted(path.parent.iterdir()):
        match = _NUMBERED.fullmatch(bare_name(other))
        if match and other.is_file():
            numbered.setdefault((int(match[1]), match[2]), other)
    return tuple(numbered[key] for key in sorted(numbered))


def launches(recording: Recording) -> list[Path]:
    """Return the trace of every launch in order.

    Raises `InputError` where the list names a trace that is not there, or none at all.
    """
    if bare_name(recording.path) != LIST:
        return list(recording.parts)
    found = []
    for number, line in numbered_lines(recording, must_end=_is_whole):
        for name in _trace_names(line.encode()):
            part = recording.part(bare_name(Path(name)))
            if part is None:
                raise InputError(
                    f"{name} is listed, but not there",
                    where=f"line {number}",
                    expected="every trace next to the list, compressed or not",
                    hint="Copy the whole folder.",
                )
            found.append(part)
    if not found:
        raise InputError(
            "the list names no trace",
            expected="lines such as kernel-1.traceg",
            hint="Was the program traced at all? The tracer leaves out kernels outside "
            "DYNAMIC_KERNEL_LIMIT_START and _END.",
        )
    return found


def _is_whole(line: str) -> bool:
    return bool(_trace_names(line.encode()) or _COPY.fullmatch(line))


def _content(listing: Path) -> bytes:
    """Return what can be read of the list; damage is reported when it is read for its rows."""
    content = b""
    with suppress(InputError), open_bytes(listing) as file:
        while more := file.read1(1 << 20):
            content += more
    return content


def _trace_names(text: bytes) -> list[str]:
    """Return the lines that name traces; the others are copies of memory and the like."""
    names = []
    for line in text.decode("utf-8", "replace").splitlines():
        name = line.strip()
        stem, dot, suffix = name.rpartition(".")
        plain = stem if f"{dot}{suffix}" in SUFFIXES else name
        if plain.endswith(".traceg") and not re.search(r"[/\\\0]", name):
            names.append(name)
    return names
