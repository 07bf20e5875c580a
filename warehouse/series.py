"""Which runs form a series, what counts as a change in it, and what is known of a change.

All are rows of the warehouse. The first two can be set permanently, or for one connection: then a
temporary table shadows the warehouse's own, and every view reads that.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from warehouse.session import Connection
from warehouse.transactions import transaction

# What can be said of a change; an invalid run is in no series.
REASONS = ("investigating", "expected", "noise", "invalid run", "fixed")


@dataclass(frozen=True, slots=True)
class Threshold:
    """Limits of a change in matching series; None: as other rows define it.

    smallest_change is relative (0.05 is 5 %), significance a probability, better is lower, higher
    or neither. app, machine and metric are names or patterns with * and ?.
    """

    app: str
    machine: str
    metric: str
    smallest_change: float | None = None
    significance: float | None = None
    better: str | None = None


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """Annotation of a change, or of an invalid run.

    reason is one of `REASONS`; fixed_in is a version or commit, for fixed only; metric is a name or
    a pattern with * and ?. None of reason, owner and ticket is as was said before.
    """

    reason: str | None
    metric: str = "*"
    fixed_in: str | None = None
    owner: str | None = None
    ticket: str | None = None
    note: str | None = None
    said_by: str | None = None


def set_fields(con: Connection, fields: Sequence[str], *, keep: bool) -> None:
    """Group runs with equal values of exactly these fields into one series.

    `keep` stores that in the warehouse, which has to be open for writing.
    """
    table = "series_fields" if keep else "temp.series_fields"
    with transaction(con) if keep else nullcontext():
        if keep:
            con.execute("DELETE FROM series_fields")
        else:
            con.execute(
                "CREATE TEMP TABLE series_fields (field VARCHAR PRIMARY KEY, shipped BOOLEAN)"
            )
        for field in dict.fromkeys(fields):
            con.execute(f"INSERT INTO {table} VALUES (?, false)", [field])


def add_thresholds(con: Connection, thresholds: Sequence[Threshold], *, keep: bool) -> None:
    """Add rules of what counts as a change; `keep` is that of `set_fields`."""
    table = "change_thresholds" if keep else "temp.change_thresholds"
    if not keep:
        con.execute("CREATE TEMP TABLE change_thresholds AS FROM change_thresholds")
    for row in thresholds:
        con.execute(
            f"INSERT INTO {table} "
            "(app, machine, metric, smallest_change, significance, better, shipped) "
            "VALUES (?, ?, ?, ?, ?, ?, false)",
            [
                *(row.app, row.machine, row.metric),
                *(row.smallest_change, row.significance, row.better),
            ],
        )
