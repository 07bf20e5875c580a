"""Questions about the history of an application: series and changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from apps.queries.base import ask

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

EVERY_METRIC = ("*",)


class Series(NamedTuple):
    """Series of an application: of these metrics on this machine, which may be patterns (* and ?).

    None is every machine.
    """

    app: str
    metrics: Sequence[str] = EVERY_METRIC
    machine: str | None = None

    def params(self) -> dict[str, Any]:
        """Return the parameters of a question about them."""
        return {
            "app": self.app,
            "metrics": json.dumps(list(self.metrics)),
            "machine": self.machine,
        }


def trend_changes(con: DuckDBPyConnection, series: Series) -> DuckDBPyRelation:
    """Return the change points of an application: known directions first, then the largest."""
    return ask(con, "trend/changes", **series.params())


def trend_provisional(con: DuckDBPyConnection, series: Series) -> DuckDBPyRelation:
    """Return the levels at the end of an application's series that are no changes yet."""
    return ask(con, "trend/provisional", **series.params())


def trend_disturbances(con: DuckDBPyConnection, series: Series) -> DuckDBPyRelation:
    """Return the bursts of bad runs in an application's series."""
    return ask(con, "trend/disturbances", **series.params())


def trend_states(con: DuckDBPyConnection, series: Series) -> DuckDBPyRelation:
    """Return what the noise of an application's series is like, and what could be seen in them."""
    return ask(con, "trend/states", **series.params())


def trend_events(con: DuckDBPyConnection, series: Series) -> DuckDBPyRelation:
    """Return the events of an application, the newest first."""
    return ask(con, "trend/events", **series.params())


def trend_series(con: DuckDBPyConnection, series: Series) -> DuckDBPyRelation:
    """Return the series of an application, the total times first."""
    return ask(con, "trend/series", **series.params())


def trend_points(con: DuckDBPyConnection, series: Series) -> DuckDBPyRelation:
    """Return the series of an application, one row per run, with the changes."""
    return ask(con, "trend/points", **series.params())


def trend_mixed(con: DuckDBPyConnection, app: str) -> DuckDBPyRelation:
    """Return the fields in which runs of one series of an application differ."""
    return ask(con, "trend/mixed", app=app)


def trend_dated(con: DuckDBPyConnection, app: str) -> DuckDBPyRelation:
    """Return how many runs of an application have only the time of a file as their start."""
    return ask(con, "trend/dated", app=app)


def trend_units(con: DuckDBPyConnection, app: str) -> DuckDBPyRelation:
    """Return the metrics of an application in several units, and the first run in the newest."""
    return ask(con, "trend/units", app=app)


def trend_choices(con: DuckDBPyConnection, app: str) -> DuckDBPyRelation:
    """Return the metrics and machines of an application that have a series."""
    return ask(con, "trend/choices", app=app)
