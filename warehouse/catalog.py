"""The landing tables of a warehouse and their columns."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache

from warehouse import sqlfiles

RUN_COLUMNS = (
    *("run_id", "app", "version", "machine", "started_at", "nodes", "ranks", "threads"),
    *("problem_size", "commit", "branch", "committed_at"),
)
DERIVED = ("idle_intervals", "idle_latency", "idle_segments")
"""Tables of what is derived of the rows of task traces, once, at ingest."""
# Written by python -m apps.reference: to apply all migrations takes longer than to land a file.
LISTING = sqlfiles.SQL / "landing_columns.csv"
_FROM_A_FILE = {"run_id", "source_id"}
# They have a source_id too, but no file can contain their rows.
_NO_LANDING = {"forgotten_rows", "run_facts", "segment_features"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a landing table."""

    name: str
    type: str
    required: bool


@cache
def landing() -> dict[str, tuple[Column, ...]]:
    """Return the landing tables and their columns, except run_id and source_id, which all have."""
    return {
        table: tuple(column for column in columns if column.name not in _FROM_A_FILE)
        for table, columns in _tables().items()
        if table not in _NO_LANDING
    }


@cache
def counted() -> tuple[str, ...]:
    """Return the names of the landing tables whose rows files contain."""
    return tuple(table for table in landing() if table not in DERIVED)


@cache
def by_run_and_source() -> tuple[str, ...]:
    """Return the names of all tables whose rows belong to a run and came from a source."""
    return tuple(_tables())


@cache
def _tables() -> dict[str, list[Column]]:
    """Read tables and columns as the migrations make them, from the list that is kept of them."""
    found: dict[str, list[Column]] = {}
    with LISTING.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            column = Column(row["column"], row["type"], row["required"] == "true")
            found.setdefault(row["table"], []).append(column)
    return found
