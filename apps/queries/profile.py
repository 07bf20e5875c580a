"""Questions about profiles: stacks and functions of runs, and of those they are compared with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from apps.queries.base import ask

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


@dataclass(frozen=True, slots=True)
class Profile:
    """The profile of some runs, of one event (or time), whole or of a rank or thread.

    `against` are the runs that it is compared with.
    """

    runs: list[str]
    against: list[str]
    event: str
    rank: int | None = None
    thread: int | None = None

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the queries."""
        return {
            "runs": json.dumps(self.runs),
            "against": json.dumps(self.against),
            "event": self.event,
            "rank": self.rank,
            "thread": self.thread,
        }


def profiled_runs(con: DuckDBPyConnection) -> DuckDBPyRelation:
    """Return the runs that have a profile, the latest first."""
    return ask(con, "profile/runs")


def profile_events(con: DuckDBPyConnection, runs: Sequence[str]) -> DuckDBPyRelation:
    """Return what the profiles of all of the runs are of: event, unit, ranks, threads, depth."""
    return ask(con, "profile/events", runs=json.dumps(list(runs)))


def profile_stacks(con: DuckDBPyConnection, which: Profile) -> DuckDBPyRelation:
    """Return the stacks of a profile with their own cost and that before, in their order."""
    return ask(con, "profile/stacks", **which.params)


def profile_functions(
    con: DuckDBPyConnection, which: Profile, *, is_flat: bool
) -> DuckDBPyRelation:
    """Return the functions of a profile, the largest own cost or change first."""
    run = which.runs[0] if len(which.runs) == 1 else None
    return ask(con, "profile/functions", **which.params, run=run, is_flat=is_flat)
