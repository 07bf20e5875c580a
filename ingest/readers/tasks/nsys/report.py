"""From the tables of a report to its items."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np

from ingest.base import Item, LeftOut, Run
from ingest.parsing.sqlite_file import SqliteFile, opened
from ingest.parsing.timelines.gpu_calls import waits, without_arguments, without_version
from ingest.parsing.timelines.landing import landing
from ingest.parsing.timelines.slices import Role, Worker
from ingest.parsing.timelines.tables import UNKNOWN, Table, combined, distinct, named
from ingest.recording import Recording
from udfs.arrays import Integers
from warehouse.errors import InputError

_PUSH_POP, _START_END = 59, 60
_COPIES = {
    1: "Host-to-Device",
    2: "Device-to-Host",
    3: "Host-to-Array",
    4: "Array-to-Host",
    5: "Array-to-Array",
    6: "Array-to-Device",
    7: "Device-to-Array",
    8: "Device-to-Device",
    9: "Host-to-Host",
    10: "Peer-to-Peer",
}
# Memory of the host (CUpti_ActivityMemoryKind), in numbers above those of copies.
_MEMORIES = {1: " (pageable)", 2: " (pinned)"}
_MEMORY_STEP = 100
_CALLS = {
    "CUPTI_ACTIVITY_KIND_RUNTIME": "cuda",
    "MPI_COLLECTIVES_EVENTS": "mpi",
    "MPI_P2P_EVENTS": "mpi",
    "MPI_START_WAIT_EVENTS": "mpi",
    "MPI_OTHER_EVENTS": "mpi",
}
_OPERATING_SYSTEM = "OSRT_API"
_BITS, _LOWER = 24, 0xFFFFFF  # a global id: the process, then the thread in so many bits


_HOST = "host"
_WITH_PROCESS = {
    **dict.fromkeys((*_CALLS, _OPERATING_SYSTEM, "NVTX_EVENTS"), "globalTid"),
    **{f"CUPTI_ACTIVITY_KIND_{kind}": "globalPid" for kind in ("KERNEL", "MEMCPY", "MEMSET")},
}


class Report:
    """The tables of a report, and the names of what is numbered in them."""

    def __init__(self, file: SqliteFile) -> None:
        self.file = file
        strings = file.has("StringIds", "id", "value")
        self.texts = file.texts("SELECT id, value FROM StringIds") if strings else {}
        self._threads: dict[int, str] = {}
        if file.has("ThreadNames", "nameId", "globalTid"):
            name, thread = file.integers("ThreadNames", ["nameId", "globalTid"])
            self._threads = {
                t: self.texts.get(n, "").strip()
                for t, n in zip(thread.tolist(), name.tolist(), strict=True)
            }
        self._is_several = len(self._processes()) > 1

    def stream(self, process: int, device: int, stream: int) -> Worker:
        """Return the worker of a stream."""
        gpu = "GPU" if device == UNKNOWN else f"GPU {device}"
        return Worker(f"{self._before(process)}{gpu} stream {stream}", _HOST, device=gpu)

    def threads(self, thread: Integers) -> tuple[list[Worker], Integers]:
        """Return the workers of threads, and which of them each event ran on."""
        keys, worker = distinct(thread)
        return [self._thread(key) for (key,) in keys], worker

    def _thread(self, thread: int) -> Worker:
        number = 0 if thread == UNKNOWN else thread & _LOWER
        name = self._threads.get(thread)
        label = f"thread {number} ({name})" if name else f"thread {number}"
        return Worker(self._before(thread) + label, _HOST, number)

    def _before(self, of: int) -> str:
        return f"process {of >> _BITS & _LOWER} " if self._is_several and of != UNKNOWN else ""

    def _processes(self) -> set[int]:
        found: set[int] = set()
        for table, column in _WITH_PROCESS.items():
            if self.file.has(table, column):
                (ids,) = self.file.integers(
                    f"(SELECT DISTINCT {column} >> {_BITS} AS process FROM {table})", ["process"]
                )
                found |= set(ids.tolist()) - {UNKNOWN}
        return found


def device_events(report: Report) -> list[Table]:
    """Return what GPUs executed."""
    file = report.file
    found = []
    if file.has("CUPTI_ACTIVITY_KIND_KERNEL", "start", "end", "streamId"):
        name = _first(file, "CUPTI_ACTIVITY_KIND_KERNEL", "demangledName", "shortName")
        found.append(
            _device(report, "CUPTI_ACTIVITY_KIND_KERNEL", "kernel", name, report.texts, "kernel")
        )
    if file.has("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "start", "end", "streamId"):
        graph = _first(file, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "graphExecId", "graphId")
        table = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
        found.append(_device(report, table, "graph", graph, {}, "CUDA graph"))
    if file.has("CUPTI_ACTIVITY_KIND_MEMCPY", "start", "end", "streamId"):
        table = "CUPTI_ACTIVITY_KIND_MEMCPY"
        source, target = (_first(file, table, column) for column in ("srcKind", "dstKind"))
        memory = " ".join(
            f"WHEN {kind} IN ({source}, {target}) THEN {_MEMORY_STEP * kind}" for kind in _MEMORIES
        )
        kind = f"{_first(file, table, 'copyKind')} + CASE {memory} ELSE 0 END"
        labels = {
            _MEMORY_STEP * place + number: f"[CUDA memcpy {label}]{memory}"
            for place, memory in ({0: ""} | _MEMORIES).items()
            for number, label in _COPIES.items()
        }
        found.append(_device(report, table, "memcpy", kind, labels, "[CUDA memcpy]"))
    if file.has("CUPTI_ACTIVITY_KIND_MEMSET", "start", "end", "streamId"):
        found.append(
            _device(report, "CUPTI_ACTIVITY_KIND_MEMSET", "memset", "NULL", {}, "[CUDA memset]")
        )
    return found


def thread_events(report: Report) -> list[Table]:
    """Return the calls of threads, and their ranges of NVTX."""
    file = report.file
    found = []
    for table, kind in _CALLS.items():
        name = _first(file, table, "nameId", "textId")
        if file.has(table, "start", "end", "globalTid"):
            found.append(_calls(report, table, kind, name))
    if file.has(_OPERATING_SYSTEM, "start", "end", "globalTid", "nameId"):
        calls = _calls(report, _OPERATING_SYSTEM, "osrt", "nameId")
        calls.role[:] = Role.CLOCK
        found.append(calls)
    if file.has("NVTX_EVENTS", "start", "end", "eventType", "globalTid"):
        found.append(_ranges(report))
    return found


def _first(file: SqliteFile, table: str, *columns: str) -> str:
    """Return an expression for the first of the columns that has a value; NULL for none."""
    known = [f'"{column}"' for column in columns if file.has(table, column)]
    return f"coalesce({', '.join([*known, 'NULL'])})" if known else "NULL"


def _device(
    report: Report, table: str, kind: str, name: str, texts: dict[int, str], unknown: str
) -> Table:
    file = report.file
    process = _first(file, table, "globalPid")
    device = _first(file, table, "deviceId")
    correlation = _first(file, table, "correlationId")
    moved = _first(file, table, "bytes")
    start, end, pid, gpu, stream, number, link, size = file.integers(
        table, ["start", '"end"', process, device, "streamId", name, correlation, moved]
    )
    names, name_of = named(number, texts, unknown)
    role = np.full(len(start), Role.DEVICE)
    keys, worker = distinct(pid, gpu, stream)
    workers = [report.stream(*key) for key in keys]
    of = _process(pid)
    return Table(kind, role, start, end, names, name_of, workers, worker, link, of, size)


def _calls(report: Report, table: str, kind: str, name: str) -> Table:
    file = report.file
    correlation = _first(file, table, "correlationId")
    start, end, thread, number, link = file.integers(
        table, ["start", '"end"', "globalTid", name, correlation]
    )
    names, name_of = named(number, report.texts, f"{kind} call")
    names = [without_version(name) for name in names]
    roles = np.array([Role.WAIT if waits(name) else Role.WORK for name in names], np.int64)
    workers, worker = report.threads(thread)
    role = roles[name_of]
    return Table(kind, role, start, end, names, name_of, workers, worker, link, _process(thread))


def _ranges(report: Report) -> Table:
    """Return the ranges: their text is their own or, since 2019, one of the strings'."""
    file, texts = report.file, report.texts
    number = _first(file, "NVTX_EVENTS", "textId")
    text = "text" if file.has("NVTX_EVENTS", "text") else "NULL"
    start, end, thread, kind, row, textual = file.integers(
        "NVTX_EVENTS",
        ["start", '"end"', "globalTid", "eventType", "rowid", number],
        f'eventType IN ({_PUSH_POP}, {_START_END}) AND "end" IS NOT NULL',
    )
    own = file.texts(f"SELECT rowid, {text} FROM NVTX_EVENTS WHERE {text} IS NOT NULL")
    every = [
        without_arguments(own.get(r) or texts.get(t, "(no name)"))
        for r, t in zip(row.tolist(), textual.tolist(), strict=True)
    ]
    numbers: dict[str, int] = {}
    name_of = np.array([numbers.setdefault(name, len(numbers)) for name in every], np.int64)
    role = np.where(kind == _PUSH_POP, Role.SPAN, Role.CLOCK).astype(np.int64)
    link = np.zeros(len(start), np.int64)
    workers, worker = report.threads(thread)
    return Table(
        "nvtx", role, start, end, list(numbers), name_of, workers, worker, link, _process(thread)
    )


def _process(of: Integers) -> Integers:
    return np.where(of == UNKNOWN, 0, of >> _BITS)


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
