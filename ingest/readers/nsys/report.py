"""From the tables of a report to its items."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np

from ingest.base import Item, LeftOut, Run
from ingest.parsing.sqlite_file import NULL, SqliteFile, opened
from ingest.parsing.timelines.landing import landing
from ingest.parsing.timelines.slices import (
    Integers,
    Launches,
    Role,
    Slices,
    Timeline,
    Worker,
)
from ingest.readers.nsys.events import Found, device_events, thread_events
from ingest.recording import Recording
from warehouse.errors import InputError

_HOST = "host"
_MOST_GPUS = 3
_SINCE_1990 = 631_152_000 * 10**9
_UNTIL_2200 = 7_258_118_400 * 10**9
_NOT_LANDED = {
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": ("mark of a synchronisation", "the calls land"),
    "COMPOSITE_EVENTS": ("sample of the processor", "nsys samples stacks here, not times"),
    "SCHED_EVENTS": ("switch of a thread", "no task begins or ends with it"),
    "GPU_METRICS": ("sample of the GPU's counters", "pwh does not read them yet"),
    "CUDA_GPU_MEMORY_USAGE_EVENTS": ("event of memory use", "it has no duration"),
    "CUDA_UM_CPU_PAGE_FAULT_EVENTS": ("page fault of managed memory", "it has no duration"),
}


def report_items(recording: Recording) -> Iterator[Item]:
    """Yield the run, its rows, and what of the report is left out."""
    with opened(recording.plain()) as file:
        texts = file.texts("SELECT id, value FROM StringIds") if file.has("StringIds") else {}
        device, threads = device_events(file, texts), thread_events(file, texts)
        found = [table for table in (*device, *threads) if len(table.start)]
        if not found:
            raise InputError(
                "the report has neither work of a GPU nor calls of CUDA, MPI or NVTX",
                expected="a report of nsys profile --trace=cuda,nvtx",
            )
        timeline, unfinished = _timeline(found, _thread_names(file, texts))
        if not len(timeline.slices.start):
            raise InputError("no event of the report has a start and an end")
        yield _run(file, timeline.begin)
        for table, (record, reason) in _NOT_LANDED.items():
            yield LeftOut(file.count(table), record, reason, _plural(record))
        yield LeftOut(unfinished, "event", "without a start or an end, or it ends before it starts")
    yield from landing(timeline, timeline.begin)


def _plural(record: str) -> str:
    first, _, rest = record.partition(" ")
    return f"{first}{'es' if first.endswith('ch') else 's'} {rest}"


def _timeline(found: list[Found], thread_names: dict[int, str]) -> tuple[Timeline, int]:
    """Return the timeline, and how many events have no place on it."""
    workers, worker_of = _workers(found, thread_names)
    names: list[str] = []
    parts = []
    for number, table in enumerate(found):
        count = len(table.start)
        parts.append(
            (
                worker_of[number],
                table.name_of + len(names),
                np.full(count, number),
                table.role,
                table.start,
                table.end,
                np.where(table.correlation == NULL, 0, table.correlation),
                _process(table),
            )
        )
        names += table.name
    worker, name, kind, role, start, end, link, process = (
        np.concatenate(columns).astype(np.int64) for columns in zip(*parts, strict=True)
    )
    whole = (start != NULL) & (end != NULL) & (end >= start)
    slices = Slices(worker[whole], name[whole], kind[whole], role[whole], start[whole], end[whole])
    timeline = Timeline(
        workers=workers,
        names=names,
        kinds=[table.kind for table in found],
        slices=slices,
        launches=_launches(slices.role, link[whole], process[whole]),
    )
    return timeline, int(np.count_nonzero(~whole))


def _process(table: Found) -> Integers:
    """Return the process of each event: the global id is its upper part, 0 where unknown."""
    return np.where(table.thread[0] == NULL, 0, table.thread[0] >> 24)


def _launches(role: Integers, link: Integers, process: Integers) -> Launches:
    """Return which calls launched what: by their correlation within a process."""
    every, number = np.unique(process, return_inverse=True)
    # One process is the rule; more get numbers that lie apart.
    key = link + number * (int(link.max(initial=0)) + 1) if len(every) > 1 else link
    callers = np.flatnonzero((link > 0) & (role < Role.DEVICE))
    device = np.flatnonzero((link > 0) & (role == Role.DEVICE))
    known, first = np.unique(key[callers], return_index=True)
    device = device[np.isin(key[device], known)]
    at = np.searchsorted(known, key[device])
    return Launches(callers[first[at]], device, key[device])


def _workers(
    found: list[Found], thread_names: dict[int, str]
) -> tuple[list[Worker], list[Integers]]:
    """Return the workers, and the worker of each event of each table.

    Streams are named by device and stream, threads by their name and number; the process comes
    before where there are several.
    """
    processes = sorted({p for table in found for p in np.unique(_process(table)).tolist() if p})
    workers: list[Worker] = []
    numbers: dict[tuple[int, ...], int] = {}
    places = []
    for table in found:
        keys = np.stack((np.full(len(table.start), len(table.thread)), *table.thread), axis=1)
        every, place = np.unique(keys, axis=0, return_inverse=True)
        of = []
        for key in map(tuple, every.tolist()):
            if key not in numbers:
                numbers[key] = len(workers)
                workers.append(_worker(key, thread_names, several=len(processes) > 1))
            of.append(numbers[key])
        places.append(np.array(of, np.int64)[place.ravel()])
    return workers, places


def _worker(key: tuple[int, ...], thread_names: dict[int, str], *, several: bool) -> Worker:
    length, first, *rest = key
    process = first >> 24 & 0xFFFFFF if first != NULL else 0
    before = f"process {process} " if several and process else ""
    if length > 1:
        device = f"GPU {rest[0]} " if rest[0] != NULL else "GPU "
        return Worker(f"{before}{device}stream {rest[1]}", _HOST)
    number = first & 0xFFFFFF if first != NULL else 0
    name = thread_names.get(first, "").strip()
    label = f"thread {number} ({name})" if name else f"thread {number}"
    return Worker(before + label, _HOST, number)


def _thread_names(file: SqliteFile, texts: dict[int, str]) -> dict[int, str]:
    if not file.has("ThreadNames", "nameId", "globalTid"):
        return {}
    name, thread = file.integers("ThreadNames", ["nameId", "globalTid"])
    return {t: texts.get(n, "") for t, n in zip(thread.tolist(), name.tolist(), strict=True)}


def _run(file: SqliteFile, begin: int) -> Run:
    tags = {"runtime": "CUDA"}
    if file.has("TARGET_INFO_GPU", "name"):
        names = dict.fromkeys(file.texts("SELECT rowid, name FROM TARGET_INFO_GPU").values())
        if names:
            tags["gpu"] = ", ".join(list(names)[:_MOST_GPUS])
    machine = None
    if file.has("TARGET_INFO_SYSTEM_ENV", "name", "value"):
        machine = file.value("SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'Hostname'")
    started = None
    if file.has("TARGET_INFO_SESSION_START_TIME", "utcEpochNs"):
        (found,) = file.integers("TARGET_INFO_SESSION_START_TIME", ["utcEpochNs"])
        started = int(found[0]) + begin if len(found) else None
    dated = started is not None and _SINCE_1990 < started < _UNTIL_2200
    return Run(
        machine=machine if isinstance(machine, str) and machine else None,
        started_at=datetime.fromtimestamp(started // 1000 / 1e6, UTC)
        if dated and started is not None
        else None,
        tags=tags,
    )
