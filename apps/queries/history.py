"""Questions about the history of an application: series, changes, two sets of runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from apps.queries.base import ask
from apps.queries.runs import LATEST, run_named
from warehouse.errors import NothingToAnalyse

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

EVERY_METRIC = ("*",)


def trend_changes(
    con: DuckDBPyConnection,
    app: str,
    metrics: Sequence[str] = EVERY_METRIC,
    machine: str | None = None,
) -> DuckDBPyRelation:
    """Give the change points of an application: known directions first, then the largest."""
    return ask(con, "trend_changes", app=app, metrics=json.dumps(list(metrics)), machine=machine)


def trend_series(
    con: DuckDBPyConnection,
    app: str,
    metrics: Sequence[str] = EVERY_METRIC,
    machine: str | None = None,
) -> DuckDBPyRelation:
    """Give the series of an application, the times of the whole first."""
    return ask(con, "trend_series", app=app, metrics=json.dumps(list(metrics)), machine=machine)


def trend_points(
    con: DuckDBPyConnection,
    app: str,
    metrics: Sequence[str] = EVERY_METRIC,
    machine: str | None = None,
) -> DuckDBPyRelation:
    """Give the series of an application a row a run, with the changes."""
    return ask(con, "trend_points", app=app, metrics=json.dumps(list(metrics)), machine=machine)


def trend_mixed(con: DuckDBPyConnection, app: str) -> DuckDBPyRelation:
    """Give what runs differ in that are in one series of an application."""
    return ask(con, "trend_mixed", app=app)


def runs_meant(con: DuckDBPyConnection, name: str, app: str | None = None) -> list[str]:
    """Give the runs that `name` means: APP@VERSION, a run, the beginning of its id, or latest.

    With `app` a version of it, or one of its runs. Raises `NothingToAnalyse` where there is none,
    `UsageError` where several runs begin so.
    """
    found = [run_id for (run_id,) in ask(con, "compare_runs", name=name, app=app).fetchall()]
    if found:
        return found
    if app is not None:
        raise NothingToAnalyse(
            f"{app} has no version and no run {name!r}", hint=f"pwh runs --app {app} lists them."
        )
    try:
        return [run_named(con, name)]
    except NothingToAnalyse:
        raise NothingToAnalyse(
            f"there is no run {name!r}, and no application and version written so",
            hint=f"A run, APP@VERSION, or {LATEST}; pwh runs lists them.",
        ) from None


def run_comparison(
    con: DuckDBPyConnection,
    before: Sequence[str],
    after: Sequence[str],
    level: float,
    metrics: Sequence[str] = EVERY_METRIC,
) -> DuckDBPyRelation:
    """Give two sets of runs metric by metric (comparison), what got worse first."""
    return ask(
        con,
        "compare_metrics",
        before=json.dumps(list(before)),
        after=json.dumps(list(after)),
        level=level,
        metrics=json.dumps(list(metrics)),
    )


def gate_runs(con: DuckDBPyConnection, app: str) -> DuckDBPyRelation:
    """Give the runs of an application, the newest first, with version, tags and configuration."""
    return ask(con, "gate_runs", app=app)


def gate_metrics(
    con: DuckDBPyConnection,
    before: Sequence[str],
    after: Sequence[str],
    level: float,
    metrics: Sequence[str],
    *,
    limit: float | None,
    default_limit: float,
    undirected: bool,
) -> DuckDBPyRelation:
    """Give what is worse than a limit (0.05 is 5 %) for certain, the worst first.

    `undirected` takes metrics along of which it is not known what is better.
    """
    return ask(
        con,
        "gate_metrics",
        before=json.dumps(list(before)),
        after=json.dumps(list(after)),
        level=level,
        metrics=json.dumps(list(metrics)),
        limit=limit,
        default_limit=default_limit,
        undirected=undirected,
    )
