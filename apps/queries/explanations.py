"""Questions about why a run is slower than others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from apps.output.tables import dicts
from apps.queries.base import ask, ask_dicts
from apps.queries.comparison import LEVEL, run_comparison
from warehouse.session import Connection, Relation


@dataclass(frozen=True, slots=True)
class Comparison:
    """The runs on both sides of an explanation, in order of time.

    `chosen_by` is how they were found for the run `named`: change (a change point of `metric`,
    whose first run is `changed`), provisional (one that is not certain yet), version (a version and
    the one before), branch (the level of the default branch), or asked: where the runs asked for
    are on both sides of an `event`, its runs. `left_out` are how many runs have another
    configuration than those compared.
    `moved` is the event of `changed`: what moved there, and which fields of the environment.
    """

    runs: list[str]
    against: list[str]
    chosen_by: str = "asked"
    changed: str | None = None
    named: str | None = None
    metric: str | None = None
    left_out: int = 0
    event: int | None = None
    moved: dict[str, Any] | None = None

    @property
    def sides(self) -> dict[str, Any]:
        """The parameters of a question about both sides."""
        return {"runs": self.runs, "against": self.against}


def explained_change(con: Connection, run_id: str) -> Comparison | None:
    """Return the sides of the change whose first run this is; None where it is of none.

    A run of another branch than the default one is compared with the level of that.
    """
    for row in ask_dicts(con, "explanations/branch", run_id=run_id):
        (sides,) = ask_dicts(con, "trend/branch", **row)
        if sides["against"] is not None:
            return replace(comparable(con, sides["runs"], sides["against"]), chosen_by="branch")
    return _found(con, run_id, "explanations/change")


def explained_against(con: Connection, run_id: str) -> Comparison | None:
    """Return what a run is compared with by default; None where there is no comparable run."""
    # explain_baseline reads all runs
    return explained_change(con, run_id) or _found(con, run_id, "explanations/baseline")


def _found(con: Connection, run_id: str, question: str) -> Comparison | None:
    found = ask(con, question, run_id=run_id).fetchone()
    if found is None:
        return None
    chosen_by, changed, runs, against, metric = found
    events = ask_dicts(con, "explanations/moved", run_id=changed) if changed else []
    return Comparison(
        runs, against, chosen_by, changed, run_id, metric, moved=next(iter(events), None)
    )


def comparable(
    con: Connection, runs: list[str], against: list[str], fields: object = None
) -> Comparison:
    """Return the runs of two sides that have one configuration, `fields` or that of most runs.

    All of them where no configuration has runs of both: then each side is taken as one. Of runs
    on both sides of an event, each at one of its levels, the runs of that.
    """
    which = Comparison(runs, against)
    for row in ask_dicts(con, "explanations/alike", runs=runs, against=against):
        if fields is None or row["fields"] == fields:
            others = len(runs) + len(against) - len(row["runs"]) - len(row["against"])
            which = Comparison(row["runs"], row["against"], left_out=others)
            break
    for row in ask_dicts(con, "explanations/between", **which.sides):
        found = run_comparison(con, which.against, which.runs, LEVEL, [row["metric"]])
        if ("step", row["metric"]) in {(one["noise"], one["metric"]) for one in dicts(found)}:
            changed = None if row.pop("is_back") else row["changed"]
            return replace(which, **row | {"changed": changed})
    return which


def run_in_history(con: Connection, which: Comparison) -> dict[str, Any] | None:
    """Return the metric that the named run is judged by and those of its series.

    Of several it is that in which the run is farthest off. None for under four others, and for runs
    that are compared across a change.
    """
    if which.named is None or which.chosen_by not in ("version", "provisional"):
        return None
    found = ask(con, "explanations/series", run_id=which.named, own=which.runs)
    return next(iter(dicts(found)), None)


def explanation(con: Connection, which: Comparison) -> Relation:
    """Return what changed between the two sides, the strongest evidence first.

    Of the sides of a change it is stored.
    """
    if which.changed is not None:
        stored = ask(
            con,
            "explanations/stored",
            run_id=which.changed,
            metric=which.metric,
            **which.sides,
        )
        if stored.limit(1).fetchone() is not None:
            return stored
    params = {"explaining": which.named, "metric": which.metric, **which.sides}
    return ask(con, "explanations/findings", **params)
