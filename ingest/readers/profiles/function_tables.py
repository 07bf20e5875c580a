"""Tables of times by function that other profilers print: a total and a number of calls each.

Sources: the reports of `nsys stats` (text, --format csv; also of `nsys profile --stats=true`), the
summary of nvprof (text, --csv), `rocprof --stats` and rocprofv3's *_stats.csv, and
`vtune -report hotspots -format csv`. What lands in fn_timings: `seconds` is the total; of NVTX
ranges, which lie within each other, it is `inclusive_seconds`. `kind` is the section of the table
(nvprof) or follows from its columns: kernel, api, memory, range. Tables without times are left out.
Each process that nvprof profiled is a run.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingest.base import Item, LeftOut, Rows, Run, SingleFile
from ingest.parsing.call_paths import frame_name
from ingest.parsing.lines import check_line_end, named_cells, unexpected, whole_text
from ingest.parsing.units import SECONDS
from ingest.recording import Recording
from warehouse.errors import InputError

_REPORT = re.compile(r" \*\* \S.* \((\w+)\):\s*")  # of nsys stats
_LIMIT = 64 << 20
_SHARE = r'"?Time ?\(%\)"?'
_NAMES = ("name", "operation", "range", "event", "function")
_CALLS = ("instances", "num calls", "calls", "count")
_KINDS = {"num calls": "api", "instances": "kernel", "count": "memory"}
_TOTAL = re.compile(r"total ?time ?\((ns|us|ms|s|sec)\)|totalduration(ns)|cpu time(?::self)?")
_WITH_UNIT = re.compile(r"([\d.]+) ?(ns|us|ms|s)")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DASHES = re.compile(r" *-{2,}(?: +-{2,})+ *")
_NVPROF_START = re.compile(r" *(?:(?:GPU activities|API calls):|\d[\d.]*(?:%|$))")
_NVPROF_ROW = re.compile(
    r" *(?:(GPU activities|API calls):)? *[\d.]+% +([\d.]+)(ns|us|ms|s) +(\d+)"
    r"(?: +[\d.]+(?:ns|us|ms|s)){3} +(\S.*)"
)
_NVPROF_SECTION = re.compile(r"==(\d+)== (Profiling result|API calls):")
_COMMAND = re.compile(r"^==(\d+)== NVPROF is profiling process \d+, command: (\S+)", re.MULTILINE)
_NVPROF_KINDS = {"GPU activities": "gpu", "API calls": "api", "Profiling result": "gpu"}
_COLUMNS = ("run", "function", "kind", "seconds", "inclusive_seconds", "calls")

Cells = Callable[[str], Sequence[str]]


@dataclass(slots=True)
class _Table:
    """A heading: how its lines are split, and where the columns are."""

    cells: Cells
    columns: list[str]
    name: int
    total: int
    scale: float | None
    calls: int | None
    kind: int | str | None


@dataclass(slots=True)
class _Found:
    """Content of the tables of a file: rows of the columns, with the process for the run."""

    process: str = ""
    rows: list[tuple[Any, ...]] = field(default_factory=list)

    def add(self, name: str, kind: str | None, seconds: float, calls: int | None) -> None:
        times = (None, seconds) if kind == "range" else (seconds, None)
        self.rows.append((self.process, frame_name(name), kind, *times, calls))


class FunctionTables(SingleFile):
    """Times by function that nsys stats, nvprof, rocprof and VTune print."""

    NAME = "function-tables"
    DESCRIPTION = "times by function: nsys stats, nvprof, rocprof --stats, VTune's hotspots (CSV)"
    PATTERNS = ("*_cuda_gpu_kern_sum.csv", "*_kernel_stats.csv", "*.stats.csv", "nvprof.txt")
    TABLES = ("fn_timings",)
    SIGN = re.compile(
        rf'^ *(?:(?:"?Type"?,)?{_SHARE},"?(?:Total )?Time|(?:Type +)?{_SHARE} +(?:Total )?Time'
        r'|"?Name"?,"?Calls"?,"?TotalDurationNs"?'
        r"|\"?Function\"?[,;\t]\"?CPU Time)".encode(),
        re.MULTILINE,
    )

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and the times of its functions."""
        text = whole_text(recording, limit=_LIMIT)
        check_line_end(recording, text, _is_whole)
        found, others = _read(text)
        if not found.rows:
            raise InputError("no table has a function", expected="a row for each function")
        commands = dict(_COMMAND.findall(text))
        processes = list(dict.fromkeys(process for process, *_ in found.rows))
        for process in processes:
            app = commands.get(process, "").rsplit("/", 1)[-1] or None
            yield Run(key=process if len(processes) > 1 else None, app=app)
        rows = [(processes.index(process), *row) for process, *row in found.rows]
        yield Rows.of_records("fn_timings", _COLUMNS, rows)
        yield LeftOut(others, "table", "it has no times by function")


def _is_whole(line: str) -> bool:
    """Return whether a line is no part of a row of nvprof; rows of other tables are counted."""
    is_other = line.strip() and not _NVPROF_START.match(line)
    return bool(is_other or _NVPROF_ROW.fullmatch(line))


def _read(text: str) -> tuple[_Found, int]:
    """Return what the tables have, and the number of those that have no times."""
    found = _Found()
    others = 0
    table: _Table | None = None
    section: str | None = None
    reports: set[str] = set()
    before = ""
    for number, line in enumerate(text.splitlines(), 1):
        if report := _REPORT.fullmatch(line):
            if report[1] in reports:
                raise InputError(
                    f"the report {report[1]} is repeated",
                    where=f"line {number}",
                    expected="what nsys stats prints of one recording",
                    hint="Keep each recording's reports in a file of their own.",
                )
            reports.add(report[1])
        if row := _NVPROF_ROW.fullmatch(line):
            section = row[1] or section
            seconds = float(row[2]) * SECONDS[row[3]]
            found.add(row[5].rstrip(), _NVPROF_KINDS.get(section or ""), seconds, int(row[4]))
        elif heading := _NVPROF_SECTION.match(line):
            table, found.process, section = None, heading[1], heading[2]
        elif not line.strip():
            table = None
        elif _DASHES.fullmatch(line):
            table = _table(before, _spans(line))
            others += table is None
        elif table is None:
            table = _table(line, _separated(line))
        else:
            _take(table, found, line, number)
        before = line
    return found, others


def _take(table: _Table, found: _Found, line: str, number: int) -> None:
    """Add a row of a table; the first of nvprof has the units, or each of its times has its own."""
    cells = [cell.strip() for cell in table.cells(line)]
    where = f"line {number}"
    named_cells(table.columns, cells, where)
    total, scale = cells[table.total], table.scale
    if scale is None and total in SECONDS:
        table.scale = SECONDS[total]
        return
    if scale is None:
        own = _WITH_UNIT.fullmatch(total)
        if own is None:
            problem = f"the time {total!r} has no known unit"
            raise InputError(
                problem, where=where, expected="ns, us, ms or s, in a row below the heading"
            )
        total, scale = own[1], SECONDS[own[2]]
    kind = table.kind
    if isinstance(kind, int):
        kind = _NVPROF_KINDS.get(cells[kind], cells[kind])
    # nsys groups thousands, and its tables have calls; elsewhere a comma may be a decimal one.
    has_groups = table.calls is not None
    seconds = _number(total, where, has_groups=has_groups) * scale
    calls = None
    if table.calls is not None:
        calls = int(_number(cells[table.calls], where, has_groups=has_groups))
    found.add(cells[table.name], kind, seconds, calls)


def _number(cell: str, where: str, *, has_groups: bool) -> float:
    is_grouped = has_groups and _GROUPED.fullmatch(cell)
    try:
        value = float(cell.replace(",", "") if is_grouped else cell)
    except ValueError:
        raise unexpected(cell, where, "a number") from None
    if not 0 <= value < 1e18:
        raise InputError(f"{cell} is out of range", where=where, expected="0 or more")
    return value


def _table(heading: str, cells: Cells) -> _Table | None:
    """Return the table of a heading, None where it has no times by function."""
    columns = [cell.strip().lower() for cell in cells(heading)]
    name = _first(columns, _NAMES)
    calls = _first(columns, _CALLS)
    totals = [at for at, column in enumerate(columns) if _TOTAL.fullmatch(column)]
    if name is None:
        return None
    kind: int | str | None = None
    if "time(%)" in columns and "time" in columns:
        total, scale = columns.index("time"), None
        kind = columns.index("type") if "type" in columns else "gpu"
    elif totals:
        total = totals[0]
        unit = _TOTAL.fullmatch(columns[total])
        scale = SECONDS[(unit and (unit[1] or unit[2])) or "s"]
        if calls is not None:
            kind = "range" if columns[name] == "range" else _KINDS.get(columns[calls])
    else:
        return None
    return _Table(cells, columns, name, total, scale, calls, kind)


def _first(columns: list[str], names: tuple[str, ...]) -> int | None:
    return next((columns.index(name) for name in names if name in columns), None)


def _separated(heading: str) -> Cells:
    """Return how the lines of CSV are split, by the separator that the heading has most of."""
    separator = max(",;\t", key=heading.count)
    return lambda line: next(csv.reader([line], delimiter=separator))


def _spans(dashes: str) -> Cells:
    """Return how lines are split below which columns are underlined."""
    ends = [found.end() for found in re.finditer(r"-+", dashes)][:-1]

    def cells(line: str) -> list[str]:
        # Numbers are aligned at the right of their column, the name is the last one.
        return [line[a:b] for a, b in zip([0, *ends], [*ends, len(line)], strict=True)]

    return cells
