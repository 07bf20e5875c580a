"""Results that are computed once, at ingest, in the transaction of the rows they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from warehouse import sqlfiles
from warehouse.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from udfs.idle import Attribution, Shares
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
        for step in ("idle_1_tasks", "idle_2_waits", "idle_3_gaps"):
            con.execute(sqlfiles.read(f"derived/{step}"))
        _measure(con)
        con.execute(sqlfiles.read("derived/idle_4_rows"))
        _store_segments(con)
    except (duckdb.OutOfRangeException, OverflowError) as error:
        raise InputError(
            "the times of a run lie too far apart",
            expected="times, corrected by the clock offsets of their nodes, that fit 64 bits of "
            "nanoseconds and lie within 292 years of each other",
        ) from error
    con.execute(sqlfiles.read("derived/idle_5_clear"))


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


def _measure(con: DuckDBPyConnection) -> None:
    """Measure the parts of the idle intervals; gives them back as temporary tables."""
    import numpy as np

    from udfs.idle import Attribution, Gaps

    workers = con.sql("SELECT count(*) + 1 FROM _idle_worker").fetchall()[0][0]
    gap = _arrays(con, "idle_times")
    number = gap.pop("i")
    exact = _arrays(con, "idle_exact")
    flights = _arrays(con, "idle_flights")
    totals = _arrays(con, "idle_totals")
    work = totals.pop("total_ns")
    gaps = Gaps(**gap)
    idle = Attribution(workers, gaps, *(tuple(x.values()) for x in (exact, flights, totals)))
    shares = idle.shares(np.arange(len(gaps)), gaps.a, gaps.s1)
    _store(
        con,
        "_idle_part",
        {
            "i": number,
            "latency": idle.in_flight(),
            "unsubmitted": idle.unsubmitted(),
            **_columns(shares),
        },
    )
    _store(con, "_idle_met", _totals_met(idle, shares, number, work))
    islands = idle.latency
    _store(con, "_idle_island", {"w": islands.axis, "p": islands.start, "q": islands.end})


def _totals_met(idle: Attribution, shares: Shares, number: Int, work: Int) -> dict[str, Int]:
    """Measure the windows of runtime totals against the starvation that meets them.

    `work` are the totals. Gives for each pair the interval's number i, the window's total and its
    length y without exact runtime, the length of the starvation within it and its shares.
    """
    import numpy as np

    gap, window = idle.windows_met()
    _, begin, stop = idle.windows
    start = np.maximum(begin[window], idle.gaps.a[gap])
    end = np.minimum(stop[window], idle.gaps.s1[gap])
    part = shares.take(gap)
    cut = np.flatnonzero((start > idle.gaps.a[gap]) | (end < idle.gaps.s1[gap]))
    part.put(cut, idle.shares(gap[cut], start[cut], end[cut]))
    return {
        "i": number[gap],
        "total": work[window],
        "y": idle.windows_free()[window],
        "met": end - start,
        **_columns(part),
    }


def _columns(shares: Shares) -> dict[str, Int]:
    return {name: getattr(shares, name) for name in shares.__slots__}


def _arrays(con: DuckDBPyConnection, name: str) -> dict[str, Any]:
    """Run sql/derived/<name>.sql; give its columns, which hold no NULL, as int64 arrays."""
    import numpy as np

    found = con.execute(sqlfiles.read(f"derived/{name}")).fetchnumpy()
    return {name: np.asarray(values, np.int64) for name, values in found.items()}


def _store(con: DuckDBPyConnection, name: str, columns: Mapping[str, Int]) -> None:
    """Make a temporary table of some arrays."""
    import pyarrow as pa

    arrays = pa.table(dict(columns))
    con.register("_idle_arrays", arrays)
    con.execute(f"CREATE TEMP TABLE {name} AS FROM _idle_arrays")
    con.unregister("_idle_arrays")
