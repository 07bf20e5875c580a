"""Scalars of runs: kept with the rows that they are added up from, so that history is read fast."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from warehouse import revision, sqlfiles
from warehouse.connection import cursor

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Kinds of scalars (sql/derived/scalars) by the landing tables that they are added up from.
_TABLES = {
    "counters": {"pmu_samples"},
    "functions": {"fn_timings"},
    "costs": {"pmu_samples", "fn_timings"},
    "workers": {"nodes", "workers", "tasks"},
    "launches": {"bb_launches", "bb_visits", "bb_blocks"},
    "segments": {"segments"},
    "metrics": {"metrics"},
}
_NAMES = {"fn_timings": "derived/names/functions", "pmu_samples": "derived/names/regions"}


def keep_scalars(con: DuckDBPyConnection, run_ids: Iterable[str], tables: Collection[str]) -> None:
    """Add up the scalars of runs anew that stand on rows of these landing tables.

    To be called in the transaction that changed the rows, so that rows and scalars always agree.
    """
    params = {"run_ids": json.dumps(list(run_ids))}
    con.execute(sqlfiles.read("derived/scalars/of_landed_runs"), params)
    runs = _runs_to_keep(con)
    _keep(con, [kind for kind, read in _TABLES.items() if runs and not read.isdisjoint(tables)])


def keep_missing_scalars(con: DuckDBPyConnection) -> int:
    """Add up the scalars of all runs of which this pwh kept none; return how many runs these were.

    Such runs were written by hand or by another pwh, so names in their rows become stable first.
    The caller keeps the transaction.
    """
    runs = _missing(con)
    if runs:
        stabilise_names(con, _NAMES)
    _keep(con, list(_TABLES) if runs else [])
    return runs


def stabilise_names(
    con: DuckDBPyConnection, tables: Collection[str], source_ids: Collection[int] | None = None
) -> None:
    """Take out of the names of functions what differs from process to process.

    In these of the landing tables, in the rows of these sources, by default of all.
    """
    rows = "true" if source_ids is None else sqlfiles.of_sources(source_ids)
    for table, statement in _NAMES.items():
        if table in tables:
            con.execute(sqlfiles.read(statement).format(rows=rows))


def differing_scalars(con: DuckDBPyConnection, run_ids: Iterable[str]) -> list[tuple[str, str]]:
    """Return run and metric of stored scalars that differ from what the rows add up to.

    The scalars are added up again in temporary tables in place of those in the file, which this
    neither locks nor changes.
    """
    own = cursor(con)
    try:
        params = {"run_ids": json.dumps(list(run_ids))}
        own.execute(sqlfiles.read("derived/scalars/again"), params)
        _missing(own)
        _keep(own, _TABLES)
        sql = sqlfiles.read("derived/scalars/differing")
        found: list[tuple[str, str]] = own.execute(sql, params).fetchall()
        return found
    finally:
        own.close()


def _missing(con: DuckDBPyConnection) -> int:
    """Put the runs without scalars of this pwh in _keep; return their number."""
    con.execute(sqlfiles.read("derived/scalars/of_other_runs"), {"revision": revision.current()})
    return _runs_to_keep(con)


def _runs_to_keep(con: DuckDBPyConnection) -> int:
    """Return the number of runs in _keep."""
    found = con.execute("SELECT count(DISTINCT run_id) FROM _keep").fetchone()
    return int(found[0]) if found else 0


def _keep(con: DuckDBPyConnection, kinds: Iterable[str]) -> None:
    for kind in kinds:
        con.execute(sqlfiles.read(f"derived/scalars/{kind}"))
    con.execute(sqlfiles.read("derived/scalars/kept"), {"revision": revision.current()})
    con.execute("DROP TABLE _keep")
