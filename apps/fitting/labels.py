"""Manual labels of bottlenecks, which overrule every model."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from ingest.analyse import change_of_run
from warehouse.errors import UsageError
from warehouse.session import Connection

PLACE = ("rank", "thread", "region", "sample")
_SAMPLES = (
    "FROM pmu_samples WHERE run_id = $run_id "
    "AND ($rank IS NULL OR rank = $rank) AND ($thread IS NULL OR thread = $thread) "
    "AND ($region IS NULL OR region = $region) AND ($sample IS NULL OR sample = $sample)"
)


def check_class(con: Connection, name: str) -> str:
    """Return the class of that name, whatever its case; raises `UsageError` if there is none."""
    found = con.execute(
        "SELECT class FROM bottleneck_rules GROUP BY class ORDER BY min(position)"
    ).fetchall()
    known = [str(one) for (one,) in found]
    for one in known:
        if one.lower() == name.lower():
            return one
    close = difflib.get_close_matches(name, known, 1)
    raise UsageError(
        f"there is no class {name!r}",
        hint=(f"Did you mean {close[0]}? " if close else "") + f"Known: {', '.join(known)}.",
    )


def add_label(
    con: Connection,
    run_id: str,
    name: str,
    labelled_by: str | None,
    place: Mapping[str, int | str | None],
) -> str:
    """Store a manual label of the samples of a run at a place; return the class.

    `place` has the keys of `PLACE`; what is None there is any. Raises `UsageError` where there is
    no such class or no such sample.
    """
    known = check_class(con, name)
    where = {"run_id": run_id, **{key: place.get(key) for key in PLACE}}
    if con.execute(f"SELECT 1 {_SAMPLES} LIMIT 1", where).fetchone() is None:
        raise UsageError(
            f"the run {run_id} has no counters at that place",
            hint="pwh diagnose RUN --by rank, or --by region, lists its places.",
        )
    # The label of one sample is stored with the full place of that sample.
    rows = (
        "VALUES ($run_id, $rank, $thread, $region, $sample, $class, $said_by, now())"
        if place.get("sample") is None
        else "SELECT DISTINCT run_id, rank, thread, region, sample, $class, $said_by, now() "
        + _SAMPLES
    )
    change_of_run(
        con,
        run_id,
        "INSERT INTO bottleneck_labels "
        f"(run_id, rank, thread, region, sample, class, said_by, said_at) {rows}",
        {**where, "class": known, "said_by": labelled_by},
    )
    return known
