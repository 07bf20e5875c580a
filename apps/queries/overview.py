"""Questions about the whole warehouse: what landed last, and what changed."""

from __future__ import annotations

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


def last_runs() -> Narrowing:
    """Return what `latest_traces` needs: the last runs, and the rows of their files."""
    last = Question("overview/last_runs")
    return Narrowing({"_last_runs": last}, runs=last)


def latest_traces(con: DuckDBPyConnection) -> DuckDBPyRelation:
    """Return the newest run of each kind of trace; faster on a cursor narrowed to `last_runs`."""
    return ask(con, "overview/latest_traces")


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
