"""Questions about a candidate and its baseline."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from apps.queries.base import ask

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def gate_runs(con: DuckDBPyConnection, app: str) -> DuckDBPyRelation:
    """Return the runs of an application, the newest first, with version, tags and configuration."""
    return ask(con, "gate/runs", app=app)


def gate_metrics(
    con: DuckDBPyConnection,
    before: Sequence[str],
    after: Sequence[str],
    level: float,
    metrics: Sequence[str],
    *,
    limit: float | None,
    default_limit: float,
    undirected: bool,
) -> DuckDBPyRelation:
    """Return the verdict on each metric against a limit (0.05 is 5 %), the worst first.

    `undirected` includes metrics without a known direction.
    """
    return ask(
        con,
        "gate/metrics",
        before=json.dumps(list(before)),
        after=json.dumps(list(after)),
        level=level,
        metrics=json.dumps(list(metrics)),
        limit=limit,
        default_limit=default_limit,
        undirected=undirected,
    )
