"""Take a run or a source out of the warehouse, completely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from ingest.analyse import analyse
from ingest.base import TASK_TABLES
from ingest.derive import derive
from ingest.runs import renew_runs
from ingest.scalars import keep_scalars
from warehouse import sqlfiles
from warehouse.catalog import DERIVED, by_run_and_source, landing
from warehouse.session import Connection


def forget_source(
    con: Connection, source_id: int, failed: Mapping[str, str] | None = None
) -> dict[str, int]:
    """Take out all that one file brought; return the number of rows by table.

    A run that other files also describe stays, with their facts. The caller keeps the
    transaction. `failed` is that of `analyse`.
    """
    run_ids = _runs_of(con, source_id)
    gone = take_out(con, source_id)
    con.execute(sqlfiles.read("derived/forgotten_commits"))
    analyse(con, run_ids, failed)
    return gone


def _runs_of(con: Connection, source_id: int) -> list[str]:
    runs = con.execute("SELECT DISTINCT run_id FROM run_facts WHERE source_id = ?", [source_id])
    return [run_id for (run_id,) in runs.fetchall()]


def take_out(con: Connection, source_id: int) -> dict[str, int]:
    """Do what `forget_source` does, but for the analyses."""
    run_ids = _runs_of(con, source_id)
    gone = _delete(con, "source_id", source_id)
    con.execute("DELETE FROM sources WHERE source_id = ?", [source_id])
    if left := renew_runs(con, run_ids):
        if not gone.keys().isdisjoint(TASK_TABLES):
            _derive_anew(con, left)
        keep_scalars(con, left, gone)
    return gone


def _derive_anew(con: Connection, run_ids: list[str]) -> None:
    """Attribute the idle time of runs of which another file is still there."""
    left = con.execute(
        "SELECT run_id, max(source_id) FROM tasks WHERE run_id IN (SELECT unnest($runs)) "
        "GROUP BY run_id",
        {"runs": run_ids},
    ).fetchall()
    if left:
        derive(con, dict(left))


def forget_run(
    con: Connection, run_id: str, failed: Mapping[str, str] | None = None
) -> dict[str, int]:
    """Take out all rows of one run; return the number of rows by table.

    A file of only this run is forgotten with it, so that it can be ingested again. Of one with
    other runs the rows of those are left. `failed` is that of `analyse`.
    """
    return forget_runs(con, [run_id], failed)


def forget_runs(
    con: Connection, run_ids: Collection[str], failed: Mapping[str, str] | None = None
) -> dict[str, int]:
    """Do what `forget_run` does, of several runs."""
    gone: Counter[str] = Counter()
    for run_id in run_ids:
        sources = con.execute("SELECT DISTINCT source_id FROM run_facts WHERE run_id = ?", [run_id])
        source_ids = [source_id for (source_id,) in sources.fetchall()]
        for source_id, rows in _rows_by_source(con, run_id):
            con.execute(
                "UPDATE sources SET rows = rows - $1 WHERE source_id = $2", [rows, source_id]
            )
        gone.update(_delete(con, "run_id", run_id))
        renew_runs(con, [run_id])
        con.execute(
            "DELETE FROM sources WHERE source_id IN (SELECT unnest($ids)) "
            "AND source_id NOT IN (SELECT source_id FROM run_facts)",
            {"ids": source_ids},
        )
    con.execute(sqlfiles.read("derived/forgotten_commits"))
    analyse(con, run_ids, failed)
    return dict(gone)


def _rows_by_source(con: Connection, run_id: str) -> list[tuple[int, int]]:
    """Return how many rows each file brought to a run: derived ones only where it has no others."""
    of_all = " UNION ALL ".join(
        f"SELECT source_id, {table in DERIVED} AS is_derived FROM {table} WHERE run_id = $run"
        for table in landing()
    )
    # also what is gone already (ingest.retention)
    counted = (
        f"{of_all} UNION ALL SELECT source_id, false FROM forgotten_rows, range(rows) "
        "WHERE run_id = $run"
    )
    found: list[tuple[int, int]] = con.execute(
        "SELECT source_id, coalesce(nullif(count(*) FILTER (NOT is_derived), 0), count(*)) "
        f"FROM ({counted}) GROUP BY source_id",
        {"run": run_id},
    ).fetchall()
    return found


def _delete(con: Connection, column: str, value: str | int) -> dict[str, int]:
    """Delete the matching rows of every table that has rows by run and source."""
    gone = {}
    # One query for all tables: most have no such row, and each statement takes a millisecond.
    filled = " UNION ALL ".join(
        f"SELECT '{table}' WHERE EXISTS (FROM {table} WHERE {column} = $value)"
        for table in by_run_and_source()
    )
    for (table,) in con.execute(filled, {"value": value}).fetchall():
        done = con.execute(f"DELETE FROM {table} WHERE {column} = ?", [value]).fetchone()
        if done and table in landing():
            gone[table] = done[0]
    return gone
