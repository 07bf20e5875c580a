"""Questions for exports: stacks, slices, dependences, counters, series, tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from apps.queries.base import ask
from warehouse.catalog import RUN_COLUMNS, landing

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def export_stacks(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the stacks of a run with their own cost, by event, the first choice first."""
    return ask(con, "export/stacks", run_id=run_id)


def export_slices(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return tasks, runtime work and idle intervals by worker and start, ns."""
    return ask(con, "export/slices", run_id=run_id)


def export_dependences(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return pairs of tasks: the one that made a datum, and the one that reads it."""
    return ask(con, "export/dependences", run_id=run_id)


def export_counters(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the counters of a run that were read over time, ns."""
    return ask(con, "export/counters", run_id=run_id)


def export_series(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return function times of all runs of the set that a run is in, by count and problem size."""
    return ask(con, "export/series", run_id=run_id)


def export_table(con: DuckDBPyConnection, run_id: str, table: str) -> DuckDBPyRelation:
    """Return the rows of one landing table of a run, with what is known of the run.

    `table` is one of `warehouse.catalog.landing`.
    """
    own = [column.name for column in landing()[table]]
    facts = [name for name in RUN_COLUMNS if name not in own]
    # Names of tables and columns are those of the migrations.
    columns = [f'r."{name}"' for name in facts] + [f't."{name}"' for name in own]
    query = (
        f"SELECT {', '.join(columns)} FROM {table} AS t JOIN runs AS r USING (run_id) "
        "WHERE run_id = $run_id"
    )
    con.execute("CREATE OR REPLACE TEMP TABLE _exported AS " + query, {"run_id": run_id})
    return con.table("_exported")
