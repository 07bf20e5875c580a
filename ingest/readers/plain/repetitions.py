"""Repetitions of function times: where they are not numbered, and where one is written twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ingest.base import LeftOut
from ingest.readers.plain.matches import Match
from ingest.readers.plain.tables import number_of
from warehouse.sqlfiles import identifier


def is_repeatable(match: Match) -> bool:
    """Return whether repetitions can show only in rows of a function that follow each other."""
    return match.table == "fn_timings" and not {"repetition", "callpath"} & set(match.known)


def numbered(source: str, match: Match, given: list[str]) -> str:
    """Return the source with the column repetition: from 0, in the order of the file.

    Where all functions of a measurement have equally many rows, several, these are repetitions;
    else it is NULL, as functions of one name can have a row each.
    """
    measurement = [*given, *({"parallelism"} & set(match.known))]
    place = [*measurement, *(n for n in ("function", "kind", "rank", "thread") if n in match.known)]
    of_run = ", ".join(measurement) or "NULL"
    return (
        "FROM (SELECT *, CASE WHEN min(_rows) OVER run = max(_rows) OVER run AND _rows > 1 "
        "THEN _place - 1 END AS repetition FROM ("
        "SELECT *, count(*) OVER place AS _rows, "
        "row_number() OVER (place ORDER BY _row) AS _place "
        f"FROM (SELECT *, row_number() OVER () AS _row {source}) "
        f"WINDOW place AS (PARTITION BY {', '.join(place)})) "
        f"WINDOW run AS (PARTITION BY {of_run}) ORDER BY _row)"
    )


def without_copies(
    source: str, params: Mapping[str, Any], columns: tuple[str, ...]
) -> tuple[str, Sequence[LeftOut]]:
    """Return the source without rows that are equal to an earlier one, and what is left out.

    Rows that are equal in all columns, one of them repetition, are the same measurement, written
    twice. Other rows stay in the order of the file.
    """
    copies = _copies(source, params, columns)
    if not copies:
        return source, ()
    row = ", ".join(map(identifier, columns))
    once = (
        f"FROM (SELECT *, row_number() OVER () AS _row {source}) "
        "QUALIFY repetition IS NULL "
        f"OR row_number() OVER (PARTITION BY {row} ORDER BY _row) = 1 ORDER BY _row"
    )
    return once, [LeftOut(copies, "row", "the same measurement and repetition as another")]


def _copies(source: str, params: Mapping[str, Any], columns: tuple[str, ...]) -> int:
    """Return how many rows are copies."""
    if "repetition" not in columns:
        return 0
    return number_of(
        "count(*) - count(DISTINCT hash(t))",
        f"FROM (SELECT * {source} WHERE repetition IS NOT NULL) AS t",
        params,
    )
