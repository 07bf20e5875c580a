"""The landing tables of a warehouse and their columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from warehouse import sqlfiles

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

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
    """Return the landing tables and their columns, except run_id and source_id, which all have.

    They are read from the migrations, applied to a database in memory.
    """
    con = _scratch()
    found: dict[str, list[Column]] = {}
    for table, column, kind, nullable in con.execute(sqlfiles.read("catalog_columns")).fetchall():
        found.setdefault(table, []).append(Column(column, kind, not nullable))
    con.close()
    return {
        table: tuple(column for column in columns if column.name not in _FROM_A_FILE)
        for table, columns in found.items()
        if table not in _NO_LANDING and _FROM_A_FILE <= {column.name for column in columns}
    }


def _scratch() -> DuckDBPyConnection:
    import duckdb

    con = duckdb.connect()
    for path in sqlfiles.files("migrations"):
        # Comments take most of the time and are not used here.
        con.execute(_COMMENT.sub("", path.read_text(encoding="utf-8")))
    return con
