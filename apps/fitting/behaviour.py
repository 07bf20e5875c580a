"""Keep what a person says of a launch's threads, so that thresholds follow from it."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from apps.output import cell
from apps.queries.runs import resolve_run
from apps.queries.threads import thread_launches
from warehouse import sqlfiles
from warehouse.errors import NothingToAnalyse, UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def keep_reference(
    con: DuckDBPyConnection,
    run: str,
    behaviours: Sequence[str],
    launch: int | None,
    program: str | None,
    said_by: str | None,
) -> str:
    """Keep it, and say what was kept.

    Raises `UsageError` where it is not clear what is said, by whom, or of which launch, and
    `NothingToAnalyse` where there is no such launch.
    """
    from ingest.load import transaction

    if not behaviours:
        raise UsageError(
            f"what is {run} known to show?", hint=f"Name it: {', '.join(map(repr, BEHAVIOURS))}."
        )
    run_id = resolve_run(con, run)
    which = _launch(con, run_id) if launch is None else launch
    with transaction(con):
        rows = add_reference(con, run_id, which, behaviours, said_by or _user(), program)
    rates = ("fluctuation", "simt_efficiency", "sync_rate", "memory_share")
    known = ", ".join(
        f"{name} {cell(value)}" for name, value in zip(rates, rows[0][3:], strict=True)
    )
    return f"kept: {cell(rows[0][0])} is {', '.join(row[1] for row in rows)} ({known})"


def _launch(con: DuckDBPyConnection, run_id: str) -> int:
    known = thread_launches(con, run_id)
    if not known:
        raise NothingToAnalyse(f"the run {run_id} has no traces of basic blocks")
    if len(known) > 1:
        raise UsageError(
            f"the run {run_id} has {len(known)} launches: which one?",
            hint="--launch N; pwh threads RUN lists them.",
        )
    return known[0]


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise UsageError("who says so?", hint="Name it: --by NAME") from None


_PAIRS = (
    ("divergent", "not divergent"),
    ("synchronising", "not synchronising"),
    ("data-bound", "compute-bound"),
)
_OPPOSITES = dict(_PAIRS) | {other: one for one, other in _PAIRS}
BEHAVIOURS = tuple(name for pair in _PAIRS for name in pair)


def add_reference(
    con: DuckDBPyConnection,
    run_id: str,
    launch: int,
    behaviours: Sequence[str],
    said_by: str,
    program: str | None = None,
) -> list[tuple[Any, ...]]:
    """Keep what `said_by` says of a launch, with its rates: thresholds follow at once.

    `behaviours` are some of `BEHAVIOURS`. What the same person said of the same program before,
    also the opposite, gives way. `program` is a name for it, by default `RUN, launch N`.

    Returns the rows kept: program, behaviour, said_by, fluctuation, simt_efficiency, sync_rate,
    memory_share. The caller keeps the transaction. Raises `UsageError` where a behaviour is
    unknown or said with its opposite, `NothingToAnalyse` where there is no such launch.
    """
    if unknown := [name for name in behaviours if name not in BEHAVIOURS]:
        raise UsageError(
            f"there is no behaviour {unknown[0]!r}", hint=f"Known: {', '.join(BEHAVIOURS)}."
        )
    for one, other in _PAIRS:
        if one in behaviours and other in behaviours:
            raise UsageError(f"a program is either {one} or {other}")
    name = program or f"{run_id}, launch {launch}"
    denied = [_OPPOSITES[behaviour] for behaviour in behaviours]
    con.execute(
        "DELETE FROM behaviour_references "
        "WHERE program = ? AND said_by = ? AND behaviour IN (SELECT unnest(?))",
        [name, said_by, denied],
    )
    values = {
        "program": name,
        "behaviours": list(behaviours),
        "said_by": said_by,
        "run_id": run_id,
        "launch": launch,
    }
    kept = con.execute(sqlfiles.read("queries/fit/behaviour_reference"), values).fetchall()
    if not kept:
        raise NothingToAnalyse(
            f"run {run_id!r} has no launch {launch}", hint="pwh threads RUN lists its launches."
        )
    return sorted(kept, key=lambda row: str(row[1]))
