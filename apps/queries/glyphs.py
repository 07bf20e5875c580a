"""Questions whose answers are drawn as star glyphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from apps.queries.base import ask
from apps.queries.bottlenecks import of_runs

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

MOST_GLYPHS = 48


def bottleneck_glyphs(
    con: DuckDBPyConnection, runs: Sequence[str], by: str, most: int = MOST_GLYPHS
) -> DuckDBPyRelation:
    """Give the metrics of each run, process, region or sample (`by`) of runs, and its class.

    One row a glyph: its place, class, samples, metric_set, and the lists metrics and values
    (medians, counts per cycle or shares). Of more than `most` places, `most` spread evenly.
    """
    held = of_runs(con, runs, "bottlenecks", "pmu_standardised")
    return ask(con, "diagnose_glyphs", **held, by=by, most=most)
