"""Questions about bottlenecks that only the app asks: what can be chosen, shares, clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from apps.queries.base import ask
from apps.queries.bottlenecks import of_runs

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

MOST_PLACES = 24


def counted_runs(con: DuckDBPyConnection) -> DuckDBPyRelation:
    """Give the runs that have counters, those of the application with most first."""
    return ask(con, "ui_bottlenecks_runs")


def class_shares(
    con: DuckDBPyConnection, runs: Sequence[str], most: int = MOST_PLACES
) -> DuckDBPyRelation:
    """Give the class shares of each process of runs; of more than `most`, `most` spread evenly."""
    return ask(con, "ui_bottlenecks_shares", **of_runs(con, runs, "bottlenecks"), most=most)


def model_clusters(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Give the clusters of the models that judge runs, one row a cluster and metric."""
    return ask(con, "ui_bottlenecks_clusters", **of_runs(con, runs, "bottlenecks"))
