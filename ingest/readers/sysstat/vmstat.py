"""What vmstat prints: a line for each interval, with -t its time, with -w and -a other columns.

Its memory is in KiB, or as -S says, which the table does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ingest.base import Item, LeftOut, Run
from ingest.parsing.counter_table import Sample, batches, number
from ingest.parsing.lines import numbered_lines
from ingest.readers.sysstat.clock import Clock
from ingest.readers.sysstat.samples import SINCE_BOOT, Place, Samples
from warehouse.errors import InputError

if TYPE_CHECKING:
    from ingest.recording import Recording

TITLE = re.compile(r"-*procs-* -+memory-+ -+swap-+ -+io-+ -+system-+ -+cpu-+(?: -+timestamp-+)?\s*")
_GROUPS = {
    **dict.fromkeys(("r", "b"), "procs"),
    **dict.fromkeys(("swpd", "free", "buff", "cache", "inact", "active"), "memory"),
    **dict.fromkeys(("si", "so"), "swap"),
    **dict.fromkeys(("bi", "bo"), "io"),
    **dict.fromkeys(("in", "cs"), "system"),
    **dict.fromkeys(("us", "sy", "id", "wa", "st", "gu"), "cpu"),
}
_UNITS = {"swap": "/s", "io": "blocks/s", "system": "1/s", "cpu": "%"}


def items(recording: Recording) -> Iterator[Item]:
    """Yield the run and the values of all lines but the first, which is of all time before."""
    clock = Clock()
    yield from batches(_samples(recording, clock))
    yield Run(started_at=clock.started)
    yield LeftOut(1, "line", SINCE_BOOT)


def _samples(recording: Recording, clock: Clock) -> Iterator[Sample]:
    samples = Samples()
    names: list[str] = []
    rows = 0
    for line, text in numbered_lines(recording, must_end=True):
        where = f"line {line}"
        cells = text.split()
        if not cells or TITLE.fullmatch(text):
            continue
        if cells[:2] == ["r", "b"]:
            names = [name for name in cells if name in _GROUPS]
            continue
        if len(cells) not in (len(names), len(names) + 2) or not names:
            raise InputError(
                f"there are {len(cells)} values", where=where, expected=f"{len(names)}, as columns"
            )
        rows += 1
        stamp = " ".join(cells[len(names) :])
        time = clock.since_first(stamp, where) if stamp and rows > 1 else None
        values = {
            f"{_GROUPS[name]}.{name}": number(cell, where, name)
            for name, cell in zip(names, cells, strict=False)
        }
        units = {event: _UNITS.get(event.partition(".")[0]) for event in values}
        if rows > 1:
            yield from samples.of(Place(), values, time, units)
    if rows < 2:
        raise InputError(
            f"there is one line; {SINCE_BOOT}", expected="more of them: vmstat -t 1 > FILE"
        )
