"""Warp traces of real GPUs: Accel-Sim's NVBit tracer, after its post-processing.

Source: Accel-Sim (github.com/accel-sim/accel-sim-framework), util/tracer_nvbit: kernelslist.g and
a .traceg file, maybe compressed, for every launch. A line is one warp instruction, with a mask of
the lanes that execute it; thread blocks, warps and lanes are known, so rows are by thread.

- `instructions`, and counts of opcodes, are by mask: a lane that its predicate switches off does
  not count. An opcode that only such lanes meet has the count 0.
- Visits are by active lanes: see `ingest.readers.blocks.nvbit.counts`.
- Dependences are counted for all instructions of a visit, switched off or not, as in GPGPU-Sim
  logs; predicates are not in the trace, so only registers count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path

from ingest.base import BLOCK_TABLES, Head, Item, Run
from ingest.compressed import SUFFIXES, bare_name, open_bytes, sibling
from ingest.parsing.blocks.spool import Spool, parsed
from ingest.parsing.lines import Chunk, chunks, numbered_lines
from ingest.readers.blocks.nvbit.code import Kernel
from ingest.readers.blocks.nvbit.fields import parse
from ingest.readers.blocks.nvbit.header import BEGIN, Header, read_header
from ingest.readers.blocks.nvbit.rows import rows
from ingest.readers.blocks.nvbit.trace import Trace
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


_PIECE = 4 << 20
_LONGEST_HEADER = 1 << 20
_TRACE = re.compile(rb"-kernel name = |(?:-[\w ]+ = [^\n]*\n)*#(?:traces format =|BEGIN_TB\s)")
_LISTED = re.compile(rb"\s*(?:Memcpy|kernel-)")


class Nvbit:
    """Reads traces of warps."""

    NAME = "nvbit"
    DESCRIPTION = "warp traces of a real GPU by Accel-Sim's NVBit tracer (.traceg)"
    PATTERNS = ("kernelslist.g", "*.traceg", "*.traceg.xz")
    TABLES = BLOCK_TABLES
    WHOLE_FOLDER = True

    def sniff(self, head: Head) -> bool:
        """Recognise the header of a trace, or the list of traces."""
        if head.name == "kernelslist.g" and _LISTED.match(head.data):
            return True
        return _TRACE.match(head.data.lstrip()) is not None

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return the list and the traces of all launches."""
        return program_files(path) or (path,)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run, its launches, and sums over their threads.

        Raises `InputError` where a trace is damaged or not whole.
        """
        spool: Spool[int] = Spool()
        kernels: dict[str, Kernel] = {}
        headers: list[Header] = []
        try:
            for launch, part in enumerate(launches(recording)):
                headers.append(_read_trace(recording, part, launch, kernels, spool))
            yield _run(headers)
            yield from rows(headers, kernels, spool)
        finally:
            spool.close()


def _read_trace(
    recording: Recording, part: Path, launch: int, kernels: dict[str, Kernel], spool: Spool[int]
) -> Header:
    """Check one trace and put it aside."""
    pieces = chunks(recording, part, _PIECE)
    nothing = Chunk(b"")
    first = next(pieces, nothing).data
    while BEGIN not in first and len(first) < _LONGEST_HEADER:
        more = next(pieces, nothing).data
        if not more:
            break
        first += more
    begin = first.find(BEGIN)
    header = read_header(first if begin < 0 else first[:begin], part.name)
    if begin < 0:
        raise InputError(
            "there is no thread block",
            where=f"{part.name}, line {len(first.splitlines()) or 1}",
            expected="#BEGIN_TB after the header",
            hint="Is the file cut off? Copy or record it again.",
        )
    kernel = kernels.setdefault(header.kernel, Kernel(header.kernel, header.sm))
    if kernel.sm != header.sm:
        raise InputError(
            f"the kernel is code for sm_{header.sm}, before it was for sm_{kernel.sm}",
            where=f"{part.name}, line 1",
            expected="traces of one GPU",
        )
    before = first.count(b"\n", 0, begin)
    trace = Trace(header, kernel, spool, launch, part.name, before)
    body = chain([Chunk(first[begin:], before + 1)], pieces)
    for fields in parsed(body, partial(parse, line_numbers=header.line_numbers)):
        trace.take(fields)
    trace.finish()
    return header


def _run(headers: list[Header]) -> Run:
    tags = {"sm": f"sm_{headers[0].sm}"}
    if headers[0].nvbit:
        tags["tracer"] = f"NVBit {headers[0].nvbit}"
    return Run(tags=tags)
