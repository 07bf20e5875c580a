"""Which landing table a file's columns are of."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from warehouse.catalog import RUN_COLUMNS, Column, landing
from warehouse.errors import InputError


@dataclass(frozen=True, slots=True)
class Match:
    """A landing table, and how a file's columns relate to it."""

    table: str
    known: tuple[str, ...]
    unknown: tuple[str, ...]
    missing: tuple[str, ...]


def best_match(columns: tuple[str, ...]) -> Match | None:
    """Find the landing table that most of the columns are of; None where none is."""
    matches = []
    for table, fields in landing().items():
        names = {field.name for field in fields}
        required = [field.name for field in fields if field.required]
        known = tuple(c for c in columns if c in names or c in RUN_COLUMNS)
        if not any(c in names for c in columns):
            continue
        unknown = tuple(c for c in columns if c not in known)
        missing = tuple(c for c in required if c not in columns)
        matches.append(Match(table, known, unknown, missing))
    own = [match for match in matches if not match.missing] or matches
    return max(own, key=lambda m: (len(m.known), -len(m.missing)), default=None)


def checked(match: Match | None, columns: tuple[str, ...]) -> Match:
    """Return the match; raise `InputError` where a column is missing or unknown."""
    if match is None:
        raise InputError(
            f"the columns ({', '.join(columns)[:200]}) are those of no landing table",
            where="line 1",
            hint="pwh schema lists the landing tables and their columns.",
        )
    if match.missing:
        raise InputError(
            f"the column {match.missing[0]} is missing",
            where="line 1",
            expected=f"the columns of {match.table}, of which {', '.join(match.missing)} "
            "cannot be left out",
            hint=f"pwh schema {match.table} lists them all.",
        )
    if match.unknown:
        known = [*types_of(match.table), *RUN_COLUMNS]
        close = difflib.get_close_matches(match.unknown[0], known, 1)
        raise InputError(
            f"the column {match.unknown[0]!r} is not one of {match.table}",
            where="line 1",
            expected=f"columns among {', '.join(known)}",
            hint=f"Did you mean {close[0]}?" if close else "Rename it or leave it out.",
        )
    return match


def types_of(table: str) -> dict[str, str]:
    """Return the SQL types of a landing table's columns."""
    fields: tuple[Column, ...] = landing()[table]
    return {field.name: field.type for field in fields}
