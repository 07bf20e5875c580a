"""The SQL files of the warehouse, the folder `sql` next to this package, and values in SQL."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

SQL = Path(__file__).resolve().parents[1] / "sql"


@cache
def files(folder: str) -> tuple[Path, ...]:
    """Return the .sql files of a folder of `sql`, by name."""
    return tuple(sorted((SQL / folder).glob("*.sql")))


@cache
def read(name: str) -> str:
    """Return the text of `sql/<name>.sql`."""
    return (SQL / f"{name}.sql").read_text(encoding="utf-8")


def literal(text: str) -> str:
    """Return text as SQL writes it, for statements that take no parameters."""
    return "'" + text.replace("'", "''") + "'"


def of_sources(source_ids: Iterable[int]) -> str:
    """Return the condition that a row is of one of these sources.

    As numbers in the text, DuckDB skips the parts of a table that have none of them.
    """
    return f"source_id IN ({', '.join(str(int(number)) for number in source_ids)})"
