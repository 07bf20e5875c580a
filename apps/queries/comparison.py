"""Questions about two sets of runs, metric by metric."""

from __future__ import annotations

from collections.abc import Sequence

from apps.queries.base import ask
from apps.queries.trend import EVERY_METRIC
from warehouse.session import Connection, Relation

LEVEL = 0.95
"""Probability of all that compare and gate call certain, of all metrics together."""


def run_comparison(
    con: Connection,
    before: Sequence[str],
    after: Sequence[str],
    level: float,
    metrics: Sequence[str] = EVERY_METRIC,
) -> Relation:
    """Return two sets of runs metric by metric (comparison), what got worse first.

    Of one of the newest versions of an application and the one before it that is stored.
    """
    sides = {"before": list(before), "after": list(after)}
    if level == LEVEL and list(metrics) == list(EVERY_METRIC):
        stored = ask(con, "comparison/stored", **sides)
        if stored.limit(1).fetchone() is not None:
            return stored
    return ask(con, "comparison/metrics", **sides, level=level, metrics=metrics)
