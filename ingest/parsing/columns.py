"""Files that are one table, CSV or Parquet: their columns, and their rows in order."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ingest.base import Head
from ingest.compressed import compression
from ingest.parsing import plain_csv
from ingest.parsing.scratch import scratch
from ingest.recording import read_head
from warehouse.errors import InputError

PARQUET = b"PAR1"
_NUMBERS = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\)")


def columns_of(head: Head) -> dict[str, str]:
    """Return the columns of a CSV or Parquet file in lower case, with their types in Parquet.

    There are none where the file is no such table or damaged, and of a compressed Parquet file:
    its columns are listed at its end, and unpacking it for them would cost much.
    """
    try:
        if head.data.startswith(PARQUET):
            return column_types(head.path) if compression(head.path) is None else {}
        return {} if b"\0" in head.data else dict.fromkeys(plain_csv.column_names(head.data), "")
    except (InputError, OSError):
        return {}


def numbered_rows(
    path: Path, type_of: Callable[[str], str], names: tuple[str, ...] = ()
) -> tuple[dict[str, str], str, dict[str, Any]]:
    """Return a file's columns with their types, the FROM clause over it, and its parameters.

    Its rows have their numbers, from 0, as file_row_number. `type_of` returns the SQL type of a
    column of CSV; `names` are those of CSV without a header. Raises `InputError` where the file is
    damaged or names a column twice.
    """
    head = read_head(path)
    if head.startswith(PARQUET):
        source = "FROM read_parquet($path, file_row_number = true)"
        return column_types(path), source, {"path": str(path)}
    given = names or plain_csv.column_names(head)
    plain_csv.check_unique(given)
    types = {name: type_of(name) for name in given}
    source, params = plain_csv.source(
        head, path, given, types, left_out=True, header=not names, nulls=("", "NULL")
    )
    return types, f"FROM (SELECT *, row_number() OVER () - 1 AS file_row_number {source})", params


def column_types(path: Path) -> dict[str, str]:
    """Return the file's column names, in lower case, with their DuckDB types.

    Raises `InputError` where the file is damaged or names a column twice.
    """
    import duckdb

    try:
        with scratch() as con:
            con.execute("DESCRIBE FROM read_parquet($path)", {"path": str(path)})
            columns = [(name.lower(), kind) for name, kind, *_ in con.fetchall()]
    except duckdb.Error as error:
        raise InputError(
            f"not a whole Parquet file ({str(error).splitlines()[0]})",
            expected="a Parquet file with its footer",
            hint="Copy or write it again.",
        ) from None
    if len(dict(columns)) < len(columns):
        raise InputError("two columns have one name (in upper and lower case)")
    return dict(columns)


def is_numeric(kind: str) -> bool:
    """Return whether a DuckDB type is one of numbers."""
    return _NUMBERS.fullmatch(kind) is not None
