"""Questions about two sets of runs, metric by metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from apps.queries.base import ask
from apps.queries.trend import EVERY_METRIC

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def run_comparison(
    con: DuckDBPyConnection,
    before: Sequence[str],
    after: Sequence[str],
    level: float,
    metrics: Sequence[str] = EVERY_METRIC,
) -> DuckDBPyRelation:
    """Return two sets of runs metric by metric (comparison), what got worse first."""
    return ask(con, "comparison/metrics", before=before, after=after, level=level, metrics=metrics)
