"""Questions about two sets of runs, metric by metric."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from apps.queries.base import ask
from apps.queries.trend import EVERY_METRIC

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_STORED_LEVEL = 0.95


def run_comparison(
    con: DuckDBPyConnection,
    before: Sequence[str],
    after: Sequence[str],
    level: float,
    metrics: Sequence[str] = EVERY_METRIC,
) -> DuckDBPyRelation:
    """Return two sets of runs metric by metric (comparison), what got worse first.

    Of the newest version of an application and the one before it that is stored.
    """
    sides = {"before": json.dumps(list(before)), "after": json.dumps(list(after))}
    if level == _STORED_LEVEL and list(metrics) == list(EVERY_METRIC):
        stored = ask(con, "comparison/stored", **sides)
        if stored.limit(1).fetchone() is not None:
            return stored
    patterns = json.dumps(list(metrics))
    return ask(con, "comparison/metrics", **sides, level=level, metrics=patterns)


def compared_by_default(con: DuckDBPyConnection, app: str | None) -> tuple[str, str] | None:
    """Return the names of two sides worth comparing: the last two versions of an application.

    Of an application with one version they are its last two runs; None where no two are known.
    """
    row = ask(con, "comparison/latest", app=app).fetchone()
    return None if row is None else (str(row[0]), str(row[1]))


def comparison_choices(con: DuckDBPyConnection, most: int = 100) -> DuckDBPyRelation:
    """Return the names of versions and runs that can be compared, the latest first."""
    return ask(con, "comparison/choices", most=most)


def compared_clocks(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Return how many of the runs have nodes with clocks that are apart, one row; none without."""
    return ask(con, "comparison/clocks", runs=list(runs))


def sides_that_came_back(
    con: DuckDBPyConnection, before: Sequence[str], after: Sequence[str]
) -> DuckDBPyRelation:
    """Return the sides that ran before and after the other: is_after, earlier and later runs."""
    return ask(
        con,
        "comparison/came_back",
        before=json.dumps(list(before)),
        after=json.dumps(list(after)),
    )


def measured_within_runs(
    con: DuckDBPyConnection, before: str, after: str, metrics: Sequence[str]
) -> DuckDBPyRelation:
    """Return how the measurements within two runs lie to each other, a row a metric."""
    return ask(
        con, "comparison/within_runs", before=before, after=after, metrics=json.dumps(list(metrics))
    )
