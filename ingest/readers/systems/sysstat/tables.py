"""Tables of sysstat: what sar, mpstat and pidstat print, and sadf -d writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ingest.base import Item, LeftOut, Run
from ingest.parsing.counter_table import Sample, batches, number
from ingest.parsing.lines import named_cells, numbered_lines, unexpected
from ingest.readers.systems.sysstat.clock import TIME, Clock
from ingest.readers.systems.sysstat.samples import Samples, place
from ingest.recording import Recording
from warehouse.errors import InputError

TITLE = re.compile(r"Linux \S+ \((?P<host>[^)]*)\)\s+(?P<date>\S+)\s+_\S+_\s+\(\d+ CPU\)\s*")
_HEADING = re.compile(rf"(?:# Time|{TIME}) +([A-Za-z%].*)")
_ROW = re.compile(rf"({TIME}) +(\S.*)")
_RESTART = re.compile(rf"{TIME} +LINUX RESTART.*")
_AVERAGES = re.compile(r"(?:Average|Summary): +.*")
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?%?")
_PLACES = (
    *("CPU", "PID", "TGID", "TID", "UID", "USER", "Command", "IFACE", "DEV", "INTR", "TTY", "BUS"),
    *("FILESYSTEM", "MOUNTPOINT", "NODE", "FAN", "TEMP", "IN", "DEVICE", "FCHOST", "Device"),
)


def printed(recording: Recording) -> Iterator[Item]:
    """Yield the run and the values of tables for people; means at the end follow from them."""
    host = Host()
    yield from batches(_printed(recording, host))
    if host.name is None:
        raise InputError("there is no table", expected="Linux 6.1 (node1)  2026-11-23  _x86_64_")
    yield Run(machine=host.name, started_at=host.clock.started)


def separated(recording: Recording) -> Iterator[Item]:
    """Yield the run and the values of sadf -d: a heading and rows for each kind of statistics."""
    host = Host()
    yield from batches(_separated(recording, host))
    yield Run(machine=host.name, started_at=host.clock.started)
    yield LeftOut(host.unnamed, "row", "its columns have no names")


@dataclass(slots=True)
class Host:
    """The machine that statistics are of, its clock, and the rows that could not be named."""

    name: str | None = None
    clock: Clock = field(default_factory=Clock)
    unnamed: int = 0


def _printed(recording: Recording, host: Host) -> Iterator[Sample]:
    samples = Samples()
    names: list[str] | None = None
    for line, text in numbered_lines(recording, must_end=True):
        if title := TITLE.fullmatch(text):
            if host.name is None:
                host.name, host.clock = title["host"], Clock(title["date"])
            elif host.name != title["host"]:
                raise InputError(
                    f"a recording of another machine begins here: {title['host']}",
                    where=f"line {line}",
                    expected=f"one recording in a file, of {host.name}",
                )
            host.clock.begin(title["date"], f"line {line}")
        elif not text.strip() or _AVERAGES.fullmatch(text) or _RESTART.fullmatch(text):
            continue
        elif found := heading(text):
            names = found
        else:
            row = _ROW.fullmatch(text)
            if row is None or names is None or host.name is None:
                raise unexpected(
                    text,
                    line,
                    "a time, and a value for each column of the heading above",
                    "Numbers and times in another form: record with LC_ALL=C.",
                )
            time = host.clock.since_first(row[1], f"line {line}", names)
            # The last column can be a command with blanks.
            cells = row[2].split(maxsplit=len(names) - 1)
            yield from _row(samples, names, cells, time, f"line {line}")


def heading(text: str) -> list[str] | None:
    """Return the names of columns behind a time; None for another line."""
    found = _HEADING.fullmatch(text)
    names = found[1].split() if found else []
    return None if any(map(_NUMBER.fullmatch, names)) else names or None


def _separated(recording: Recording, host: Host) -> Iterator[Sample]:
    samples = Samples()
    names: list[str] = []
    for line, text in numbered_lines(recording, must_end=True):
        where = f"line {line}"
        cells = text.removeprefix("# ").split(";")
        if text.startswith("# "):
            names = cells
        elif "LINUX-RESTART" in text or not text.strip():
            continue
        elif names[-1].endswith("*"):
            host.unnamed += 1
        else:
            named_cells(names, cells, where)
            time = host.clock.since_first(cells[2], where)
            host.name = host.name or cells[0]
            yield from _row(samples, names[3:], cells[3:], time, where)


def _row(
    samples: Samples, names: list[str], cells: list[str], time: int, where: str
) -> Iterator[Sample]:
    of = named_cells(names, cells, where)
    values = {
        name: number(cell.removesuffix("%"), where, name)
        for name, cell in of.items()
        if name not in _PLACES
    }
    at = place({name: cell.strip() for name, cell in of.items() if name in _PLACES})
    yield from samples.of(at, values, time)
