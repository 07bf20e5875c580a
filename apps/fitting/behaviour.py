"""Launches whose behaviour is known, from which the thresholds of behaviours follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from apps.queries.base import ask_column
from warehouse import sqlfiles
from warehouse.errors import NothingToAnalyse, UsageError
from warehouse.session import Connection

_PAIRS = (
    ("divergent", "not divergent"),
    ("synchronising", "not synchronising"),
    ("data-bound", "compute-bound"),
)
_OPPOSITES = dict(_PAIRS) | {other: one for one, other in _PAIRS}
BEHAVIOURS = tuple(name for pair in _PAIRS for name in pair)


def only_launch(con: Connection, run_id: str) -> int:
    """Return the launch of a run that has one; raises `UsageError` where it has several."""
    known: list[int] = ask_column(con, "threads/launches", run_id=run_id)
    if not known:
        raise NothingToAnalyse(f"the run {run_id} has no traces of basic blocks")
    if len(known) > 1:
        raise UsageError(
            f"the run {run_id} has {len(known)} launches",
            hint="Choose one with --launch N; pwh threads RUN lists them.",
        )
    return known[0]


def add_reference(
    con: Connection,
    run_id: str,
    launch: int,
    behaviours: Sequence[str],
    labelled_by: str,
    program: str | None = None,
) -> list[tuple[Any, ...]]:
    """Store known behaviours of a launch, with its rates: thresholds follow at once.

    `behaviours` are some of `BEHAVIOURS`. Earlier labels of the same program by `labelled_by`, also
    the opposite ones, are replaced. `program` is a name for it, by default `RUN, launch N`.

    Returns the rows stored: program, behaviour, said_by, fluctuation, simt_efficiency, sync_rate,
    memory_share. The caller handles the transaction. Raises `UsageError` where no behaviour is
    named, one is unknown or named with its opposite, `NothingToAnalyse` where there is no such
    launch.
    """
    if not behaviours:
        raise UsageError(
            f"no behaviour of {run_id} is named",
            hint=f"Name one: {', '.join(map(repr, BEHAVIOURS))}.",
        )
    if unknown := [name for name in behaviours if name not in BEHAVIOURS]:
        raise UsageError(
            f"there is no behaviour {unknown[0]!r}", hint=f"Known: {', '.join(BEHAVIOURS)}."
        )
    for one, other in _PAIRS:
        if one in behaviours and other in behaviours:
            raise UsageError(f"a program is either {one} or {other}")
    name = program or f"{run_id}, launch {launch}"
    opposites = [_OPPOSITES[behaviour] for behaviour in behaviours]
    con.execute(
        "DELETE FROM behaviour_references "
        "WHERE program = ? AND said_by = ? AND behaviour IN (SELECT unnest(?))",
        [name, labelled_by, [*behaviours, *opposites]],
    )
    values = {
        "program": name,
        "behaviours": list(behaviours),
        "said_by": labelled_by,
        "run_id": run_id,
        "launch": launch,
    }
    con.execute(sqlfiles.read("queries/fit/behaviour_reference"), values)
    stored: list[tuple[Any, ...]] = con.execute(
        "SELECT program, behaviour, said_by, fluctuation, simt_efficiency, sync_rate, memory_share "
        "FROM behaviour_references "
        "WHERE program = ? AND said_by = ? AND behaviour IN (SELECT unnest(?)) ORDER BY behaviour",
        [name, labelled_by, list(behaviours)],
    ).fetchall()
    if not stored:
        raise NothingToAnalyse(
            f"run {run_id!r} has no launch {launch}", hint="pwh threads RUN lists its launches."
        )
    return stored
