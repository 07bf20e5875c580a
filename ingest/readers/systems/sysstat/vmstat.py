"""Output of vmstat: a line for each interval, with -t its time, with -w and -a other columns.

Its memory is in KiB, or as -S says, which the table does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from ingest.base import Item, LeftOut, Run
from ingest.parsing.counter_table import Sample, batches, number
from ingest.parsing.lines import named_cells, numbered_lines, quoted
from ingest.readers.systems.sysstat.clock import Clock
from ingest.readers.systems.sysstat.samples import SINCE_BOOT, Place, Samples
from ingest.recording import Recording
from warehouse.errors import InputError

TITLE = re.compile(r"-*procs-*(?: -+[^\s-]+-+){4,6}\s*")  # in the language of the tool
_GROUPS = {
    **dict.fromkeys(("r", "b"), "procs"),
    **dict.fromkeys(("swpd", "free", "buff", "cache", "inact", "active"), "memory"),
    **dict.fromkeys(("si", "so"), "swap"),
    **dict.fromkeys(("bi", "bo"), "io"),
    **dict.fromkeys(("in", "cs"), "system"),
    **dict.fromkeys(("us", "sy", "id", "wa", "st", "gu"), "cpu"),
}
_SCREEN = 21  # lines after which vmstat prints its heading again, except on taller terminals
_UNITS = {"swap": "/s", "io": "blocks/s", "system": "1/s", "cpu": "%"}


@dataclass(slots=True)
class _Seen:
    """The clock of the lines, and how many began a vmstat."""

    clock: Clock = field(default_factory=Clock)
    since_boot: int = 0


def items(recording: Recording) -> Iterator[Item]:
    """Yield the run and the values of all lines but the first, which is of all time before.

    A heading within a screen of lines is that of another vmstat, whose output was appended.
    """
    seen = _Seen()
    yield from batches(_samples(recording, seen))
    yield Run(started_at=seen.clock.started)
    yield LeftOut(seen.since_boot, "line", SINCE_BOOT)


def _samples(recording: Recording, seen: _Seen) -> Iterator[Sample]:
    samples = Samples()
    names: list[str] = []
    rows = below = 0
    is_first = True
    for line, text in numbered_lines(recording, must_end=True):
        where = f"line {line}"
        cells = text.split()
        if not cells or TITLE.fullmatch(text):
            continue
        if cells[:2] == ["r", "b"]:
            names = list(takewhile(_GROUPS.__contains__, cells))
            if len(cells) > len(names) + 1:  # the name of the time zone
                raise InputError(
                    f"the column {quoted(cells[len(names)])} is not known",
                    where=where,
                    expected="r b swpd free buff cache ...",
                    hint="Names in another language: record with LC_ALL=C.",
                )
            is_first, below = is_first or below != _SCREEN, 0
            continue
        of = named_cells(names, cells[:-2] if len(cells) == len(names) + 2 else cells, where)
        below += 1
        if is_first:
            seen.since_boot, is_first = seen.since_boot + 1, False
            continue
        rows += 1
        stamp = " ".join(cells[len(names) :])
        time = seen.clock.since_first(stamp, where) if stamp else None
        values = {f"{_GROUPS[name]}.{name}": number(cell, where, name) for name, cell in of.items()}
        units = {event: _UNITS.get(event.partition(".")[0]) for event in values}
        yield from samples.of(Place(), values, time, units)
    if not rows:
        raise InputError(
            f"there is one line; {SINCE_BOOT}", expected="more of them: vmstat -t 1 > FILE"
        )
