"""Questions about the whole warehouse: what landed last, and what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from apps.queries.base import ask

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def warehouse_counts(con: DuckDBPyConnection) -> DuckDBPyRelation:
    """Return how many runs, files, rows and applications there are."""
    return ask(con, "overview/counts")


def latest_runs(con: DuckDBPyConnection, number: int) -> DuckDBPyRelation:
    """Return the runs that started last."""
    return ask(con, "overview/latest", number=number)


def last_runs(con: DuckDBPyConnection) -> DuckDBPyRelation:
    """Return the last runs of each reader and application, the latest first, at most 100.

    Columns: run_id, app, version.
    """
    return ask(con, "overview/last_runs")


def latest_regressions(con: DuckDBPyConnection, number: int) -> DuckDBPyRelation:
    """Return the newest regressions."""
    return ask(con, "overview/regressions", number=number)


def latest_provisional(con: DuckDBPyConnection, number: int) -> DuckDBPyRelation:
    """Return the newest changes for the worse that are not certain yet."""
    return ask(con, "overview/provisional", number=number)


def watched_series(
    con: DuckDBPyConnection, number: int, *, most: int, app: str | None = None
) -> DuckDBPyRelation:
    """Return the histories by which applications are judged: `most` values and the latest change.

    Columns: app, machine, setting, metric, history, runs, unit, last, run_id, last_at, direction,
    change, more_runs, since.
    """
    return ask(con, "overview/watched", number=number, most=most, app=app)
