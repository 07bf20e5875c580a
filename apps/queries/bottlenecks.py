"""Questions about what holds runs back, by their counters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from apps.queries.base import MOST_HELD, ask, hold
from apps.queries.runs import resolve_run
from warehouse.errors import NothingToAnalyse

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def diagnosed_runs(con: DuckDBPyConnection, name: str) -> list[str]:
    """Give the runs that `name` means: an application's that have counters, or one run.

    Raises `NothingToAnalyse` where there are none.
    """
    found = [run_id for (run_id,) in ask(con, "bottlenecks/runs", app=name).fetchall()]
    if found:
        return found
    try:
        return [resolve_run(con, name)]
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
    return ask(con, "bottlenecks/classes", **of_runs(con, runs, "bottlenecks"))


def bottleneck_costs(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Give what curing each component can bring the runs at most, with bands."""
    return ask(con, "bottlenecks/costs", **of_runs(con, runs, "bottlenecks"))


def bottleneck_metrics(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Give the metrics of runs: medians over their samples."""
    return ask(con, "bottlenecks/metrics", **of_runs(con, runs, "pmu_standardised"))


def bottlenecks_by(con: DuckDBPyConnection, runs: Sequence[str], by: str) -> DuckDBPyRelation:
    """Give the verdict on each rank or region of runs."""
    return ask(con, f"bottlenecks/by_{by}", runs=json.dumps(list(runs)))


def topdown(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Give the top-down shares of runs by region, where they have them."""
    return ask(con, "bottlenecks/topdown", **of_runs(con, runs, "pmu_standardised"))


def tuning_history(con: DuckDBPyConnection, app: str) -> DuckDBPyRelation:
    """Give an application's versions with their class, time and gain."""
    runs = [run_id for (run_id,) in ask(con, "bottlenecks/runs", app=app).fetchall()]
    verdicts = {"bottlenecks": "hold_verdicts"}
    of = hold(con, verdicts, judged=json.dumps(runs)) if runs else ""
    return ask(con, "bottlenecks/tuning_history", app=app, of=of)


MOST_PLACES = 24


def counted_runs(con: DuckDBPyConnection) -> DuckDBPyRelation:
    """Give the runs that have counters, those of the application with most first."""
    return ask(con, "bottlenecks/counted_runs")


def class_shares(
    con: DuckDBPyConnection, runs: Sequence[str], most: int = MOST_PLACES
) -> DuckDBPyRelation:
    """Give the class shares of each process of runs; of more than `most`, `most` spread evenly."""
    return ask(con, "bottlenecks/class_shares", **of_runs(con, runs, "bottlenecks"), most=most)


def model_clusters(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Give the clusters of the models that judge runs, one row a cluster and metric."""
    return ask(con, "bottlenecks/clusters", **of_runs(con, runs, "bottlenecks"))


MOST_GLYPHS = 48


def bottleneck_glyphs(
    con: DuckDBPyConnection, runs: Sequence[str], by: str, most: int = MOST_GLYPHS
) -> DuckDBPyRelation:
    """Give the metrics of each run, process, region or sample (`by`) of runs, and its class.

    One row a glyph: its place, class, samples, metric_set, and the lists metrics and values
    (medians, counts per cycle or shares). Of more than `most` places, `most` spread evenly.
    """
    held = of_runs(con, runs, "bottlenecks", "pmu_standardised")
    return ask(con, "bottlenecks/glyphs", **held, by=by, most=most)
