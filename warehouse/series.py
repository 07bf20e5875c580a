"""Which runs form a series, and what counts as a change in it: rows of the warehouse.

Both can be set permanently, or for one connection: then a temporary table shadows the
warehouse's own, and every view reads that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class Threshold:
    """What counts as a change in matching series; None: as other rows define it.

    smallest_change is relative (0.05 is 5 %), significance a probability, better is lower, higher
    or neither. app, machine and metric are names or patterns with * and ?.
    """

    app: str
    machine: str
    metric: str
    smallest_change: float | None = None
    significance: float | None = None
    better: str | None = None


def set_fields(con: DuckDBPyConnection, fields: Sequence[str], *, keep: bool) -> None:
    """Group runs with equal values of exactly these fields into one series.

    `keep` stores that in the warehouse, which has to be open for writing.
    """
    if keep:
        con.execute("BEGIN")
        con.execute("DELETE FROM series_fields")
    else:
        con.execute("CREATE TEMP TABLE series_fields (field VARCHAR PRIMARY KEY, shipped BOOLEAN)")
    for field in dict.fromkeys(fields):
        con.execute("INSERT INTO series_fields VALUES (?, false)", [field])
    if keep:
        con.execute("COMMIT")


def add_thresholds(con: DuckDBPyConnection, thresholds: Sequence[Threshold], *, keep: bool) -> None:
    """Add rules of what counts as a change; `keep` is that of `set_fields`."""
    if not keep:
        con.execute("CREATE TEMP TABLE change_thresholds AS FROM change_thresholds")
    for row in thresholds:
        con.execute(
            "INSERT INTO change_thresholds "
            "(app, machine, metric, smallest_change, significance, better, shipped) "
            "VALUES (?, ?, ?, ?, ?, ?, false)",
            [
                *(row.app, row.machine, row.metric),
                *(row.smallest_change, row.significance, row.better),
            ],
        )
