"""Questions about the history of an application: series and changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from apps.queries.base import Narrowing, Question, ask

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

EVERY_METRIC = ("*",)


def trend_changes(
    con: DuckDBPyConnection,
    app: str,
    metrics: Sequence[str] = EVERY_METRIC,
    machine: str | None = None,
) -> DuckDBPyRelation:
    """Return the change points of an application: known directions first, then the largest."""
    return _of_series(con, "trend/changes", app, metrics, machine)


def trend_provisional(
    con: DuckDBPyConnection,
    app: str,
    metrics: Sequence[str] = EVERY_METRIC,
    machine: str | None = None,
) -> DuckDBPyRelation:
    """Return the levels at the end of an application's series that are no changes yet."""
    return _of_series(con, "trend/provisional", app, metrics, machine)


def trend_disturbances(
    con: DuckDBPyConnection,
    app: str,
    metrics: Sequence[str] = EVERY_METRIC,
    machine: str | None = None,
) -> DuckDBPyRelation:
    """Return the bursts of bad runs in an application's series."""
    return _of_series(con, "trend/disturbances", app, metrics, machine)


def trend_states(
    con: DuckDBPyConnection,
    app: str,
    metrics: Sequence[str] = EVERY_METRIC,
    machine: str | None = None,
) -> DuckDBPyRelation:
    """Return what the noise of an application's series is like, and what could be seen in them."""
    return _of_series(con, "trend/states", app, metrics, machine)


def trend_events(
    con: DuckDBPyConnection,
    app: str,
    metrics: Sequence[str] = EVERY_METRIC,
    machine: str | None = None,
) -> DuckDBPyRelation:
    """Return the events of an application, the newest first."""
    return _of_series(con, "trend/events", app, metrics, machine)


def trend_series(
    con: DuckDBPyConnection,
    app: str,
    metrics: Sequence[str] = EVERY_METRIC,
    machine: str | None = None,
) -> DuckDBPyRelation:
    """Return the series of an application, the total times first."""
    return _of_series(con, "trend/series", app, metrics, machine)


def trend_points(
    con: DuckDBPyConnection,
    app: str,
    metrics: Sequence[str] = EVERY_METRIC,
    machine: str | None = None,
) -> DuckDBPyRelation:
    """Return the series of an application, one row per run, with the changes."""
    return _of_series(con, "trend/points", app, metrics, machine)


def series_of_metrics(app: str | None, metrics: Sequence[str]) -> Narrowing:
    """Return the series that questions about some metrics of an application have in common.

    There are none of runs without an application.
    """
    series = Question("trend/of_metrics", {"app": app, "metrics": json.dumps(list(metrics))})
    return Narrowing({"metric_series": series}, most=None)


def findings_of_app(
    app: str, metrics: Sequence[str] = EVERY_METRIC, machine: str | None = None
) -> Narrowing:
    """Return what is found in the series of an application, which all questions about it share."""
    params = {"app": app, "metrics": json.dumps(list(metrics)), "machine": machine}
    return Narrowing({"_series_findings": Question("trend/findings", params)}, most=None)


def trend_mixed(con: DuckDBPyConnection, app: str) -> DuckDBPyRelation:
    """Return the fields in which runs of one series of an application differ."""
    return ask(con, "trend/mixed", app=app)


def trend_dated(con: DuckDBPyConnection, app: str) -> DuckDBPyRelation:
    """Return of how many runs of an application only the time of a file says when they started."""
    return ask(con, "trend/dated", app=app)


def trend_units(con: DuckDBPyConnection, app: str) -> DuckDBPyRelation:
    """Return the metrics of an application in several units, and the first run in the newest."""
    return ask(con, "trend/units", app=app)


def trend_choices(con: DuckDBPyConnection, app: str) -> DuckDBPyRelation:
    """Return the metrics and machines of an application that have a series."""
    return ask(con, "trend/choices", app=app)


def _of_series(
    con: DuckDBPyConnection, name: str, app: str, metrics: Sequence[str], machine: str | None
) -> DuckDBPyRelation:
    return ask(con, name, app=app, metrics=json.dumps(list(metrics)), machine=machine)
