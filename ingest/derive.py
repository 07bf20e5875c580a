"""Results that are computed once, at ingest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ingest import attribute
from warehouse import sqlfiles
from warehouse.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TASK_TABLES = (
    "nodes",
    "workers",
    "tasks",
    "task_data",
    "task_inputs",
    "transfers",
    "runtime_intervals",
)
_MOST_FOR_SEGMENTS = 10_000
_DERIVED = ("idle_intervals", "idle_latency", "idle_segments")


def derive(con: DuckDBPyConnection, source_id: int, run_ids: Iterable[str]) -> None:
    """Attribute the idle time of runs, in place of what was derived of them before.

    To be called when rows of TASK_TABLES landed or went. `source_id` becomes the rows' own. The
    caller keeps the transaction. Raises `InputError` where times or lengths leave 64 bits.
    """
    import duckdb

    runs = list(run_ids)
    for table in _DERIVED:
        con.execute(f"DELETE FROM {table} WHERE run_id IN (SELECT unnest($runs))", {"runs": runs})
    con.execute(sqlfiles.read("derived/idle_0_runs"), {"runs": runs, "source_id": source_id})
    try:
        attribute.store_intervals(con)
        _store_segments(con)
    except (duckdb.OutOfRangeException, OverflowError) as error:
        raise InputError(
            "the times of a run lie too far apart",
            expected="times, corrected by the clock offsets of their nodes, that fit 64 bits of "
            "nanoseconds and lie within 292 years of each other",
        ) from error
    con.execute("DROP TABLE _idle_run")


def decode_segments(con: DuckDBPyConnection, source_id: int) -> None:
    """Decode the machine code of a source's segments, once; the caller keeps the transaction."""
    from udfs.throughput import REVISION

    con.execute(sqlfiles.read("derived/segments_0_code"), {"source_id": source_id})
    con.execute(sqlfiles.read("derived/segments_1_features"), {"revision": REVISION})
    con.execute(sqlfiles.read("derived/segments_2_counts"))
    con.execute("DROP TABLE _segment_code")


def decode_outdated(con: DuckDBPyConnection) -> Iterator[tuple[float, int]]:
    """Decode machine code anew that a pwh of other tables decoded, or none.

    Yields after each file the share of them that is done, and its source_id. The caller keeps the
    transaction.
    """
    from udfs.throughput import REVISION

    outdated = con.execute(
        "SELECT DISTINCT source_id FROM segments WHERE hex IS NOT NULL AND source_id NOT IN "
        "(SELECT source_id FROM segment_features WHERE revision = $revision)",
        {"revision": REVISION},
    ).fetchall()
    for number, (source_id,) in enumerate(outdated, 1):
        con.execute("DELETE FROM segment_features WHERE source_id = ?", [source_id])
        decode_segments(con, source_id)
        yield number / len(outdated), source_id


def _store_segments(con: DuckDBPyConnection) -> None:
    """Store the pieces on the time axis of those runs that are not too long for it."""
    small = con.execute(
        "SELECT run_id FROM idle_intervals JOIN _idle_run USING (run_id) "
        "GROUP BY run_id HAVING count(*) <= ?",
        [_MOST_FOR_SEGMENTS],
    ).fetchall()
    if small:
        runs = [run_id for (run_id,) in small]
        con.execute(sqlfiles.read("derived/idle_segments"), {"runs": runs})
