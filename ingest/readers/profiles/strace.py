"""Counts of calls by `strace -c` (system calls) and `ltrace -c` (functions of libraries).

Sources: strace(1), option -c, and ltrace(1). What the traced program printed may come before. Each
call is a function of fn_timings: its calls, and the seconds of strace's table (time of the
processor within the kernel, wall time with -w) or of ltrace's (wall time in the function). The
errors that system calls returned are in pmu_samples, event `errors`. Seconds have six decimals,
after a point or, in some languages, a comma. Both tools slow the program
down, and the calls with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ingest.base import Head, Item, LeftOut, Rows, Run, SingleFile
from ingest.parsing.lines import numbered_lines, quoted
from ingest.recording import Recording
from warehouse.errors import InputError

_HEADING = re.compile(r"% time +seconds +usecs/call +calls +(?:errors +)?(syscall|function)")
_START = re.compile(
    rb"^% time +seconds +usecs/call +calls +(?:errors +)?(?:syscall|function)\r?\n-+ -+ -",
    re.MULTILINE,
)
_ROW = re.compile(
    r" *\d+[.,]\d+ +(?P<seconds>\d+[.,]\d{6}) +\d+ +(?P<calls>\d{1,18})"
    r"(?: +(?P<errors>\d{1,18}))? +(?P<name>\S+)"
)
# Whether usecs/call and errors have a total differs from version to version.
_TOTAL = re.compile(r" *\d+[.,]\d+ +\d+[.,]\d+((?: +\d{1,18})+) +total")
_RULE = re.compile(r"-+(?: -+)+")


class Strace(SingleFile):
    """Reads the tables of both tools."""

    NAME = "strace"
    DESCRIPTION = "strace -c and ltrace -c: calls of the system and of libraries, and their time"
    PATTERNS = ("strace.txt", "ltrace.txt")
    TABLES = ("fn_timings", "pmu_samples")

    def sniff(self, head: Head) -> bool:
        """Recognise the heading of the table."""
        return _START.search(head.data) is not None

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield a run for each table, and its rows; see `Reader.read`."""
        tables: list[_Table] = []
        for number, line in numbered_lines(recording, must_end=True):
            if found := _HEADING.fullmatch(line.rstrip()):
                if tables and not tables[-1].whole:
                    raise tables[-1].cut_off()
                tables.append(_Table(number, found[1]))
            elif tables and not tables[-1].whole and line.strip():
                tables[-1].take(number, line)
        if not tables:
            raise InputError(
                "there is no table of calls", expected="% time  seconds  usecs/call ..."
            )
        if not tables[-1].whole:
            raise tables[-1].cut_off()
        for position, table in enumerate(tables):
            yield Run(
                key=str(position + 1) if len(tables) > 1 else None,
                tags={"recorder": "strace" if table.kind == "syscall" else "ltrace"},
            )
            yield from table.rows(position)


@dataclass(slots=True)
class _Table:
    """One table: the rows between its heading, on line `first`, and its total."""

    first: int
    kind: str
    names: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    errors: list[int | None] = field(default_factory=list)
    whole: bool = False

    def take(self, number: int, line: str) -> None:
        """Take a line; raises `InputError` where it is none of the table, or not its total."""
        if _RULE.fullmatch(line.strip()):
            return
        total = _TOTAL.fullmatch(line.rstrip())
        if total is not None and str(sum(self.calls)) in total[1].split():
            self.whole = True
            return
        found = _ROW.fullmatch(line.rstrip())
        if found is None or total is not None:
            raise InputError(
                f"{quoted(line)} was found",
                where=f"line {number}",
                expected="a row of the table, or a total that the calls add up to",
            )
        self.names.append(found["name"])
        self.seconds.append(float(found["seconds"].replace(",", ".")))
        self.calls.append(int(found["calls"]))
        self.errors.append(int(found["errors"]) if found["errors"] else None)

    def cut_off(self) -> InputError:
        """Return the error for a table without a total that its calls add up to."""
        return InputError(
            "the table has no total that its calls add up to",
            where=f"line {self.first}",
            expected="a last row `total`",
            hint="The file seems cut off: record again.",
        )

    def rows(self, run: int) -> Iterator[Item]:
        """Yield the rows of the table, of a run by its position."""
        import pyarrow as pa

        size = len(self.names)
        is_timed = any(self.seconds)
        if not is_timed:
            # Each call took less than what the kernel counts by, and not 0.
            reason = "all are too short to be counted: strace -c -w has elapsed times"
            yield LeftOut(size, "time of a call", reason, "times of calls")
        kind = "syscall" if self.kind == "syscall" else None
        yield Rows(
            "fn_timings",
            pa.table(
                {
                    "run": pa.array([run] * size, pa.int32()),
                    "function": self.names,
                    "kind": pa.array([kind] * size, pa.string()),
                    "seconds": pa.array(self.seconds if is_timed else [None] * size, pa.float64()),
                    "calls": pa.array(self.calls, pa.int64()),
                }
            ),
        )
        failed = [at for at in range(size) if self.errors[at] is not None]
        if failed:
            yield Rows(
                "pmu_samples",
                pa.table(
                    {
                        "run": pa.array([run] * len(failed), pa.int32()),
                        "region": [self.names[at] for at in failed],
                        "sample": pa.array([0] * len(failed), pa.int64()),
                        "event": ["errors"] * len(failed),
                        "value": pa.array([self.errors[at] for at in failed], pa.float64()),
                    }
                ),
            )
