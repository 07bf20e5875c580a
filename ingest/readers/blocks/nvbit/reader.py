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
from functools import partial
from itertools import chain
from pathlib import Path

from ingest.base import BLOCK_TABLES, Head, Item, Run
from ingest.parsing.blocks.spool import Spool, parsed
from ingest.parsing.lines import Chunk, chunks
from ingest.readers.blocks.nvbit.code import Kernel
from ingest.readers.blocks.nvbit.fields import parse
from ingest.readers.blocks.nvbit.files import launches, program_files
from ingest.readers.blocks.nvbit.header import BEGIN, Header, read_header
from ingest.readers.blocks.nvbit.rows import rows
from ingest.readers.blocks.nvbit.trace import Trace
from ingest.recording import Recording
from warehouse.errors import InputError

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
