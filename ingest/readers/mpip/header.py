"""The header of an mpiP report: lines `@ NAME : VALUE` on the program and its tasks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime

from ingest.parsing.dates import in_zone
from ingest.readers.mpip.sections import Section

_LINE = re.compile(r"@ (?P<name>[^:]*?)\s*: ?(?P<value>.*?)\s*")
_TASK = re.compile(r"(\d{1,9}) (\S+)")
_THRESHOLD = re.compile(r"(?:^|\s)-t\b")


@dataclass(slots=True)
class Header:
    """Facts in the header; `hosts` by task."""

    facts: dict[str, str] = field(default_factory=dict)
    hosts: dict[int, str] = field(default_factory=dict)

    @property
    def command(self) -> str:
        """The command line, empty where it is not stated."""
        return self.facts.get("Command", "")

    @property
    def started_at(self) -> datetime | None:
        """The start; mpiP writes local time without its zone."""
        try:
            text = self.facts.get("Start time", "")
            date = in_zone(datetime.strptime(text, "%Y %m %d %H:%M:%S"))
        except ValueError:
            return None
        return date if 1970 < date.year < 2200 else None

    @property
    def leaves_out(self) -> bool:
        """Whether the report leaves out calls below a threshold (MPIP="-t PERCENT")."""
        return _THRESHOLD.search(self.facts.get("MPIP env var", "")) is not None


def header_of(section: Section) -> Header:
    """Read the lines before the first section."""
    header = Header()
    for line in section.lines.text.to_pylist():
        found = _LINE.fullmatch(line)
        if found is None:
            continue
        if found["name"] != "MPI Task Assignment":
            header.facts[found["name"]] = found["value"]
        elif task := _TASK.fullmatch(found["value"]):
            header.hosts[int(task[1])] = task[2]
    return header
