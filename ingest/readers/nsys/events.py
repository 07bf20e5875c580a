"""The events of a report: which tables have them, and what they are on a timeline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ingest.parsing.sqlite_file import NULL, SqliteFile
from ingest.parsing.timelines.gpu_calls import waits, without_version
from ingest.parsing.timelines.slices import Integers, Role

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
_CALLS = {
    "CUPTI_ACTIVITY_KIND_RUNTIME": "cuda",
    "MPI_COLLECTIVES_EVENTS": "mpi",
    "MPI_P2P_EVENTS": "mpi",
    "MPI_START_WAIT_EVENTS": "mpi",
    "MPI_OTHER_EVENTS": "mpi",
}
_OPERATING_SYSTEM = "OSRT_API"


@dataclass(frozen=True, slots=True)
class Found:
    """Events of one table: times in ns, names as numbers of texts, NULL where unknown.

    `thread` is the global id of the thread, or of a stream the process, device and stream.
    """

    kind: str
    role: Integers
    start: Integers
    end: Integers
    name: list[str]
    name_of: Integers
    thread: tuple[Integers, ...]
    correlation: Integers


def device_events(file: SqliteFile, texts: dict[int, str]) -> list[Found]:
    """Return what GPUs executed."""
    found = []
    if file.has("CUPTI_ACTIVITY_KIND_KERNEL", "start", "end", "streamId"):
        name = _first(file, "CUPTI_ACTIVITY_KIND_KERNEL", "demangledName", "shortName")
        found.append(_device(file, "CUPTI_ACTIVITY_KIND_KERNEL", "kernel", name, texts, "kernel"))
    if file.has("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "start", "end", "streamId"):
        graph = _first(file, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "graphExecId", "graphId")
        table = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
        found.append(_device(file, table, "graph", graph, {}, "CUDA graph"))
    if file.has("CUPTI_ACTIVITY_KIND_MEMCPY", "start", "end", "streamId"):
        kind = _first(file, "CUPTI_ACTIVITY_KIND_MEMCPY", "copyKind")
        labels = {number: f"[CUDA memcpy {label}]" for number, label in _COPIES.items()}
        table = "CUPTI_ACTIVITY_KIND_MEMCPY"
        found.append(_device(file, table, "memcpy", kind, labels, "[CUDA memcpy]"))
    if file.has("CUPTI_ACTIVITY_KIND_MEMSET", "start", "end", "streamId"):
        found.append(
            _device(file, "CUPTI_ACTIVITY_KIND_MEMSET", "memset", "NULL", {}, "[CUDA memset]")
        )
    return found


def thread_events(file: SqliteFile, texts: dict[int, str]) -> list[Found]:
    """Return the calls of threads, and their ranges of NVTX."""
    found = []
    for table, kind in _CALLS.items():
        name = _first(file, table, "nameId", "textId")
        if file.has(table, "start", "end", "globalTid"):
            found.append(_calls(file, table, kind, name, texts))
    if file.has(_OPERATING_SYSTEM, "start", "end", "globalTid", "nameId"):
        calls = _calls(file, _OPERATING_SYSTEM, "osrt", "nameId", texts)
        calls.role[:] = Role.CLOCK
        found.append(calls)
    if file.has("NVTX_EVENTS", "start", "end", "eventType", "globalTid"):
        found.append(_ranges(file, texts))
    return found


def _first(file: SqliteFile, table: str, *columns: str) -> str:
    """Return an expression for the first of the columns that has a value; NULL for none."""
    known = [f'"{column}"' for column in columns if file.has(table, column)]
    return f"coalesce({', '.join([*known, 'NULL'])})" if known else "NULL"


def _device(
    file: SqliteFile, table: str, kind: str, name: str, texts: dict[int, str], unknown: str
) -> Found:
    process = _first(file, table, "globalPid")
    device = _first(file, table, "deviceId")
    correlation = _first(file, table, "correlationId")
    start, end, pid, gpu, stream, number, link = file.integers(
        table, ["start", '"end"', process, device, "streamId", name, correlation]
    )
    names, name_of = _named(number, texts, unknown)
    role = np.full(len(start), Role.DEVICE)
    return Found(kind, role, start, end, names, name_of, (pid, gpu, stream), link)


def _calls(file: SqliteFile, table: str, kind: str, name: str, texts: dict[int, str]) -> Found:
    correlation = _first(file, table, "correlationId")
    start, end, thread, number, link = file.integers(
        table, ["start", '"end"', "globalTid", name, correlation]
    )
    names, name_of = _named(number, texts, f"{kind} call")
    names = [without_version(name) for name in names]
    roles = np.array([Role.WAIT if waits(name) else Role.WORK for name in names], np.int64)
    return Found(kind, roles[name_of], start, end, names, name_of, (thread,), link)


def _ranges(file: SqliteFile, texts: dict[int, str]) -> Found:
    """Return the ranges: their text is their own or, since 2019, one of the strings'."""
    number = _first(file, "NVTX_EVENTS", "textId")
    text = "text" if file.has("NVTX_EVENTS", "text") else "NULL"
    start, end, thread, kind, row, textual = file.integers(
        "NVTX_EVENTS",
        ["start", '"end"', "globalTid", "eventType", "rowid", number],
        f'eventType IN ({_PUSH_POP}, {_START_END}) AND "end" IS NOT NULL',
    )
    own = file.texts(f"SELECT rowid, {text} FROM NVTX_EVENTS WHERE {text} IS NOT NULL")
    every = [
        own.get(r) or texts.get(t, "(no name)")
        for r, t in zip(row.tolist(), textual.tolist(), strict=True)
    ]
    numbers: dict[str, int] = {}
    name_of = np.array([numbers.setdefault(name, len(numbers)) for name in every], np.int64)
    role = np.where(kind == _PUSH_POP, Role.SPAN, Role.CLOCK).astype(np.int64)
    link = np.full(len(start), NULL)
    return Found("nvtx", role, start, end, list(numbers), name_of, (thread,), link)


def _named(number: Integers, texts: dict[int, str], unknown: str) -> tuple[list[str], Integers]:
    every, name_of = np.unique(number, return_inverse=True)
    return [texts.get(n, unknown) for n in every.tolist()], name_of
