"""Logs of LAMMPS: where the time of its runs of steps goes.

Source: log.lammps and what LAMMPS prints. What lands: a run of the program, of `Loop time of ... on
N procs` ranks and threads and atoms (the problem size), `wall_seconds` its loops together without
what is before them; in fn_timings each section of the tables `MPI task timing breakdown`, its mean
over the ranks, below the loop that it is of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.base import Head, Item, Rows, Run, SingleFile
from ingest.parsing.lines import whole_text
from ingest.recording import Recording
from warehouse.errors import InputError

_LIMIT = 64 << 20
_VERSION = re.compile(r"^LAMMPS \(([^)\n]+)\)", re.MULTILINE)
_LOOP = re.compile(
    r"^Loop time of ([\d.eE+-]+) on (\d+) procs for (\d+) steps with (\d+) atoms *$", re.MULTILINE
)
_THREADS = re.compile(r"with \d+ MPI tasks x (\d+) OpenMP threads")
_SECTION = re.compile(
    r"^(\w+) +\|[^|\n]*\| +([\d.eE+-]+) *\|[^|\n]*\|[^|\n]*\|[^|\n]*$", re.MULTILINE
)
_END = re.compile(r"^Total wall time: ", re.MULTILINE)
_KINDS = {"Comm": "blocking point-to-point"}


class Lammps(SingleFile):
    """Logs of LAMMPS."""

    NAME = "lammps"
    DESCRIPTION = "LAMMPS logs: time by section (Pair, Neigh, Comm ...) of each run of steps"
    PATTERNS = ("log.lammps*", "*.lammps")
    TABLES = ("fn_timings",)

    def sniff(self, head: Head) -> bool:
        """Recognise the first line of a log."""
        return _VERSION.search(head.data[:4096].decode("utf-8", "replace")) is not None

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and its sections."""
        text = whole_text(recording, limit=_LIMIT)
        loops = list(_LOOP.finditer(text))
        version = _VERSION.search(text)
        if not loops:
            raise InputError(
                "no run of steps has ended", expected="a line 'Loop time of ... on ... procs'"
            )
        if not _END.search(text, loops[-1].end()):
            raise InputError(
                "the log ends before LAMMPS did", expected="Total wall time, on the last line"
            )
        threads = _THREADS.search(text)
        rows: list[tuple[str, str, str | None, float]] = []
        ends = [loop.start() for loop in loops[1:]] + [len(text)]
        for number, (loop, end) in enumerate(zip(loops, ends, strict=True), 1):
            for section in _SECTION.finditer(text, loop.end(), end):
                name, seconds = section[1], float(section[2])
                rows.append((name, f"loop {number}->{name}", _KINDS.get(name), seconds))
        ranks = int(loops[-1][2])
        yield Run(
            app="lammps",
            version=version[1] if version else None,
            ranks=ranks,
            threads=int(threads[1]) if threads else None,
            problem_size=float(loops[-1][4]),
            wall_seconds=sum(float(loop[1]) for loop in loops),
            tags={"steps": str(sum(int(loop[3]) for loop in loops))},
        )
        yield Rows.of_records("fn_timings", ("function", "callpath", "kind", "seconds"), rows)
