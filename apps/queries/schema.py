"""Questions about what there is to ask: tables, views, macros, functions and their columns."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from apps.queries.base import ask
from warehouse.errors import UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def schema_objects(con: DuckDBPyConnection) -> DuckDBPyRelation:
    """Give the tables, views, table macros and functions there are."""
    return ask(con, "schema/objects")


def schema_columns(con: DuckDBPyConnection, name: str) -> DuckDBPyRelation:
    """Give the columns of a table or view; raises `UsageError` where there is none such."""
    names = [row[1] for row in schema_objects(con).fetchall()]
    if name not in names:
        close = difflib.get_close_matches(name, names, 1)
        raise UsageError(
            f"there is no table or view {name!r}",
            hint=f"Did you mean {close[0]}?" if close else "pwh schema lists what there is.",
        )
    return ask(con, "schema/columns", name=name)
