"""Questions about threads that only the app asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from apps.queries.base import ask
from apps.queries.threads import thread_blocks

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_OFFERED = 100


def traced_runs(con: DuckDBPyConnection) -> DuckDBPyRelation:
    """Give the runs with traces of basic blocks, the latest first."""
    return ask(con, "ui_threads_runs")


def fluctuating_blocks(
    con: DuckDBPyConnection, run_id: str, launch: int, metric: str
) -> DuckDBPyRelation:
    """Give the hundred thread blocks of a launch with the most fluctuation, that one first."""
    return thread_blocks(con, run_id, launch, metric).limit(_OFFERED)
