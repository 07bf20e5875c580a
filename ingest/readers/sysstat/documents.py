"""JSON of sysstat: sadf -j, and mpstat, pidstat and iostat with -o JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ingest.base import Item, LeftOut, Run
from ingest.parsing.counter_table import Sample, batches
from ingest.parsing.json_values import checked, field
from ingest.readers.sysstat.clock import Clock
from ingest.readers.sysstat.samples import SINCE_BOOT, Place, Samples, place
from warehouse.errors import InputError

# Names of places in tables, by those in JSON; other texts are names of devices.
_PLACES = {"cpu": "CPU", "number": "CPU", "pid": "PID", "tid": "TID", "tgid": "TGID", "uid": "UID"}


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
