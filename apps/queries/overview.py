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
    """Return the last runs of each reader and application, among which `latest_traces` looks."""
    return ask(con, "overview/last_runs")


def latest_traces(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Return the first of the runs with each kind of trace."""
    return ask(con, "overview/latest_traces", runs=json.dumps(list(runs)))


def findings_of_series(*, every: bool) -> Narrowing:
    """Return what regressions and provisional changes share: series and what is found in them."""
    findings = Question("overview/findings", {"every": every})
    return Narrowing({"_series_findings": findings}, most=None)


def latest_regressions(con: DuckDBPyConnection, number: int, *, every: bool) -> DuckDBPyRelation:
    """Return the newest regressions; without `every` only those of total times."""
    return ask(con, "overview/regressions", number=number, every=every)


def latest_provisional(con: DuckDBPyConnection, number: int, *, every: bool) -> DuckDBPyRelation:
    """Return the newest changes for the worse that are not certain yet, as `latest_regressions`."""
    return ask(con, "overview/provisional", number=number, every=every)


def watched_series(con: DuckDBPyConnection, number: int, *, most: int) -> DuckDBPyRelation:
    """Return histories of whole runs, each with its `most` last values and its latest change.

    Columns: app, machine, setting, history, runs, unit, last, run_id, last_at, direction, change,
    more_runs, since, metric.
    """
    return ask(con, "overview/watched", number=number, most=most)
