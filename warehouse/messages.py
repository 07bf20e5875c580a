"""DuckDB's messages in the words of users."""

from __future__ import annotations

import shlex

from warehouse.duckdb_texts import CLASS, FUNCTION

UNKNOWN_OUTCOME = (
    "Whether the last change was carried out is unknown: see what is there before you repeat it. "
    "pwh ingest can be run again in any case, as it recognises what has landed."
)
"""Hint where the answer to a commit was lost."""
LAND_AGAIN = (
    "Land its recordings again in a new warehouse: pwh --db NEW ingest FILES. The pwh that wrote "
    "it can still read it, and export from it."
)
"""Hint for a warehouse that cannot be migrated."""


def migrate_hint(address: str) -> str:
    """Return the command that brings a warehouse up to date, as a shell takes it."""
    return f"Run: {shlex.join(['pwh', '--db', address, 'migrate'])}"


def plain_message(error: Exception) -> str:
    """Return the message of a query's error; that of a function has no Python or path in it."""
    return FUNCTION.sub(r"\1", str(error)).strip()


def without_class(message: str) -> str:
    """Return a message without the kind of error that DuckDB begins it with."""
    return CLASS.sub("", message)
