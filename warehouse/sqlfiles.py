"""The SQL files of the warehouse, the folder `sql` next to this package, and values in SQL."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
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


def identifier(name: str) -> str:
    """Return the name of a database, table or column as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def of_sources(source_ids: Iterable[int]) -> str:
    """Return the condition that a row is of one of these sources.

    As numbers in the text, DuckDB skips the parts of a table that have none of them.
    """
    return f"source_id IN ({', '.join(str(int(number)) for number in source_ids)})"


def of_runs(run_ids: Collection[str]) -> tuple[str, dict[str, str]]:
    """Return the condition that a row is of one of these runs, and its parameter.

    To plan a join takes longer than the rest of a small statement, and most files have one run.
    Several are one JSON text: DuckDB takes long Python lists entry by entry.
    """
    if len(run_ids) == 1:
        return "run_id = $run_ids", {"run_ids": next(iter(run_ids))}
    several = """run_id IN (SELECT unnest(from_json($run_ids, '["VARCHAR"]')))"""
    return several, {"run_ids": json.dumps(list(run_ids))}
