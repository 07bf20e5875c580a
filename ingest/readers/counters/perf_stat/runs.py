"""The executions in one file of `perf stat`.

`perf stat -o FILE --append` and `2>> FILE` put several executions into one file.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from ingest.base import Run
from ingest.parsing.dates import ctime_date
from ingest.parsing.lines import quoted
from warehouse.errors import InputError

STARTED = r"^# started on "
HEADER = r"^ ?Performance counter stats for "
INTERVALS = r"^# +time +.*counts +unit events"
METRICS = r"^# {11}time  +[A-Za-z%]"
_TARGET = re.compile(HEADER + r"(?P<kind>[^']*)'(?P<what>.*)'(?: \((?P<runs>\d+) runs\))?:$")
_ELAPSED = re.compile(r"^ *(?P<seconds>\d+\.\d+)(?: \+- \d+\.\d+)? +seconds time elapsed\b")
_TIME_OF = re.compile(r"^ *(?P<seconds>\d+\.\d+)(?: \+- \d+\.\d+)? +seconds (?P<kind>user|sys)\b")
LAST = r"\d seconds (?:sys|time elapsed(?: +\( \+- .*\))?)$"
_VERBOSE = re.compile(r"^(?:\S.*: \d+ \d+ \d+|Using CPUID .*|Control descriptor is not .*)$")  # -v
_TABLE = re.compile(r"^ *(?:# (?:Table of|Final result)| *\d+\.\d+ \([+-]\d+\.\d+\) #+ *$)")


class Runs:
    """Follows the lines between the counts: which execution, and where its counts may be."""

    def __init__(self, many: bool) -> None:
        self._many = many
        self.run = Run(key="1" if many else None)
        self.number = 0
        # Where counts are expected, a line that is none is an error; elsewhere it is the output
        # of the program.
        self.open = False
        self.headed = False
        self.counted = False

    def take(self, line: str, where: str) -> bool:
        """Take a line that is no count; False where it is not about the execution."""
        if re.match(STARTED, line):
            self._begin(self.counted)
            self.run = replace(self.run, started_at=_date(line, where))
            self.open = True
        elif re.match(HEADER, line):
            self._begin(self.counted and self.headed)
            self._describe(line, where)
            self.open = self.headed = True
        elif re.match(f"{INTERVALS}|{METRICS}", line):
            self.open = True
        elif self.open and self.headed and (found := _ELAPSED.match(line)):
            self.run = replace(self.run, wall_seconds=float(found["seconds"]))
            self.open = False
        elif self.headed and (found := _TIME_OF.match(line)):
            # Only the first are this execution's: others are behind counts without a header.
            kind = f"{found['kind']}_seconds"
            self._tag(kind, self.run.tags.get(kind, found["seconds"]))
        else:
            if self.headed:
                return _TABLE.match(line) is not None
            return _VERBOSE.match(line) is not None
        return True

    def _begin(self, another: bool) -> None:
        if another:
            self.number += 1
            self.run = Run(key=str(self.number + 1) if self._many else None)
            self.headed = self.counted = False

    def _describe(self, line: str, where: str) -> None:
        found = _TARGET.match(line)
        if found is None:
            raise InputError(
                f"{quoted(line)} is cut off",
                where=where,
                expected="Performance counter stats for 'COMMAND':",
            )
        kind, what = found["kind"].strip(), found["what"]
        if found["runs"]:
            self._tag("repetitions", found["runs"])
        if kind or re.match(r"system wide$|CPU\(s\) |BPF program", what):
            self._tag("target", f"{kind} {what}".strip())
        elif what.split():
            self.run = replace(self.run, app=what.split()[0].rsplit("/", 1)[-1] or None)
            self._tag("command", what)

    def _tag(self, name: str, value: str) -> None:
        self.run = replace(self.run, tags={**self.run.tags, name: value})


def _date(line: str, where: str) -> datetime:
    text = re.sub(STARTED, "", line).strip()
    date = ctime_date(text)
    if date is None:
        raise InputError(
            f"{text!r} is no date", where=where, expected="such as Sat Nov 21 00:04:58 2026"
        )
    return date
