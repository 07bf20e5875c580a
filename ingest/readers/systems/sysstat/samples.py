"""Values of a moment on their way to pmu_samples."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ingest.parsing.counter_table import Sample

_SIZE = re.compile(r"[kM]B")
_WHOLE = ("all", "sum", "-1")  # of all processors, or of all interrupts
SINCE_BOOT = "the first is of the time since the machine started, except with -y"
_PROCESSES = ("TID", "PID", "TGID")
_MEMORY = ("vsz", "rss", "stksize", "stkref")  # of processes, in kB
# Of a process: those of several processes add up, as those of processors do not.
_CPU_SHARES = ("usr", "system", "guest", "wait", "CPU")


@dataclass(frozen=True, slots=True)
class Place:
    """Owner of a row of values: a processor, a process or thread, a device; nothing is all."""

    cpu: int | None = None
    thread: int | None = None
    region: str | None = None


def place(of: Mapping[str, str]) -> Place:
    """Return the place that a row's columns without measurements say: CPU, IFACE, PID ..."""
    names = [text for name, text in of.items() if name not in (*_PROCESSES, "CPU", "UID", "USER")]
    region = " ".join(name for name in names if name not in _WHOLE) or None
    processes = [of[name] for name in _PROCESSES if of.get(name, "-").isdecimal()]
    if processes:  # CPU is where it ran last
        return Place(None, int(processes[0][:18]), region)
    cpu = of.get("CPU", "all")
    if cpu in _WHOLE or not cpu.isdecimal():
        return Place(None, None, region)
    return Place(int(cpu[:9]), None, region)


class Samples:
    """Numbers the samples of each place."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[Place, str]] = Counter()

    def of(
        self,
        where: Place,
        values: Mapping[str, float | None],
        time: int | None,
        units: Mapping[str, str | None] | None = None,
    ) -> Iterator[Sample]:
        """Yield rows for the values of a moment."""
        for event, value in values.items():
            sample = self._counts[where, event]
            self._counts[where, event] += 1
            yield {
                "cpu": where.cpu,
                "thread": where.thread,
                "region": where.region,
                "sample": sample,
                "t_start": time,
                "event": event,
                "value": value,
                "unit": unit_of(event, where) if units is None else units[event],
            }


def unit_of(event: str, where: Place) -> str | None:
    """Return the unit that a name shows: %user, rkB/s, tps, kbmemfree, r_await, cpu-load.idle."""
    group, _, name = event.rpartition(".")
    if where.thread is not None and name.removeprefix("%") in _CPU_SHARES:
        return "% CPU"
    if name.startswith("%") or name.endswith("percent") or group in ("cpu-load", "avg-cpu"):
        return "%"
    if name.endswith(("/s", "tps")):
        size = _SIZE.search(name)
        return f"{size[0]}/s" if size else "1/s"
    if name.startswith("kb") or name.lower() in _MEMORY:
        return "kB"
    return "ms" if name.endswith("await") else None
