"""The columns of a Parquet file, read by DuckDB: importing another library for it costs more."""

from __future__ import annotations

import re
from pathlib import Path

from ingest.parsing.scratch import scratch
from warehouse.errors import InputError

MAGIC = b"PAR1"
_NUMBERS = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\)")


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
