"""Questions about two sets of runs, metric by metric."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from apps.queries.base import ask
from apps.queries.runs import LATEST, resolve_run
from apps.queries.trend import EVERY_METRIC
from warehouse.errors import NothingToAnalyse

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def resolve_runs(con: DuckDBPyConnection, name: str, app: str | None = None) -> list[str]:
    """Return the runs of that name: APP@VERSION, a run, the beginning of its id, or latest.

    With `app` a version of it, or one of its runs. Raises `NothingToAnalyse` where there is none,
    `UsageError` where several ids begin with it.
    """
    found = [run_id for (run_id,) in ask(con, "comparison/runs", name=name, app=app).fetchall()]
    if found:
        return found
    if app is not None:
        raise NothingToAnalyse(
            f"{app} has no version and no run {name!r}", hint=f"pwh runs --app {app} lists them."
        )
    try:
        return [resolve_run(con, name)]
    except NothingToAnalyse:
        if name == LATEST:
            raise
        raise NothingToAnalyse(
            f"there is no run {name!r}, and no APP@VERSION of that name",
            hint=f"A run, APP@VERSION, or {LATEST}; pwh runs lists them.",
        ) from None


def run_comparison(
    con: DuckDBPyConnection,
    before: Sequence[str],
    after: Sequence[str],
    level: float,
    metrics: Sequence[str] = EVERY_METRIC,
) -> DuckDBPyRelation:
    """Return two sets of runs metric by metric (comparison), what got worse first."""
    return ask(
        con,
        "comparison/metrics",
        before=json.dumps(list(before)),
        after=json.dumps(list(after)),
        level=level,
        metrics=json.dumps(list(metrics)),
    )


def compared_by_default(con: DuckDBPyConnection, app: str | None) -> tuple[str, str] | None:
    """Return the names of two sides worth comparing: the last two versions of an application.

    Of an application with one version they are its last two runs; None where no two are known.
    """
    row = ask(con, "comparison/latest", app=app).fetchone()
    return None if row is None else (str(row[0]), str(row[1]))


def comparison_choices(con: DuckDBPyConnection, most: int = 100) -> DuckDBPyRelation:
    """Return the names of versions and runs that can be compared, the latest first."""
    return ask(con, "comparison/choices", most=most)
