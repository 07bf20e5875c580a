"""A plain table as DuckDB reads it: names and types of its columns, and their values in SQL."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingest.parsing import arrow, plain_csv
from ingest.parsing.columns import PARQUET, column_types
from ingest.parsing.dates import used_zone
from ingest.parsing.scratch import scratch
from ingest.recording import Recording, read_head
from warehouse.errors import InputError

RUN_TYPES = {
    "run_id": "VARCHAR",
    "app": "VARCHAR",
    "version": "VARCHAR",
    "machine": "VARCHAR",
    "started_at": "TIMESTAMPTZ",
    "nodes": "INTEGER",
    "ranks": "INTEGER",
    "threads": "INTEGER",
    "problem_size": "DOUBLE",
    "commit": "VARCHAR",
    "branch": "VARCHAR",
    "committed_at": "TIMESTAMPTZ",
}
_INTEGERS = ("INTEGER", "BIGINT")
_FRACTIONS = ("FLOAT", "DOUBLE", "DECIMAL")
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")


def as_readable(recording: Recording) -> tuple[Path, bytes]:
    """Return a path that DuckDB can read, and the file's head."""
    path = Path(recording.plain())
    head = read_head(path)
    if head.startswith(arrow.MAGICS):
        copy = recording.scratch() / "arrow.parquet"
        arrow.to_parquet(path, copy)
        return copy, PARQUET
    return path, head


def column_names(head: bytes, path: Path) -> tuple[str, ...]:
    """Return the file's column names, in lower case."""
    if head.startswith(PARQUET):
        return tuple(column_types(path))
    if head.startswith(arrow.MAGICS):
        return tuple(arrow.column_names(path))
    return plain_csv.column_names(head)


def source_of(
    head: bytes, path: Path, columns: tuple[str, ...], types: dict[str, str], *, left_out: bool
) -> tuple[str, dict[str, Any], dict[str, str]]:
    """Return the FROM clause over the file, its parameters, and the stored types ('': text)."""
    if head.startswith(PARQUET):
        stored = column_types(path)
        for name in columns:
            is_date = types[name].startswith("TIMESTAMP") and stored[name].startswith("TIMESTAMP")
            if is_date and not stored[name].endswith("ZONE"):
                used_zone()
        return "FROM read_parquet($path)", {"path": str(path)}, stored
    source, params = plain_csv.source(head, path, columns, types, left_out=left_out)
    return source, params, dict.fromkeys(columns, "")


def number_of(rows: str, source: str, params: Mapping[str, Any]) -> int:
    """Return a number of rows of a source; 0 of damaged files, whose damage landing finds."""
    import duckdb

    try:
        with scratch() as con:
            found = con.execute(f"SELECT {rows} {source}", dict(params)).fetchone()
    except duckdb.Error:
        return 0
    return int(found[0]) if found else 0


def check_type(name: str, kind: str, stored: str) -> None:
    """Raise `InputError` for text or dates where numbers land: DuckDB would convert them."""
    base = kind.removesuffix("[]")
    if not stored or base not in _NUMBERS:
        return
    fit = _NUMBERS if kind == base else tuple(n for n in _NUMBERS if n not in _FRACTIONS)
    plain = stored.removesuffix("[]").removeprefix("U").partition("(")[0]
    if stored.endswith("[]") != kind.endswith("[]") or plain not in fit:
        raise InputError(
            f"the column {name} is of type {stored}",
            expected="whole numbers" if base in _INTEGERS else "numbers",
        )


def value(name: str, kind: str, stored: str) -> str:
    """Return the SQL expression for one column: NaN is unknown, and 2.5 is no whole number."""
    if kind == "DOUBLE":
        return f"CASE WHEN isnan(CAST({name} AS DOUBLE)) THEN NULL ELSE {name} END AS {name}"
    if kind in _INTEGERS and stored.startswith(_FRACTIONS):
        problem = f"'the column {name} contains ' || {name} || ', which is no whole number'"
        return (
            f"CASE WHEN isnan({name}) THEN NULL WHEN {name} <> trunc({name}) "
            f"THEN CAST(error({problem}) AS DOUBLE) ELSE {name} END AS {name}"
        )
    return name
