"""Statistics of a system over time: sar, sadf, mpstat, pidstat, iostat (JSON) and vmstat.

Source: sysstat's manual pages and what version 12.6 writes; vmstat(8) of procps. All values are
means of an interval or those of a moment: none adds up. What lands in pmu_samples:

- `event` is the column as the tool has it (%user, kbmemfree, rkB/s), of JSON and vmstat behind its
  group (memory.memfree, cpu-load.idle); `unit` what the name shows.
- `cpu` is the processor, NULL of all; `thread` the process or thread; `region` the device,
  interface or command.
- `sample` counts the moments of each, `t_start` is the time since the first, in ns. vmstat has
  times with -t only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ingest.base import Head, Item, SingleFile
from ingest.parsing.json_values import read_json
from ingest.readers.sysstat import documents, tables, vmstat

if TYPE_CHECKING:
    from ingest.recording import Recording

_JSON = re.compile(r'\s*\{\s*"sysstat"\s*:')
_SEPARATED = re.compile(r"# hostname;interval;timestamp;[^\[\n]*\n")
_LIMIT = 256 << 20


class Sysstat(SingleFile):
    """Use of processors, memory, disks and networks over time."""

    NAME = "sysstat"
    DESCRIPTION = "a system over time: sar, sadf -j or -d, mpstat, pidstat, iostat (JSON), vmstat"
    PATTERNS = ("sar.txt", "sadf.json", "mpstat.json", "pidstat.txt", "vmstat.txt")
    TABLES = ("pmu_samples",)

    def sniff(self, head: Head) -> bool:
        """Recognise the first lines of each tool."""
        return _form(head.data) is not None

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and its values."""
        with recording.open() as file:
            form = _form(file.read(1 << 16))
        if form == "separated":
            yield from tables.separated(recording)
        elif form == "vmstat":
            yield from vmstat.items(recording)
        elif form == "json":
            yield from documents.items(read_json(recording, limit=_LIMIT))
        else:
            yield from tables.printed(recording)


def _form(data: bytes) -> str | None:
    text = data.decode("utf-8", "replace")
    if _JSON.match(text):
        return "json"
    if _SEPARATED.match(text):
        return "separated"
    lines = text.lstrip().splitlines()
    if lines and vmstat.TITLE.fullmatch(lines[0]):
        return "vmstat"
    if lines and tables.TITLE.fullmatch(lines[0]):
        rest = (line for line in lines[1:] if line.strip())
        return "printed" if tables.heading(next(rest, "")) else None
    return None
