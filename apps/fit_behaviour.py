"""Keep what a person says of a launch's threads, so that thresholds follow from it."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from typing import TYPE_CHECKING

from apps import queries
from apps.output import cell
from warehouse.behaviour import BEHAVIOURS, refer
from warehouse.errors import NothingToAnalyse, UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def kept(
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
    run_id = queries.run_named(con, run)
    which = _launch(con, run_id) if launch is None else launch
    with transaction(con):
        rows = refer(con, run_id, which, behaviours, said_by or _user(), program)
    rates = ("fluctuation", "simt_efficiency", "sync_rate", "memory_share")
    known = ", ".join(
        f"{name} {cell(value)}" for name, value in zip(rates, rows[0][3:], strict=True)
    )
    return f"kept: {cell(rows[0][0])} is {', '.join(row[1] for row in rows)} ({known})"


def _launch(con: DuckDBPyConnection, run_id: str) -> int:
    known = queries.thread_launches(con, run_id)
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
