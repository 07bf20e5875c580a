"""From the files of a trace, one a process, to its items."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from ingest.base import Item, LeftOut, Rows, Run
from ingest.compressed import path_text
from ingest.parsing.carried_tables import carried_items
from ingest.parsing.timelines import counters
from ingest.parsing.timelines.landing import landing
from ingest.parsing.timelines.slices import Timeline
from ingest.readers.tasks.chrome_trace import kineto, xla
from ingest.readers.tasks.chrome_trace.assemble import assemble, left_out
from ingest.readers.tasks.chrome_trace.document import Document
from ingest.readers.tasks.chrome_trace.events import NONE, Events
from ingest.readers.tasks.chrome_trace.ranks import Process, process_of
from ingest.recording import Recording
from warehouse.errors import InputError

_SINCE_1990 = 631_152_000 * 10**9
_UNTIL_2200 = 7_258_118_400 * 10**9
_MOST_DEVICES = 3
_ENVIRONMENT = {"cuda_driver": "cuda_driver_version", "cuda_runtime": "cuda_runtime_version"}


@dataclass(frozen=True, slots=True)
class _Process:
    """One file: its events, and what it states."""

    path: Path
    events: Events
    timeline: Timeline
    facts: dict[str, Any]
    process: Process | None
    is_kineto: bool
    is_clang: bool
    offset: int

    @property
    def begin(self) -> int:
        """The first start, ns since the epoch of the trace's clock."""
        return self.timeline.begin + self.offset

    @property
    def end(self) -> int:
        """The last end, likewise."""
        return self.timeline.end + self.offset


def process_items(recording: Recording) -> Iterator[Item]:
    """Yield the run, then the rows of each process; all files are read first."""
    processes = [_read(recording, part) for part in recording.parts]
    if len(processes) == 1 and (streams := _carried(processes[0])) is not None:
        yield from carried_items(streams)
        return
    processes = [process for process in processes if len(process.timeline.slices.start)]
    if not processes:
        raise InputError("the trace has no slice", expected="events with a duration (X, B and E)")
    _check_overlap(processes)
    base = min(process.begin for process in processes)
    yield _run(processes, base)
    for process in processes:
        yield from landing(process.timeline, base - process.offset)
        yield from counter_rows(process.events)
        rank = process.process.rank if process.process is not None else None
        yield from memory_rows(process.events, base - process.offset, rank)
        yield from left_out(process.events, is_kineto=process.is_kineto, is_clang=process.is_clang)
        if isinstance(samples := process.facts.get("samples"), list):
            yield LeftOut(len(samples), "sample", "the stacks of a sampling profiler in the trace")
        # It keeps the latest million events (--tracer_entries), and does not say of how many.
        if process.facts.get("overflow") is True:
            yield LeftOut(1, "beginning of the trace", "VizTracer's buffer was full")
        if process.facts.get("systemTraceEvents"):
            yield LeftOut(1, "trace of the system", "systemTraceEvents", "traces of the system")


def _read(recording: Recording, part: Path) -> _Process:
    try:
        with recording.open(part) as file:
            document = Document(file)
            batches = iter(document)
            first = next(batches, [])
            is_kineto = "schemaVersion" in document.stated() or kineto.is_kineto(
                event.cat for event in first
            )
            is_xla = xla.is_xla(document.stated())
            events = _kineto_events() if is_kineto else Events()
            if is_xla:
                events = Events(xla.WITH_ARGUMENTS)
            for batch in chain([first], batches):
                events.take(batch)
        stated = document.stated()
        process = process_of(stated)
        is_clang = "beginningOfTime" in stated
        viztracer = stated.get("viztracer_metadata")
        stated = (viztracer if isinstance(viztracer, dict) else {}) | stated
        base = stated.get("baseTimeNanoseconds", 0)
        if isinstance(begun := stated.get("beginningOfTime"), int):  # clang's, us
            base = begun * 1000
        if not (isinstance(base, int) and 0 <= base < _UNTIL_2200):
            raise InputError(
                f"baseTimeNanoseconds is {str(base)[:40]}", expected="nanoseconds since 1970"
            )
        rank = process.rank if process is not None else None
        timeline = assemble(
            events,
            is_kineto=is_kineto,
            is_clang=is_clang,
            is_xla=is_xla,
            rank=rank,
            whole_lives=viztracer is not None,
        )
    except InputError as error:
        error.path = error.path or path_text(part)
        raise
    return _Process(part, events, timeline, stated, process, is_kineto, is_clang, base)


def _carried(process: _Process) -> list[bytes] | None:
    """Return the tables that a trace of pwh carries, None where its slices are not all there."""
    match process.facts.get("pwh"):
        case {"slices": int(slices), "tables": [_, *_] as tables} if slices == len(
            process.events.slices["length"]
        ):
            try:
                return [b64decode(table, validate=True) for table in tables]
            except (TypeError, ValueError):
                raise InputError(
                    "the tables that it carries are damaged",
                    expected="a whole file that pwh export wrote",
                    hint="Export it again.",
                ) from None
    return None


def _kineto_events() -> Events:
    return Events(kineto.WITH_CORRELATION, kineto.KNOWN_LINKS, kineto.ON_DEVICES)


def _check_overlap(processes: list[_Process]) -> None:
    """Raise `InputError` where the ranks of a run were not recorded at one time."""
    latest = max(processes, key=lambda process: process.begin)
    earliest = min(processes, key=lambda process: process.end)
    if latest.begin > earliest.end:
        raise InputError(
            f"it begins {(latest.begin - earliest.end) / 1e9:.3g} s after {earliest.path.name}, "
            "another rank's, ends, so they are not of one run",
            path=path_text(latest.path),
            expected="traces of all ranks from one time",
            hint="Put traces of different runs into folders of their own.",
        )


def _run(processes: list[_Process], base: int) -> Run:
    tags: dict[str, str] = {}
    first = processes[0]
    environment = {
        name: str(version) for name, of in _ENVIRONMENT.items() if (version := first.facts.get(of))
    }
    if first.is_kineto:
        tags["runtime"] = "PyTorch"
    devices = first.facts.get("deviceProperties")
    if isinstance(devices, list):
        names = dict.fromkeys(
            str(device["name"])
            for device in devices
            if isinstance(device, dict) and "name" in device
        )
        if names:
            tags["gpu"] = environment["gpu"] = ", ".join(list(names)[:_MOST_DEVICES])
    size = first.process.world_size if first.process is not None else None
    if size is not None and size > len(processes):
        ranks = ", ".join(str(p.process.rank) for p in processes if p.process is not None)
        tags["ranks_recorded"] = ranks
    stated = [process.facts.get("host_name") for process in processes]
    hosts = {host if isinstance(host, str) else "" for host in stated}
    machine = hosts.pop() if len(hosts) == 1 else ""
    dated = _SINCE_1990 < base < _UNTIL_2200
    return Run(
        machine=machine or None,
        started_at=datetime.fromtimestamp(base // 1000 / 1e6, UTC) if dated else None,
        ranks=size,
        tags=tags,
        environment=environment,
    )


def counter_rows(events: Events) -> Iterator[Item]:
    """Yield the metrics of each counter; see `ingest.parsing.timelines.counters`."""
    things = events.series.things()
    several = len({pid for pid, *_ in things}) > 1
    series = []
    for pid, name, identity, key in things:
        parts = [str(name), *(str(i) for i in identity if i is not None), str(key)]
        label = " ".join(dict.fromkeys(parts)) + (f" of process {pid}" if several else "")
        series.append(counters.Series(label))
    of, time = events.counters["series"], events.counters["time"]
    points = counters.Points(of, time, np.frombuffer(events.counted, np.float64))
    yield from counters.counter_rows(series, points)


def memory_rows(events: Events, base: int, rank: int | None) -> Iterator[Item]:
    """Yield what allocators had in use and reserved, moment by moment, times from `base` (ns) on.

    The region is the device, named as its streams are.
    """
    prefix = "" if rank is None else f"rank {rank} "
    devices = np.unique(events.memory["device"])
    for device in devices.tolist():
        of = np.flatnonzero(events.memory["device"] == device)
        of = of[np.argsort(events.memory["time"][of], kind="stable")]
        region = f"{prefix}{'host' if device == NONE else f'GPU {device}'}"
        for event in ("allocated", "reserved"):
            known = of[events.memory[event][of] != NONE]
            yield Rows.of_columns(
                "pmu_samples",
                **{"rank": rank, "region": region, "event": f"memory.{event}", "unit": "bytes"},
                sample=np.arange(len(known)),
                t_start=events.memory["time"][known] - base,
                value=events.memory[event][known].astype(np.float64),
            )
