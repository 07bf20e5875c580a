"""Queries with names, kept in the warehouse."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from warehouse.errors import UsageError
from warehouse.transactions import transaction

if TYPE_CHECKING:
    from warehouse.session import Connection

_LONGEST = 100


def save_query(con: Connection, name: str, query: str) -> None:
    """Store a query under a name, in place of an earlier one of that name.

    Raises `UsageError` for a name that is empty, longer than 100 characters or not printable.
    """
    if not name.strip() or len(name) > _LONGEST or not name.isprintable():
        raise UsageError(
            "the name of a saved query has 1 to 100 printable characters", hint="Such as: slowest"
        )
    with transaction(con):
        con.execute("DELETE FROM saved_queries WHERE name = $1", [name.strip()])
        con.execute(
            "INSERT INTO saved_queries (name, query, saved_at) VALUES ($1, $2, now())",
            [name.strip(), query],
        )


def saved_query(con: Connection, name: str) -> str:
    """Return the SQL that was saved under a name; raises `UsageError` where there is none."""
    known = dict(con.execute("SELECT name, query FROM saved_queries").fetchall())
    if name not in known:
        close = difflib.get_close_matches(name, known, 1)
        raise UsageError(
            f"no query was saved as {name!r}",
            hint=f"Did you mean {close[0]}?"
            if close
            else "pwh sql 'FROM saved_queries' lists all.",
        )
    query: str = known[name]
    return query
