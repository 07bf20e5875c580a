"""Questions about what holds runs back, by their counters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from apps.queries.base import ask
from apps.queries.runs import run_named
from warehouse.errors import NothingToAnalyse

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def diagnosed_runs(con: DuckDBPyConnection, name: str) -> list[str]:
    """Give the runs that `name` means: an application's that have counters, or one run.

    Raises `NothingToAnalyse` where there are none.
    """
    found = [run_id for (run_id,) in ask(con, "diagnose_runs", app=name).fetchall()]
    if found:
        return found
    try:
        return [run_named(con, name)]
    except NothingToAnalyse:
        raise NothingToAnalyse(
            f"there is no run {name!r}, and no application of that name with counters",
            hint="pwh runs lists them; `latest` is the newest run.",
        ) from None


def bottleneck_classes(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Give the classes of the samples of runs, the commonest first."""
    return ask(con, "diagnose_classes", runs=json.dumps(list(runs)))


def bottleneck_costs(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Give what curing each component can bring the runs at most, with bands."""
    return ask(con, "diagnose_costs", runs=json.dumps(list(runs)))


def bottleneck_metrics(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Give the metrics of runs: medians over their samples."""
    return ask(con, "diagnose_metrics", runs=json.dumps(list(runs)))


def bottlenecks_by(con: DuckDBPyConnection, runs: Sequence[str], by: str) -> DuckDBPyRelation:
    """Give the verdict on each rank or region of runs."""
    return ask(con, f"diagnose_{by}", runs=json.dumps(list(runs)))


def topdown(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Give the top-down shares of runs by region, where they have them."""
    return ask(con, "diagnose_topdown", runs=json.dumps(list(runs)))


def tuning_history(con: DuckDBPyConnection, app: str) -> DuckDBPyRelation:
    """Give an application's versions with their class, time and gain."""
    return ask(con, "tuning_history", app=app)
