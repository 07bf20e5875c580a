"""Questions about the bottlenecks of runs, by their counters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from apps.queries.base import ask
from apps.queries.runs import resolve_runs

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def diagnosed_runs(con: DuckDBPyConnection, name: str) -> list[str]:
    """Return the runs of that name: all of an application's that have counters, or `resolve_runs`.

    Raises `NothingToAnalyse` where there are none.
    """
    found = [run_id for (run_id,) in ask(con, "bottlenecks/runs", app=name).fetchall()]
    if found:
        return found
    return resolve_runs(con, name)


def _runs(runs: Sequence[str]) -> dict[str, str]:
    return {"runs": json.dumps(list(runs))}


def newest_version(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Return those of the runs that are of the newest version: run_id, version, versions.

    `versions` is how many versions there are: older ones never outvote the newest.
    """
    return ask(con, "bottlenecks/newest", **_runs(runs))


def bottleneck_verdict(con: DuckDBPyConnection, runs: Sequence[str], by: str) -> DuckDBPyRelation:
    """Return the verdict on runs together (`by` run), or on each of their regions (region).

    One row per place, that with the largest weight first: region, class (several of a tie),
    weighed_by, of_all (share of the weight of all places), all_samples, tied (how many classes),
    and the list `classes` of class, share, samples, probability, advice, reason and said_by.
    """
    return ask(con, "bottlenecks/verdict", **_runs(runs), by=by)


def bottleneck_classes(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Return the classes of the samples of runs, that with most cycles first."""
    return ask(con, "bottlenecks/classes", **_runs(runs))


def bottleneck_costs(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Return the share of cycles that curing each component could save, with bands."""
    return ask(con, "bottlenecks/costs", **_runs(runs))


def bottleneck_metrics(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Return the metrics of runs: means over their samples, weighted by cycles."""
    return ask(con, "bottlenecks/metrics", **_runs(runs))


def metrics_not_measured(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Return the metrics that no file of the runs has: metric_set, metric, title and events."""
    return ask(con, "bottlenecks/missing", **_runs(runs))


def contradictions(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Return the events of runs that were counted more often than what they are a part of.

    One row per pair: part, whole, in how many runs, in how many of their samples, and the values in
    the run in which the part is larger the most (worst: ratio, part, whole).
    """
    return ask(con, "bottlenecks/contradictions", **_runs(runs))


def bottlenecks_by(con: DuckDBPyConnection, runs: Sequence[str], by: str) -> DuckDBPyRelation:
    """Return the verdict on each rank or region of runs."""
    return ask(con, f"bottlenecks/by_{by}", **_runs(runs))


def topdown(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Return the top-down shares of runs by region, where they have them."""
    return ask(con, "bottlenecks/topdown", **_runs(runs))


def speed_of_light(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Return how near the GPU kernels of runs are to its peaks, where that was measured."""
    return ask(con, "bottlenecks/speed_of_light", **_runs(runs))


def classified_by_counts(con: DuckDBPyConnection, runs: Sequence[str]) -> set[str]:
    """Return those of the runs whose classes are by counts, not by shares of issue slots."""
    found = ask(con, "bottlenecks/by_counts", **_runs(runs)).fetchall()
    return {run_id for (run_id,) in found}


def roofline(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Return operations and bytes of the regions of runs, with the peaks of their machine."""
    return ask(con, "bottlenecks/roofline", **_runs(runs))


def tuning_history(con: DuckDBPyConnection, app: str) -> DuckDBPyRelation:
    """Return an application's versions with their class, time and gain."""
    return ask(con, "bottlenecks/tuning_history", app=app)


def knows_events(con: DuckDBPyConnection, run_id: str) -> bool:
    """Return whether a run has events of a core or a GPU that some analysis knows."""
    row: object = ask(con, "bottlenecks/known_events", run_id=run_id).fetchone()
    return row == (True,)


MOST_PLACES = 24


def counted_runs(con: DuckDBPyConnection) -> DuckDBPyRelation:
    """Return the runs that have counters, the application that counted most events first."""
    return ask(con, "bottlenecks/counted_runs")


def class_shares(
    con: DuckDBPyConnection, runs: Sequence[str], most: int = MOST_PLACES
) -> DuckDBPyRelation:
    """Return the class shares of the cycles of each process.

    Of more than `most` processes, `most` spread evenly.
    """
    return ask(con, "bottlenecks/class_shares", **_runs(runs), most=most)


def model_clusters(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Return the clusters of the models used for runs, one row per cluster and metric."""
    return ask(con, "bottlenecks/clusters", **_runs(runs))


MOST_GLYPHS = 48


def bottleneck_glyphs(
    con: DuckDBPyConnection, runs: Sequence[str], by: str, most: int = MOST_GLYPHS
) -> DuckDBPyRelation:
    """Return the metrics of each run, process, region or sample (`by`) of runs, and its class.

    One row per glyph: its place, class, samples, metric_set, and the lists metrics and values
    (means weighted by cycles, of counts per cycle or shares). Of more than `most` places, `most`
    spread evenly.
    """
    return ask(con, "bottlenecks/glyphs", **_runs(runs), by=by, most=most)
