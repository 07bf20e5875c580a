"""Programs whose behaviour is known: the references that thresholds follow from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from warehouse import sqlfiles
from warehouse.errors import NothingToAnalyse, UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_PAIRS = (
    ("divergent", "not divergent"),
    ("synchronising", "not synchronising"),
    ("data-bound", "compute-bound"),
)
_OPPOSITES = dict(_PAIRS) | {other: one for one, other in _PAIRS}
BEHAVIOURS = tuple(name for pair in _PAIRS for name in pair)


def refer(
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

    Gives the rows kept: program, behaviour, said_by, fluctuation, simt_efficiency, sync_rate,
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
    kept = con.execute(sqlfiles.read("behaviour_refer"), values).fetchall()
    if not kept:
        raise NothingToAnalyse(
            f"run {run_id!r} has no launch {launch}", hint="pwh threads RUN lists its launches."
        )
    return sorted(kept, key=lambda row: str(row[1]))
