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

from ingest.base import Item, LeftOut, Rows, Run, SingleFile
from ingest.parsing.lines import numbered_lines, unexpected
from ingest.recording import Recording
from warehouse.errors import InputError

_HEADING = re.compile(r"% time +seconds +usecs/call +calls +(?:errors +)?(syscall|function)")
_ROW = re.compile(
    r" *\d+[.,]\d+ +(?P<seconds>\d+[.,]\d{6}) +\d+ +(?P<calls>\d{1,18})"
    r"(?: +(?P<errors>\d{1,18}))? +(?P<name>\S+)"
)
# Whether usecs/call and errors have a total differs from version to version.
_TOTAL = re.compile(r" *\d+[.,]\d+ +\d+[.,]\d+((?: +\d{1,18})+) +total")
_TIMES = ("run", "function", "kind", "seconds", "calls")
_ERRORS = ("run", "region", "sample", "event", "value")
_RULE = re.compile(r"-+(?: -+)+")


class Strace(SingleFile):
    """Reads the tables of both tools."""

    NAME = "strace"
    DESCRIPTION = "strace -c and ltrace -c: calls of the system and of libraries, and their time"
    PATTERNS = ("strace.txt", "ltrace.txt")
    TABLES = ("fn_timings", "pmu_samples")
    SIGN = re.compile(
        rb"^% time +seconds +usecs/call +calls +(?:errors +)?(?:syscall|function)\r?\n-+ -+ -",
        re.MULTILINE,
    )

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
    """One table: the calls between its heading, on line `first`, and its total.

    Of each call: its name, its seconds, how often it was called, and its errors.
    """

    first: int
    kind: str
    calls: list[tuple[str, float, int, int | None]] = field(default_factory=list)
    whole: bool = False

    def take(self, number: int, line: str) -> None:
        """Take a line; raises `InputError` where it is none of the table, or not its total."""
        if _RULE.fullmatch(line.strip()):
            return
        total = _TOTAL.fullmatch(line.rstrip())
        if (
            total is not None
            and str(sum(times for _, _, times, _ in self.calls)) in total[1].split()
        ):
            self.whole = True
            return
        found = _ROW.fullmatch(line.rstrip())
        if found is None or total is not None:
            raise unexpected(
                line, number, "a row of the table, or a total that the calls add up to"
            )
        seconds = float(found["seconds"].replace(",", "."))
        errors = int(found["errors"]) if found["errors"] else None
        self.calls.append((found["name"], seconds, int(found["calls"]), errors))

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
        is_timed = any(seconds for _, seconds, _, _ in self.calls)
        if not is_timed:
            # Each call took less than what the kernel counts by, and not 0.
            reason = "all are too short to be counted: strace -c -w has elapsed times"
            yield LeftOut(len(self.calls), "time of a call", reason, "times of calls")
        kind = "syscall" if self.kind == "syscall" else None
        timed = [
            (run, name, kind, seconds if is_timed else None, times)
            for name, seconds, times, _ in self.calls
        ]
        yield Rows.of_records("fn_timings", _TIMES, timed)
        if failed := [
            (run, one[0], 0, "errors", one[3]) for one in self.calls if one[3] is not None
        ]:
            yield Rows.of_records("pmu_samples", _ERRORS, failed)
