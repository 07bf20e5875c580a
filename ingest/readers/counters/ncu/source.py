"""Nsight Compute's source page: executed counts per machine instruction (SASS).

Source: Nsight Compute, ncu --page source --csv (`--print-source sass`): per kernel a line with its
name, a heading, and a row an instruction. `Instructions Executed` is by warps; by threads it is
`Thread Instructions Executed`, or in older versions the second column of the same name. There are
no threads, blocks or edges, so `bb` is NULL and only opcodes, barriers among them, are counted.
Version 2025.3 prints the table of each launch twice; it counts once.
Instructions that their predicate switches off count, as in GPGPU-Sim logs. Where a page ends in
the middle of a kernel's code, the tag `incomplete` of the run records it.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from ingest.base import Head, Item, LeftOut, Rows, Run, SingleFile
from ingest.parsing.lines import chunks, quoted
from ingest.recording import Recording
from warehouse.errors import InputError

_START = re.compile(rb'^"Kernel Name","', re.MULTILINE)
_HEADING = re.compile(rb'^(?=[^\n]*"Source")[^\n]*"Instructions Executed"', re.MULTILINE)
_OPCODE = re.compile(r"\s*(?:@!?\w+ +)?([A-Z][A-Z0-9_.a-z]*)(?:[\s;].*)?", re.DOTALL)
_COUNT = re.compile(r"\d{1,3}(?:,\d{3}){0,5}|\d{1,18}")
_WARPS, _THREADS = "Instructions Executed", "Thread Instructions Executed"
# No code ends otherwise: after the last of these nothing is executed.
_LAST = frozenset(("EXIT", "BRA", "JMP", "RET", "NOP", "BPT", "KILL", "RTT"))
_LANES = 32


@dataclass(slots=True)
class _Kernel:
    """Sums over the rows of one kernel; `threads` by opcode, `table` a digest of all fields."""

    name: str
    warps: int = 0
    last: str = ""
    table: int = 0
    threads: Counter[str] = field(default_factory=Counter)


class NcuSource(SingleFile):
    """Source pages of profiled kernels."""

    NAME = "ncu-source"
    DESCRIPTION = "source page of Nsight Compute (ncu --page source --csv): opcodes per kernel"
    PATTERNS = ("source_page.csv", "*.source.csv")
    TABLES = ("bb_launches", "bb_opcodes")

    def sniff(self, head: Head) -> bool:
        """Recognise a kernel's name line before a heading with sources and counts."""
        start = _START.search(head.data)
        return start is not None and _HEADING.search(head.data, start.start()) is not None

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run, and per kernel its launch and opcodes.

        Raises `InputError` with the line where the page is damaged or of another kind.
        """
        yield Run()
        launch, repeats = -1, 0
        before: _Kernel | None = None
        for kernel in _kernels(recording):
            # Samples of stalls differ from launch to launch.
            if kernel == before:
                before, repeats = None, repeats + 1
                continue
            before, launch = kernel, launch + 1
            row = {
                "launch": launch,
                "kernel": kernel.name,
                "warp_size": _LANES,
                "granularity": "warp",
                "instructions": sum(kernel.threads.values()),
                "warp_instructions": kernel.warps,
            }
            yield Rows("bb_launches", pa.Table.from_pylist([row]))
            counts = [(launch, kernel.name, *of_opcode) for of_opcode in kernel.threads.items()]
            yield Rows.of_records("bb_opcodes", ("launch", "kernel", "opcode", "count"), counts)
            if kernel.last not in _LAST:
                yield Run(tags={"incomplete": f"launch {launch}: the page ends inside the code"})
        if launch < 0:
            raise _damaged("there is no kernel", "end of the file")
        yield LeftOut(repeats, "table", "the one before it again, as version 2025.3 prints")


def _kernels(recording: Recording) -> Iterator[_Kernel]:
    """Yield the kernels of a page one after another."""
    kernel: _Kernel | None = None
    columns: tuple[int, int, int] | None = None
    width = 0
    for number, fields in _lines(recording):
        where = f"line {number}"
        if fields[:1] == ["Kernel Name"] and len(fields) > 1 and not any(fields[2:]):
            if kernel is not None:
                yield _whole(kernel, where)
            kernel, columns = _Kernel(fields[1]), None
        elif kernel is None or not fields or fields[0].startswith("=="):
            # What ncu and the program print before and between.
            continue
        elif columns is None and "Source" not in fields and not any(fields[2:]):
            # Other facts of the kernel.
            continue
        elif columns is None:
            columns, width = _columns(fields, where), len(fields)
        elif len(fields) != width:
            raise _damaged(f"the row has {len(fields)} fields, the heading {width}", where)
        else:
            _add(kernel, fields, columns, where)
    if kernel is not None:
        yield _whole(kernel, "end of the file")


def _lines(recording: Recording) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of every line."""
    for chunk in chunks(recording, must_end=True):
        before = chunk.first - 1
        rows = csv.reader(io.StringIO(chunk.text(), newline=""), strict=True)
        try:
            for fields in rows:
                yield before + rows.line_num, fields
        except csv.Error as error:
            where = f"line {before + rows.line_num}"
            raise _damaged(f"the line cannot be read ({error})", where) from None


def _columns(names: Sequence[str], where: str) -> tuple[int, int, int]:
    """Return where the source and the counts by warps and by threads are."""
    counts = [k for k, name in enumerate(names) if name == _WARPS]
    threads = names.index(_THREADS) if _THREADS in names else next(iter(counts[1:]), None)
    if not counts or threads is None or "Source" not in names:
        raise _damaged(
            f"the table's columns are {quoted(','.join(names))}",
            where,
            expected=f'columns "Source", "{_WARPS}" and "{_THREADS}"',
        )
    return names.index("Source"), counts[0], threads


def _add(kernel: _Kernel, fields: Sequence[str], columns: tuple[int, int, int], where: str) -> None:
    source, warps, threads = (fields[k] for k in columns)
    found = _OPCODE.fullmatch(source)
    if found is None:
        raise _damaged(
            f"{quoted(source.strip())} is no machine instruction",
            where,
            expected="SASS such as IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]",
            hint="Print the page with --print-source sass.",
        )
    by_warp, by_thread = (_count(text, where) for text in (warps, threads))
    if by_thread > _LANES * by_warp:
        raise _damaged(
            f"{by_warp} warp instructions cannot be {by_thread} thread instructions", where
        )
    kernel.table = hash((kernel.table, *fields))
    kernel.warps += by_warp
    kernel.threads[found[1]] += by_thread
    kernel.last = found[1].split(".")[0]


def _count(text: str, where: str) -> int:
    if not _COUNT.fullmatch(text):
        raise _damaged(f"the count is {quoted(text)}", where, expected="a whole number")
    return int(text.replace(",", ""))


def _whole(kernel: _Kernel, where: str) -> _Kernel:
    """Raise `InputError` for a kernel without rows, and sums beyond 64 bits."""
    if not kernel.threads:
        raise _damaged(f"the kernel {quoted(kernel.name)} has no instructions", where)
    if sum(kernel.threads.values()) >= 1 << 63:
        raise _damaged("the counts add up to more than 64 bits", where)
    return kernel


def _damaged(
    problem: str,
    where: str,
    *,
    expected: str = '"Kernel Name","NAME", the heading, then a row for every instruction',
    hint: str = "Print the page again: ncu -i REPORT --page source --csv --print-source sass",
) -> InputError:
    return InputError(problem, where=where, expected=expected, hint=hint)
