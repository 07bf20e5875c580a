"""Output of the benchmarks of machines: STREAM, OSU's and Intel's of MPI, HPL; and nanobench.

Sources: stream.c 5.10, osu_util.c of the OSU Micro-Benchmarks 7, the user guide of the Intel MPI
Benchmarks, HPL_pdtest.c of HPL 2.3, the documentation of nanobench. One file may have tables of
several, with other output between; where a result is repeated, it is of the next run. Times land in
seconds, rates in the unit that is printed, parameters in the name: osu_bw's of 1024 bytes is
`OSU MPI Bandwidth(size=1024)`. Mean times of MPI calls are those of functions, too, such as
`MPI_Allreduce(size=1024)`, at the processes that the file states, so that they can be modelled:
OSU's states none, and they are those of the run. A result of HPL whose residual is too large is
left out, and so is what follows from the rest: rates and totals of nanobench.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ingest.base import Item, LeftOut, Rows, Run
from ingest.parsing.lines import numbered_lines
from ingest.parsing.metric_values import Found, rows
from ingest.parsing.units import SECONDS
from ingest.recording import Recording
from warehouse.errors import InputError

_NUMBER = r"\d+\.?\d*(?:[eE][-+]?\d+)?"
_STREAM = re.compile(r"Function +(?:Best )?Rate \(?MB/s\)? +Avg time +Min time +Max time")
_STREAM_ROW = re.compile(rf"(\w+): +({_NUMBER}) +({_NUMBER}) +({_NUMBER}) +({_NUMBER})")
_THREADS = re.compile(r"Number of Threads counted = (\d+)")
_OSU = re.compile(r"# (OSU .+?)(?: Test)?(?: v[\d.]+)?")
_OSU_CALL = re.compile(r"OSU MPI ((?!Multi)\S+|All-to-All\S* Personalized Exchange) Latency")
_OSU_CALLS = {
    "Broadcast": "Bcast",
    "All-to-All Personalized Exchange": "Alltoall",
    "All-to-Allv Personalized Exchange": "Alltoallv",
}
"""Calls that OSU's titles do not name as MPI does."""
_MEANS = ("t_avg", "t", "Avg Latency", "Latency")
"""Columns with the mean time of a call."""
_IMB = re.compile(r"# Benchmarking (\S.*)")
_IMB_PROCESSES = re.compile(r"# #processes = (\d+)")
_COLUMN = re.compile(r"(.*?) ?[(\[](us|usec|MB/s)[)\]]|(MB/s|Messages/s|Mbytes/sec)")
_HPL = re.compile(r"T/V +N +NB +P +Q +Time +Gflops")
_HPL_ROW = re.compile(rf"(W[RC]\w+) +(\d+) +(\d+) +(\d+) +(\d+) +({_NUMBER}) +({_NUMBER})")
_NANOBENCH = re.compile(r"\|(?: +relative \|)? +ns/(\S+) \| .*\|.*")
_NANOBENCH_NAME = re.compile(r"[^`]*`(.*?)`(?: \(Unstable .*)?")
# A rule, a row of numbers, or one with a name before or behind it.
_LAST = re.compile(
    rf"[-=]{{5,}}\s*|\s*(?:{_NUMBER}\s+)+{_NUMBER}\s*|{_STREAM_ROW.pattern}|{_HPL_ROW.pattern}"
    rf"|\|.*{_NANOBENCH_NAME.pattern}"
)
_OF_NANOBENCH = {"ins": "instructions", "cyc": "cycles", "bra": "branches"}
_RATES = {"Mbytes/sec": "MB/s"}


@dataclass(slots=True)
class _Table:
    """Where one is in a file: the table, its title and the columns with a name and a unit."""

    kind: str = ""
    title: str = ""
    processes: str = ""
    columns: list[tuple[int, str, str]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    is_checked: bool = True  # whether the residual of HPL's last result was seen
    # run, function, processes and seconds
    calls: list[tuple[int, str, int | None, float]] = field(default_factory=list)


def items(recording: Recording) -> Iterator[Item]:
    """Yield the runs and their values; raises `InputError` where no table has a row."""
    found, table = Found(), _Table()
    for _, line in numbered_lines(recording, must_end=_LAST.fullmatch):
        _take(line.strip(), table, found)
    if not found.values and not found.failed:
        raise InputError("the tables have no row", expected="a result below each heading")
    several = len(found.threads) > 1
    for number, threads in enumerate(found.threads):
        yield Run(key=str(number) if several else None, threads=threads)
    yield rows(found.values)
    if table.calls:
        names = ("run", "function", "parallelism", "seconds")
        yield Rows.of_records("fn_timings", names, table.calls)
    yield LeftOut(found.failed, "result", "its residual is too large")


def _take(line: str, table: _Table, found: Found) -> None:
    """Add what a line has to what was found, or remember what the next lines are of."""
    if counted := _THREADS.fullmatch(line):
        found.next_run(int(counted[1]))
    elif _STREAM.fullmatch(line):
        table.kind = "stream"
    elif title := _OSU.fullmatch(line):
        table.kind, table.title, table.columns = "osu", title[1], []
    elif title := _IMB.fullmatch(line):
        table.kind, table.title, table.processes, table.columns = "imb", title[1].strip(), "", []
    elif _HPL.fullmatch(line):
        table.kind = "hpl"
    elif unit := _NANOBENCH.fullmatch(line):
        table.kind, table.title = "nanobench", unit[1]
        table.keys = _cells(line)
    elif table.kind == "stream" and (row := _STREAM_ROW.fullmatch(line)):
        found.add(row[1], float(row[2]), "MB/s")
        for name, value in zip(("avg time", "min time", "max time"), row.groups()[2:], strict=True):
            found.add(f"{row[1]} {name}", float(value), "s")
    elif table.kind == "hpl":
        _hpl(line, table, found)
    elif table.kind == "nanobench" and line.startswith("|"):
        _nanobench(_cells(line), table, found)
    elif table.kind in ("osu", "imb"):
        _message_sizes(line, table, found)


def _message_sizes(line: str, table: _Table, found: Found) -> None:
    """Take a line of a table with a row for each size of a message."""
    if processes := _IMB_PROCESSES.fullmatch(line):
        table.processes = processes[1]
    elif line.startswith("#"):
        table.keys = re.split(r"  +" if table.kind == "osu" else r" +", line.lstrip("# "))
        table.columns = [
            (place, column[1] or "", column[2] or column[3])
            for place, word in enumerate(table.keys)
            if (column := _COLUMN.fullmatch(word))
        ]
    elif table.columns and len(cells := line.split()) == len(table.keys):
        if not all(re.fullmatch(_NUMBER, cell) for cell in cells):
            return
        parameters = {"processes": table.processes} if table.processes else {}
        if table.keys[0] in ("Size", "bytes"):
            parameters["size"] = cells[0]
        for place, name, printed in table.columns:
            unit = _RATES.get(printed, printed)
            which = f" {name or unit}" if len(table.columns) > 1 else ""
            value = float(cells[place])
            found.add(_named(f"{table.title}{which}", parameters), value, unit)
            if name in _MEANS and value > 0 and unit in SECONDS:
                size = {"size": parameters["size"]} if "size" in parameters else {}
                count = int(table.processes) if table.processes else None
                call = (_named(_call(table), size), count, value * SECONDS[unit])
                table.calls.append((len(found.threads) - 1, *call))


def _call(table: _Table) -> str:
    """Return the MPI function that a table is of, such as MPI_Allreduce."""
    if table.kind == "imb":
        return f"MPI_{table.title}"
    named = _OSU_CALL.fullmatch(table.title)
    return f"MPI_{_OSU_CALLS.get(named[1], named[1])}" if named else table.title


def _hpl(line: str, table: _Table, found: Found) -> None:
    """Take a result of HPL, or take it back where its residual is too large."""
    if row := _HPL_ROW.fullmatch(line):
        parameters = dict(
            zip(("N", "NB", "P", "Q", "variant"), (*row.groups()[1:5], row[1]), strict=True)
        )
        found.add(_named("HPL", parameters), float(row[7]), "Gflop/s")
        found.add(_named("HPL time", parameters), float(row[6]), "s")
        table.is_checked = False
    elif line.startswith("||Ax-b||") and line.endswith("FAILED") and not table.is_checked:
        # HPL before 2.0 has three residuals.
        table.is_checked = True
        del found.values[-2:]
        found.failed += 1


def _nanobench(cells: list[str], table: _Table, found: Found) -> None:
    """Take a row of nanobench's table; its error is the median's, and no deviation."""
    named = _NANOBENCH_NAME.fullmatch(cells[-1])
    if named is None or len(cells) != len(table.keys):
        return
    for key, cell in zip(table.keys, cells, strict=True):
        what, _, unit = key.partition("/")
        number = cell.replace(",", "")
        if not re.fullmatch(_NUMBER, number):
            continue
        if what == "ns":
            each = "" if unit == "op" else f" per {unit}"
            found.add(f"{named[1]}{each}", float(number) * 1e-9, "s")
        elif what in _OF_NANOBENCH:
            found.add(f"{named[1]} {_OF_NANOBENCH[what]}", float(number), None)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def _named(name: str, parameters: Mapping[str, str]) -> str:
    inside = ",".join(f"{key}={value}" for key, value in parameters.items())
    return f"{name}({inside})" if inside else name
