"""The landing tables of a warehouse and their columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from warehouse import sqlfiles

RUN_COLUMNS = (
    "run_id",
    "app",
    "version",
    "machine",
    "started_at",
    "nodes",
    "ranks",
    "threads",
    "problem_size",
)
_COMMENT = re.compile(r"^COMMENT ON [^;]*(?:'(?:[^']|'')*');$", re.MULTILINE)
_FROM_A_FILE = {"run_id", "source_id"}
# They have a source_id too, but no file can contain their rows.
_NO_LANDING = {"run_facts", "segment_features"}


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
        if table not in _NO_LANDING and _FROM_A_FILE <= {column.name for column in columns}
    }


@cache
def by_run_and_source() -> tuple[str, ...]:
    """Return the names of all tables whose rows belong to a run and came from a source."""
    return tuple(
        table
        for table, columns in _tables().items()
        if _FROM_A_FILE <= {column.name for column in columns}
    )


@cache
def _tables() -> dict[str, list[Column]]:
    """Read tables and columns from the migrations, applied to a database in memory."""
    import duckdb

    found: dict[str, list[Column]] = {}
    with duckdb.connect() as con:
        for path in sqlfiles.files("migrations"):
            # Comments take most of the time and are not used here.
            con.execute(_COMMENT.sub("", path.read_text(encoding="utf-8")))
        columns = con.execute(sqlfiles.read("catalog_columns")).fetchall()
    for table, column, kind, nullable in columns:
        found.setdefault(table, []).append(Column(column, kind, not nullable))
    return found
