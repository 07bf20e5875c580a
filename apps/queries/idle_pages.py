"""Questions about idle time that only the app asks: sums to be drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from apps.queries.base import ask

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

MOST_WORKERS = 32
_MOST = 12


def idle_workers(
    con: DuckDBPyConnection, run_id: str, mode: str, latency_rule: str
) -> DuckDBPyRelation:
    """Give where the time of the workers that idled most went, one row a worker and cause."""
    params = {"run_id": run_id, "mode": mode, "latency_rule": latency_rule}
    return ask(con, "ui_idle_workers", **params, most=MOST_WORKERS)


def idle_blame(
    con: DuckDBPyConnection, run_id: str, mode: str, latency_rule: str
) -> DuckDBPyRelation:
    """Give the types of tasks and the workers that were waited for most, by cause."""
    params = {"run_id": run_id, "mode": mode, "latency_rule": latency_rule}
    return ask(con, "ui_idle_blame", **params, most=_MOST)


def path_parts(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Give the time on the critical path by type of task and cause, the longest types first."""
    return ask(con, "ui_idle_path", run_id=run_id, most=_MOST)
