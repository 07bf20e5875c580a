"""Questions about the bottlenecks of runs, by their counters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from apps.queries.base import ask_column
from apps.queries.runs import resolve_runs

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def diagnosed_runs(con: DuckDBPyConnection, name: str) -> list[str]:
    """Return the runs of that name: all of an application's that have counters, or `resolve_runs`.

    Raises `NothingToAnalyse` where there are none.
    """
    return ask_column(con, "bottlenecks/runs", app=name) or resolve_runs(con, name)
