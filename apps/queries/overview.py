"""Questions about the whole warehouse: what landed last, and what changed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from apps.queries.base import Narrowing, Question, ask

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


def watched_metrics(con: DuckDBPyConnection) -> list[str]:
    """Return the total times, and of each application without any the metric to look at."""
    return [metric for (metric,) in ask(con, "overview/metrics").fetchall()]


def findings_of_series(metrics: Sequence[str] | None) -> Narrowing:
    """Return what the questions below share: series of the metrics (None: all), and changes."""
    findings = Question("overview/findings", {"metrics": _listed(metrics)})
    return Narrowing({"_series_findings": findings}, most=None)


def latest_regressions(
    con: DuckDBPyConnection, number: int, metrics: Sequence[str] | None
) -> DuckDBPyRelation:
    """Return the newest regressions in the metrics (None: in all)."""
    return ask(con, "overview/regressions", number=number, metrics=_listed(metrics))


def latest_provisional(
    con: DuckDBPyConnection, number: int, metrics: Sequence[str] | None
) -> DuckDBPyRelation:
    """Return the newest changes for the worse that are not certain yet, as `latest_regressions`."""
    return ask(con, "overview/provisional", number=number, metrics=_listed(metrics))


def watched_series(
    con: DuckDBPyConnection, number: int, *, most: int, app: str | None = None
) -> DuckDBPyRelation:
    """Return the histories by which applications are judged: `most` values and the latest change.

    Columns: app, machine, setting, metric, history, runs, unit, last, run_id, last_at, direction,
    change, more_runs, since.
    """
    return ask(con, "overview/watched", number=number, most=most, app=app)


def _listed(metrics: Sequence[str] | None) -> str | None:
    return None if metrics is None else json.dumps(list(metrics))
