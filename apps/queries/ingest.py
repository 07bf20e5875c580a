"""Questions about the files that landed, and those that were rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from apps.queries.base import Question, ask

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def used_readers(con: DuckDBPyConnection) -> DuckDBPyRelation:
    """Return the readers that landed files, with the number of files."""
    return ask(con, "ingest/readers")


def rejections(con: DuckDBPyConnection) -> DuckDBPyRelation:
    """Return the files that were rejected, with the reason."""
    return ask(con, "ingest/rejections")


def rejection_list() -> Question:
    """Return the question for the files that were rejected."""
    return Question("ingest/rejections")


def source_list(reader: str | None, text: str | None) -> Question:
    """Return the question for the ingested files that match; None is any."""
    return Question("ingest/sources", {"reader": reader, "text": text})
