"""From the tables of a report to its items."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from ingest.base import Item, LeftOut, Run
from ingest.parsing.sqlite_file import SqliteFile, opened
from ingest.parsing.timelines.landing import landing
from ingest.parsing.timelines.tables import combined
from ingest.readers.tasks.nsys.events import Report, device_events, thread_events
from ingest.recording import Recording
from warehouse.errors import InputError

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
        report = Report(file)
        tables = (*device_events(report), *thread_events(report))
        found = [table for table in tables if len(table.start)]
        if not found:
            raise InputError(
                "the report has neither work of a GPU nor calls of CUDA, MPI or NVTX",
                expected="a report of nsys profile --trace=cuda,nvtx",
            )
        timeline, unfinished = combined(found)
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
