"""Results that are computed once, at ingest, in the transaction of the rows they come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from warehouse import sqlfiles
from warehouse.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from udfs.timeline import Int

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
_BATCH = 1 << 17
_MEMORY = "3GB"
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
        with _modest(con):
            _store_intervals(con)
            _store_segments(con)
    except (duckdb.OutOfRangeException, OverflowError) as error:
        raise InputError(
            "the times of a run lie too far apart",
            expected="times, corrected by the clock offsets of their nodes, that fit 64 bits of "
            "nanoseconds and lie within 292 years of each other",
        ) from error
    con.execute(sqlfiles.read("derived/idle_6_clear"))


def _store_intervals(con: DuckDBPyConnection) -> None:
    """Find the idle intervals with SQL, measure their parts on the time axis, store both."""
    from udfs.idle import Attribution, Gaps

    con.execute(sqlfiles.read("derived/idle_1_tasks"))
    con.execute(sqlfiles.read("derived/idle_2_waits"))
    if con.execute("SELECT 1 FROM _idle_need WHERE onward LIMIT 1").fetchone():
        con.execute(sqlfiles.read("derived/idle_detours"))
    found = con.execute(sqlfiles.read("derived/idle_3_gaps")).to_arrow_table(_BATCH)
    cuts = {name: found[name].to_numpy() for name in ("w", "a", "s1", "b", "la", "u", "v")}
    with _registered(con, _idle_cuts={"i": found["i"], **cuts}):
        flights = _columns(con, "idle_flights")
    con.execute(sqlfiles.read("derived/idle_inputs_clear"))
    labels = {name: found[name] for name in found.column_names if name not in (*cuts, "i")}
    del found
    exact, totals = _columns(con, "idle_exact"), _columns(con, "idle_totals")
    work = totals.pop("total_ns")
    workers = con.execute("SELECT count(*) + 1 FROM _idle_worker").fetchall()[0][0]
    idle = Attribution(workers, Gaps(**cuts), _set(exact), _set(flights), _set(totals))
    parts = idle.parts()
    with _registered(
        con,
        _idle_measured={**labels, **cuts, **parts},
        _idle_met=idle.windows_met(parts, work),
        _idle_island=idle.flights(),
    ):
        del idle, exact, flights
        con.execute(sqlfiles.read("derived/idle_4_uniform"))
        con.execute(sqlfiles.read("derived/idle_5_rows"))


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


def _columns(con: DuckDBPyConnection, name: str) -> dict[str, Int]:
    """Run sql/derived/<name>.sql; give its columns, which hold no NULL, as arrays."""
    found: dict[str, Int] = con.execute(sqlfiles.read(f"derived/{name}")).fetchnumpy()
    return found


def _set(columns: Mapping[str, Int]) -> tuple[Int, Int, Int]:
    """Give axis, start and end, the three columns of a set of times."""
    axis, start, end = columns.values()
    return axis, start, end


@contextmanager
def _modest(con: DuckDBPyConnection) -> Iterator[None]:
    """Let DuckDB go to disk early, because the arrays need memory too.

    Over a connection of its own, because a failed transaction takes no more settings.
    """
    import duckdb

    with con.cursor() as other:
        before, is_more = other.execute(
            "SELECT value, parse_formatted_bytes(value) > parse_formatted_bytes($most) "
            "FROM duckdb_settings() WHERE name = 'memory_limit'",
            {"most": _MEMORY},
        ).fetchall()[0]
        with suppress(duckdb.Error):
            other.execute(f"SET memory_limit = '{_MEMORY if is_more else before}'")
        try:
            yield
        finally:
            other.execute(f"SET memory_limit = '{before}'")


@contextmanager
def _registered(con: DuckDBPyConnection, **tables: Mapping[str, Any]) -> Iterator[None]:
    """Let SQL see some tables, given by their columns."""
    import pyarrow as pa

    for name, columns in tables.items():
        # In batches, because each is read by one thread.
        whole = pa.table(dict(columns))
        batches = whole.to_batches(max_chunksize=_BATCH)
        con.register(name, pa.Table.from_batches(batches, whole.schema))
    yield
    for name in tables:
        con.unregister(name)
