"""Work of a worker of a cluster: attribute the idle time of runs whose rows it is sent.

Rows travel as Arrow streams, so that a worker needs neither the warehouse nor its file system, only
the same pwh. It attributes them as ingest does, in a warehouse in memory.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

import pyarrow as pa

from ingest.derive import derive
from ingest.memory import registered
from ingest.scalars import add_up_workers
from warehouse import modules, sqlfiles
from warehouse.catalog import DERIVED
from warehouse.connection import in_memory_with
from warehouse.errors import ClusterError
from warehouse.session import Connection
from warehouse.version import __version__

_OWN = threading.local()
SCALARS = "run_scalars"
_SOURCES = (0,)  # that of all rows here
# What attribution reads.
_COLUMNS = {
    "nodes": "node, clock_offset_ns",
    "workers": "worker, node, t_begin, t_end",
    "tasks": "task, worker, t_submit, t_start, t_end",
    "task_data": "data, producer, node, t_ready",
    "task_inputs": "task, data",
    "transfers": "data, from_node, to_node, t_send, t_recv",
    "runtime_intervals": "worker, t_start, t_end, total_ns",
}
# The readings that attribution stores pieces of, and which clocks are apart.
_MODULES = ("idle", "clock_skew")


@cache
def identity() -> str:
    """Return the version of pwh, and a digest of the SQL that attributes idle time."""
    texts = [*modules.digests().values(), *map(Path.read_text, sqlfiles.files("derived"))]
    return f"{__version__} ({hashlib.sha256(chr(0).join(texts).encode()).hexdigest()[:8]})"


def pack(con: Connection, files: Mapping[str, Collection[int]]) -> dict[str, bytes]:
    """Return the rows of runs, in these files (source_id), that `attributed` needs.

    As Arrow streams by table.
    """
    of_files = sqlfiles.of_sources({one for source_ids in files.values() for one in source_ids})
    runs = {"runs": list(files)}
    sql = "SELECT run_id, {} FROM {} WHERE {} AND run_id IN (SELECT unnest($runs))"
    return {
        table: _stream(con.execute(sql.format(columns, table, of_files), runs))
        for table, columns in _COLUMNS.items()
    }


def attributed(
    sender: str, sources: Mapping[str, int], tables: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Attribute the idle time of runs (`ingest.derive.derive`), and add up the scalars of workers.

    Return the rows by table: those of DERIVED, and SCALARS.

    `sender` is the `identity` of the pwh that sends the rows of `tables` (`pack`).
    Raises `ClusterError` where that is another than this one, and `InputError` as `derive`.
    """
    if sender != identity():
        raise ClusterError(
            f"a worker has pwh {identity()}, this is pwh {sender}",
            hint="Install the same pwh where the workers run.",
        )
    con = _warehouse()
    try:
        con.execute("BEGIN")
        for table, stream in tables.items():
            with registered(con, _sent=unpack(stream)):
                con.execute(
                    f"INSERT INTO {table} BY NAME SELECT {_SOURCES[0]} AS source_id, * FROM _sent"
                )
        derive(con, sources)
        add_up_workers(con, dict.fromkeys(sources, _SOURCES))
        found = {table: _stream(con.execute(f"FROM {table}")) for table in (*DERIVED, SCALARS)}
        con.execute("ROLLBACK")
        return found
    except BaseException:
        # Whatever state it is in: the next runs get another.
        del _OWN.con
        with suppress(Exception):
            con.close()
        raise


def unpack(stream: bytes) -> pa.Table:
    """Return the rows of an Arrow stream."""
    return pa.ipc.open_stream(stream).read_all()


def _stream(result: Connection) -> bytes:
    rows = result.to_arrow_table()
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(sink, rows.schema, options=options) as writer:
        writer.write_table(rows)
    stream: bytes = sink.getvalue().to_pybytes()
    return stream


def _warehouse() -> Connection:
    """Return an empty warehouse in memory, which this thread keeps."""
    if not hasattr(_OWN, "con"):
        _OWN.con = in_memory_with(*_MODULES)
        # Workers have as many threads as they are to use.
        _OWN.con.execute("SET threads = 1")
    found: Connection = _OWN.con
    return found
