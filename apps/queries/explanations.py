"""Questions about why a run is slower than others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from apps.output.tables import dicts
from apps.queries.base import ask

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


@dataclass(frozen=True, slots=True)
class Comparison:
    """The runs on both sides of an explanation, in order of time.

    `chosen_by` is how they were found for the run `named`: change (a change point of `metric`,
    whose first run is `changed`), version (a version and the one before), or asked.
    """

    runs: list[str]
    against: list[str]
    chosen_by: str = "asked"
    changed: str | None = None
    named: str | None = None
    metric: str | None = None


def explained_against(con: DuckDBPyConnection, run_id: str) -> Comparison | None:
    """Return what a run is compared with by default; None where there is no comparable run."""
    found = ask(con, "explanations/baseline", run_id=run_id).fetchone()
    if found is None:
        return None
    chosen_by, changed, runs, against, metric = found
    return Comparison(runs, against, chosen_by, changed, run_id, metric)


def compared_runs(con: DuckDBPyConnection, which: Comparison) -> DuckDBPyRelation:
    """Return the runs of both sides with application, version, date and side."""
    return ask(con, "explanations/runs", **_runs(which))


def run_in_history(con: DuckDBPyConnection, which: Comparison) -> dict[str, Any] | None:
    """Return the metric that the named run is judged by and those of its series.

    Of several it is that in which the run is farthest off. None for under four others, and for runs
    that are compared across a change.
    """
    if which.named is None or which.chosen_by != "version":
        return None
    found = ask(con, "explanations/series", run_id=which.named, own=which.runs)
    return next(iter(dicts(found)), None)


def explanation(con: DuckDBPyConnection, which: Comparison) -> DuckDBPyRelation:
    """Return what changed between the two sides, the strongest evidence first."""
    params = {"explaining": which.named, "metric": which.metric, **_runs(which)}
    return ask(con, "explanations/findings", **params)


def explanation_call_tree(
    con: DuckDBPyConnection, which: Comparison, smallest_share: float = 0.05, most: int = 25
) -> DuckDBPyRelation:
    """Return the call paths with the largest shares of the difference, in the tree's order.

    Paths with a smaller share than `smallest_share`, of themselves and with their callees, are left
    out, and all but the `most` largest.
    """
    return ask(
        con,
        "explanations/call_tree",
        smallest_share=smallest_share,
        most=most,
        **_runs(which),
    )


def explanation_coverage(con: DuckDBPyConnection, which: Comparison) -> DuckDBPyRelation:
    """Return how many runs of either side have each kind of trace."""
    return ask(con, "explanations/coverage", **_runs(which))


def _runs(which: Comparison) -> dict[str, Any]:
    return {"runs": which.runs, "against": which.against}
