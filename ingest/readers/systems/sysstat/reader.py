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
from collections.abc import Iterator, Mapping
from typing import Any

from ingest.base import Head, Item, LeftOut, Run, SingleFile, form_of
from ingest.parsing.counter_table import Sample, batches
from ingest.parsing.json_values import checked, field, read_json
from ingest.readers.systems.sysstat import tables, vmstat
from ingest.readers.systems.sysstat.clock import Clock
from ingest.readers.systems.sysstat.samples import SINCE_BOOT, Place, Samples, place
from ingest.recording import Recording
from warehouse.errors import InputError

_JSON = re.compile(r'\s*\{\s*"sysstat"\s*:')
_SEPARATED = re.compile(r"# hostname;interval;timestamp;[^\[\n]*\n")
_LIMIT = 256 << 20
# Names of places in tables, by those in JSON; other texts are names of devices.
_PLACES = {"cpu": "CPU", "number": "CPU", "pid": "PID", "tid": "TID", "tgid": "TGID", "uid": "UID"}


class Sysstat(SingleFile):
    """Use of processors, memory, disks and networks over time."""

    NAME = "sysstat"
    DESCRIPTION = "a system over time: sar, sadf -j or -d, mpstat, pidstat, iostat (JSON), vmstat"
    PATTERNS = ("sar.txt", "sadf.json", "mpstat.json", "pidstat.txt", "vmstat.txt")
    TABLES = ("pmu_samples",)

    def sniff(self, head: Head) -> str | None:
        """Return the form by the first lines of each tool."""
        text = head.data.decode("utf-8", "replace")
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

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and its values."""
        form = form_of(self, recording)
        if form == "separated":
            yield from tables.separated(recording)
        elif form == "vmstat":
            yield from vmstat.items(recording)
        elif form == "json":
            yield from items(read_json(recording, limit=_LIMIT))
        else:
            yield from tables.printed(recording)


def items(document: Any) -> Iterator[Item]:
    """Yield the run and the values of all moments of the first host."""
    hosts = field(field(document, "sysstat", dict, "the file"), "hosts", list, "sysstat")
    host = checked(hosts[0], dict, "a host", "sysstat")
    moments = field(host, "statistics", list, "the host")
    name = host.get("nodename")
    clock = Clock(str(host.get("file-date") or host.get("date")))
    yield Run(machine=name if isinstance(name, str) else None)
    skipped = 1 if "file-date" not in host and _is_of_iostat(moments[0]) else 0
    if len(moments) == skipped:
        problem = f"there is one report; {SINCE_BOOT}"
        raise InputError(problem, expected="more of them: iostat -t -o JSON 1 > FILE")
    yield from batches(_samples(moments[skipped:], clock))
    yield Run(started_at=clock.started)
    yield LeftOut(skipped, "report", SINCE_BOOT)


def _is_of_iostat(moment: Any) -> bool:
    return isinstance(moment, dict) and not moment.keys().isdisjoint(("avg-cpu", "disk"))


def _samples(moments: list[Any], clock: Clock) -> Iterator[Sample]:
    samples = Samples()
    for number, moment in enumerate(moments):
        where = f"statistics {number}"
        groups = dict(checked(moment, dict, "an entry", where))
        if "timestamp" not in groups:
            raise InputError(
                "there is no 'timestamp'",
                where=where,
                expected="a time of each report: iostat -t -o JSON 1 > FILE",
            )
        stamp = groups.pop("timestamp")
        if isinstance(stamp, dict):
            stamp = f"{field(stamp, 'date', str, where)} {field(stamp, 'time', str, where)}"
        time = clock.since_first(checked(stamp, str, "'timestamp'", where), where)
        for at, values in _rows(groups, ""):
            yield from samples.of(at, values, time)


def _rows(groups: Mapping[str, Any], path: str) -> Iterator[tuple[Place, dict[str, float]]]:
    """Yield the values of a group, below each other, by place."""
    of = {
        _PLACES.get(name, name): value if isinstance(value, str) else f"{value:.0f}"
        for name, value in groups.items()
        if isinstance(value, str) or (isinstance(value, float) and name in _PLACES)
    }
    values = {
        f"{path}{name}": value
        for name, value in groups.items()
        if isinstance(value, float) and name not in _PLACES
    }
    if values:
        yield place(of), values
    for name, value in groups.items():
        for entry in value if isinstance(value, list) else [value]:
            if isinstance(entry, dict):
                yield from _rows(entry, f"{path}{name}.")
