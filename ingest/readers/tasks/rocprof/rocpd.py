"""rocpd databases: rocprofv3's (version 3 and 4) and rocmProfileData's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

import numpy as np

from ingest.base import Run
from ingest.parsing.sqlite_file import SqliteFile
from ingest.parsing.timelines.gpu_calls import waits
from ingest.parsing.timelines.slices import Role, Worker
from ingest.parsing.timelines.tables import UNKNOWN, Table, distinct, named
from udfs.arrays import Integers

_HOST = "host"
_MARKERS = "MARKER"


def rocpd_tables(file: SqliteFile) -> list[Table]:
    """Return the tables of events of a database."""
    if file.has("rocpd_kernel_dispatch"):
        return _of_rocprofv3(file)
    return _of_rocm_profile_data(file)


def rocpd_facts(file: SqliteFile, tags: Mapping[str, str]) -> Run:
    """Return what a database states of its run."""
    machine = command = None
    if file.has("rocpd_info_node", "hostname"):
        machine = file.value("SELECT hostname FROM rocpd_info_node")
    if file.has("rocpd_info_process", "command"):
        command = file.value("SELECT command FROM rocpd_info_process")
    more = dict(tags)
    if file.has("rocpd_info_agent", "type", "product_name"):
        gpu = file.value("SELECT product_name FROM rocpd_info_agent WHERE type = 'GPU'")
        if isinstance(gpu, str) and gpu:
            more["gpu"] = gpu
    app = command.split()[:1] if isinstance(command, str) else []
    return Run(
        app=PurePosixPath(app[0]).name if app else None,
        machine=machine if isinstance(machine, str) and machine else None,
        tags=more,
    )


def _of_rocprofv3(file: SqliteFile) -> list[Table]:
    symbols = (
        file.texts(
            "SELECT id, coalesce(nullif(display_name, ''), kernel_name) "
            "FROM rocpd_info_kernel_symbol"
        )
        if file.has("rocpd_info_kernel_symbol", "display_name", "kernel_name")
        else {}
    )
    strings = file.texts("SELECT id, string FROM rocpd_string")
    agents = _agents(file)
    tables = [
        _device(file, "kernel", "rocpd_kernel_dispatch", ("agent_id", "kernel_id"), symbols, agents)
    ]
    if file.has("rocpd_memory_copy", "name_id"):
        columns = ("copy_agent", "name_id")
        tables.append(_device(file, "memory_copy", "rocpd_memory_copy", columns, strings, agents))
    if file.has("rocpd_region", "name_id"):
        tables.append(_regions(file, strings))
    return tables


def _agents(file: SqliteFile) -> dict[int, str]:
    if not file.has("rocpd_info_agent", "type", "type_index"):
        return {}
    return file.texts("SELECT id, type || ' ' || coalesce(type_index, id) FROM rocpd_info_agent")


def _joined(file: SqliteFile, table: str) -> tuple[str, dict[str, str]]:
    """Return a table with what it refers to, and where its columns are.

    Since version 4 of the schema times and places are in tables of their own.
    """
    source = f"{table} AS t LEFT JOIN rocpd_event AS e ON t.event_id = e.id"
    columns = {name: f"t.{name}" for name in file.tables[table]}
    columns |= {"start": "t.start", "end": 't."end"'}
    if file.has(table, "start_id", "end_id"):
        source += (
            " LEFT JOIN rocpd_timestamp AS a ON t.start_id = a.id"
            " LEFT JOIN rocpd_timestamp AS b ON t.end_id = b.id"
        )
        columns |= {"start": "a.value", "end": "b.value"}
    if file.has(table, "track_id"):
        source += " LEFT JOIN rocpd_track AS p ON t.track_id = p.id"
        columns = {name: f"p.{name}" for name in file.tables.get("rocpd_track", ())} | columns
    if file.has(table, "dst_agent_id", "src_agent_id"):
        # Copies are the GPU's: where the destination is the host, the source's.
        gpus = "SELECT id FROM rocpd_info_agent WHERE type = 'GPU'"
        columns["copy_agent"] = (
            f"CASE WHEN t.dst_agent_id IN ({gpus}) THEN t.dst_agent_id ELSE t.src_agent_id END"
        )
    columns["stack_id"] = "e.stack_id" if file.has("rocpd_event", "stack_id") else "NULL"
    return source, columns


def _device(
    file: SqliteFile,
    kind: str,
    table: str,
    agent_and_name: tuple[str, str],
    texts: dict[int, str],
    agents: dict[int, str],
) -> Table:
    source, columns = _joined(file, table)
    wanted = ("start", "end", *agent_and_name, "queue_id", "stream_id", "stack_id", "pid", "size")
    start, end, agent, number, queue, stream, link, process, size = file.integers(
        source, [columns.get(name, "NULL") for name in wanted]
    )
    names, name = named(number, texts, kind)
    keys, worker = distinct(agent, queue, stream)
    return Table(
        kind=kind,
        role=np.full(len(start), Role.DEVICE),
        start=start,
        end=end,
        names=names,
        name=name,
        workers=[_worker(agents, *key) for key in keys],
        worker=worker,
        link=link,
        process=process,
        size=size,
    )


def _worker(agents: dict[int, str], agent: int, queue: int, stream: int) -> Worker:
    on = agents.get(agent, "GPU" if agent == UNKNOWN else f"agent {agent}")
    name = f"{on} stream {stream}" if stream != UNKNOWN else f"{on} queue {queue}"
    return Worker(on if stream == queue == UNKNOWN else name, _HOST, device=on)


def _regions(file: SqliteFile, strings: dict[int, str]) -> Table:
    source, columns = _joined(file, "rocpd_region")
    category = "e.category_id" if file.has("rocpd_event", "category_id") else "NULL"
    wanted = [columns.get(n, "NULL") for n in ("start", "end", "tid", "name_id", "stack_id", "pid")]
    start, end, thread, number, link, process, domain = file.integers(source, [*wanted, category])
    threads: dict[int, int] = {}
    if file.has("rocpd_info_thread", "id", "tid"):
        known, tid = file.integers("rocpd_info_thread", ["id", "tid"])
        threads = dict(zip(known.tolist(), tid.tolist(), strict=True))
    return _calls(
        (start, end), named(number, strings, "call"), thread, (link, process), threads,
        _is_marker(domain, strings),
    )  # fmt: skip


def _is_marker(domain: Integers, strings: dict[int, str]) -> Integers:
    every, place = np.unique(domain, return_inverse=True)
    found = [strings.get(number, "").upper().startswith(_MARKERS) for number in every.tolist()]
    return np.array(found, np.int64)[place]


def _calls(
    times: tuple[Integers, Integers],
    names: tuple[list[str], Integers],
    thread: Integers,
    links: tuple[Integers, Integers],
    threads: dict[int, int],
    is_range: Integers,
) -> Table:
    """Return calls of threads; `threads` has the system's number of each."""
    texts, name = names
    role = np.array([Role.WAIT if waits(text) else Role.WORK for text in texts], np.int64)[name]
    keys, worker = distinct(thread)
    numbers = [threads.get(key, key) for (key,) in keys]
    return Table(
        kind="hip",
        role=np.where(is_range > 0, Role.SPAN, role),
        start=times[0],
        end=times[1],
        names=texts,
        name=name,
        workers=[
            Worker(f"thread {number}" if number >= 0 else "thread", _HOST, max(number, 0))
            for number in numbers
        ],
        worker=worker,
        link=np.where(is_range > 0, 0, links[0]),
        process=links[1],
    )


def _of_rocm_profile_data(file: SqliteFile) -> list[Table]:
    """Return the operations of GPUs and the calls, which rocpd_api_ops links."""
    strings = file.texts("SELECT id, string FROM rocpd_string")
    tables = []
    if file.has("rocpd_op", "start", "end", "gpuid", "queueid", "description_id"):
        source, known = "rocpd_op AS o", "NULL"
        if file.has("rocpd_api_ops", "api_id", "op_id"):
            calls = "SELECT op_id, min(api_id) AS api FROM rocpd_api_ops GROUP BY op_id"
            source, known = f"{source} LEFT JOIN ({calls}) AS c ON c.op_id = o.id", "c.api"
        start, end, gpu, queue, text, kind, api = file.integers(
            source, ["start", '"end"', "gpuId", "queueId", "description_id", "opType_id", known]
        )
        # Copies have no description but their type.
        described = np.array([bool(strings.get(n, "").strip()) for n in text.tolist()], bool)
        names, name = named(np.where(described, text, kind), strings, "operation")
        keys, worker = distinct(gpu, queue)
        workers = [
            Worker(f"GPU {gpu} queue {queue}", _HOST, device=f"GPU {gpu}") for gpu, queue in keys
        ]
        none = np.zeros(len(start), np.int64)
        role = np.full(len(start), Role.DEVICE)
        tables.append(Table("op", role, start, end, names, name, workers, worker, api, none))
    if file.has("rocpd_api", "id", "tid", "start", "end", "apiname_id"):
        start, end, thread, text, number = file.integers(
            "rocpd_api", ["start", '"end"', "tid", "apiName_id", "id"]
        )
        none = np.zeros(len(start), np.int64)
        names_of = named(text, strings, "call")
        tables.append(_calls((start, end), names_of, thread, (number, none), {}, none))
    return tables
