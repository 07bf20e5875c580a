"""Queries with names, kept in the warehouse."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from dataclasses import astuple, dataclass

from warehouse.errors import UsageError
from warehouse.session import Connection
from warehouse.transactions import transaction

_LONGEST = 100


@dataclass(frozen=True, slots=True)
class Shown:
    """Where and how the answer of a saved query is shown: its board, its chart and the columns."""

    board: str | None = None
    chart: str | None = None
    across: str | None = None
    up: str | None = None
    colour: str | None = None


def save_query(con: Connection, name: str, query: str, shown: Shown | None = None) -> None:
    """Store a query under a name, in place of an earlier one of that name.

    Raises `UsageError` for a name, or a board's name, that is empty, longer than 100 characters or
    not printable.
    """
    shown = shown or Shown()
    for what, text in (("saved query", name), ("board", shown.board)):
        if text is not None and not (text.strip() and len(text) <= _LONGEST and text.isprintable()):
            raise UsageError(
                f"the name of a {what} has 1 to 100 printable characters", hint="Such as: slowest"
            )
    with transaction(con):
        con.execute("DELETE FROM saved_queries WHERE name = $1", [name.strip()])
        con.execute(
            "INSERT INTO saved_queries (name, query, board, chart, across, up, colour, saved_at) "
            "VALUES ($1, $2, $3, $4, $5, $6, $7, now())",
            [name.strip(), query, *astuple(shown)],
        )


def arrange(con: Connection, names: Sequence[str], halves: Collection[str]) -> None:
    """Put saved queries of a board in this order; `halves` are those half as wide as it is."""
    con.execute(
        "UPDATE saved_queries SET place = list_position($1, name) - 1, "
        "is_half = list_contains($2, name) WHERE list_contains($1, name)",
        [list(names), list(halves)],
    )


def saved_query(con: Connection, name: str) -> str:
    """Return the SQL that was saved under a name; raises `UsageError` if there is none."""
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
