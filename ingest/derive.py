"""Results that are computed once, at ingest."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import duckdb

from ingest import attribute
from ingest.memory import registered
from warehouse import sqlfiles
from warehouse.catalog import DERIVED
from warehouse.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.session import Connection


def derive(con: Connection, sources: Mapping[str, int]) -> None:
    """Attribute the idle time of runs, in place of what was derived of them before.

    To be called when rows of `ingest.base.TASK_TABLES` landed or went. `sources` has, by run, the
    source_id that becomes the rows' own. The caller keeps the transaction. Raises `InputError`
    where times or lengths leave 64 bits.
    """
    _forget_derived(con, sources)
    con.execute(
        sqlfiles.read("derived/idle_0_runs"),
        {"runs": list(sources), "source_ids": list(sources.values())},
    )
    try:
        attribute.store_intervals(con)
    except (duckdb.OutOfRangeException, OverflowError) as error:
        raise InputError(
            "the times of a run lie too far apart",
            expected="times, corrected by the clock offsets of their nodes, that fit 64 bits of "
            "nanoseconds and lie within 292 years of each other",
        ) from error
    con.execute("DROP TABLE _idle_run")


def store_derived(
    con: Connection, run_ids: Collection[str], tables: Mapping[str, pa.Table]
) -> None:
    """Store what was derived of runs elsewhere, rows of DERIVED, in place of what was before.

    The caller keeps the transaction.
    """
    _forget_derived(con, run_ids)
    for table, rows in tables.items():
        with registered(con, _derived=rows):
            con.execute(f"INSERT INTO {table} BY NAME FROM _derived")


def _forget_derived(con: Connection, run_ids: Collection[str]) -> None:
    runs = {"runs": list(run_ids)}
    for table in DERIVED:
        con.execute(f"DELETE FROM {table} WHERE run_id IN (SELECT unnest($runs))", runs)


def decode_segments(con: Connection, source_id: int) -> None:
    """Decode the machine code of a source's segments, once; the caller keeps the transaction."""
    from udfs.throughput import REVISION

    con.execute(sqlfiles.read("derived/segments_0_code"), {"source_id": source_id})
    con.execute(sqlfiles.read("derived/segments_1_features"), {"revision": REVISION})
    con.execute(sqlfiles.read("derived/segments_2_counts"))
    con.execute("DROP TABLE _segment_code")


def outdated_code(con: Connection, run_ids: Collection[str]) -> list[int]:
    """Return the sources whose machine code a pwh of other tables decoded, or none.

    And those of these runs.
    """
    from udfs.throughput import REVISION

    params = {"revision": REVISION, "run_ids": json.dumps(list(run_ids))}
    found = con.execute(sqlfiles.read("derived/segments_outdated"), params).fetchall()
    return [int(source_id) for (source_id,) in found]


def decode_again(con: Connection, source_id: int) -> list[str]:
    """Decode the machine code of a source anew; return its runs.

    The caller keeps the transaction.
    """
    con.execute("DELETE FROM segment_features WHERE source_id = ?", [source_id])
    decode_segments(con, source_id)
    found = con.execute("SELECT DISTINCT run_id FROM segments WHERE source_id = ?", [source_id])
    return [str(run_id) for (run_id,) in found.fetchall()]
