"""Questions about what holds runs back, by their counters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from apps.queries.base import MOST_HELD, ask, hold
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


def of_runs(con: DuckDBPyConnection, runs: Sequence[str], *views: str) -> dict[str, Any]:
    """Give the parameters of a question about runs: these, and what is held of `views`.

    Views are bottlenecks and pmu_standardised.
    """
    known = json.dumps(list(runs))
    of = hold(con, {"pmu_samples": "hold_runs"}, most=MOST_HELD, runs=known)
    of = of and hold(con, {"sample_metrics": "hold_sample_metrics"}, of=of)
    of = of and hold(con, {view: f"hold_{view}" for view in views}, of=of)
    return {"runs": known, "of": of}


def bottleneck_classes(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Give the classes of the samples of runs, the commonest first."""
    return ask(con, "diagnose_classes", **of_runs(con, runs, "bottlenecks"))


def bottleneck_costs(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Give what curing each component can bring the runs at most, with bands."""
    return ask(con, "diagnose_costs", **of_runs(con, runs, "bottlenecks"))


def bottleneck_metrics(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Give the metrics of runs: medians over their samples."""
    return ask(con, "diagnose_metrics", **of_runs(con, runs, "pmu_standardised"))


def bottlenecks_by(con: DuckDBPyConnection, runs: Sequence[str], by: str) -> DuckDBPyRelation:
    """Give the verdict on each rank or region of runs."""
    return ask(con, f"diagnose_{by}", runs=json.dumps(list(runs)))


def topdown(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Give the top-down shares of runs by region, where they have them."""
    return ask(con, "diagnose_topdown", **of_runs(con, runs, "pmu_standardised"))


def tuning_history(con: DuckDBPyConnection, app: str) -> DuckDBPyRelation:
    """Give an application's versions with their class, time and gain."""
    runs = [run_id for (run_id,) in ask(con, "diagnose_runs", app=app).fetchall()]
    verdicts = {"bottlenecks": "hold_verdicts"}
    of = hold(con, verdicts, judged=json.dumps(runs)) if runs else ""
    return ask(con, "tuning_history", app=app, of=of)
