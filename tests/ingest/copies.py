"""Copies of the samples, changed on the way: cut, compressed, replaced; and what landed of them."""

from __future__ import annotations

import gzip
import lzma
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ingest.base import Reader
from ingest.compressed import bare_name, open_bytes
from ingest.walk import reader_named
from tests.helpers.support import rows
from tests.ingest.case import Case

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".zst": lambda data: bytes(pa.compress(data, codec="zstd", asbytes=True)),
    ".xz": lzma.compress,
}
HTML = b"""<!DOCTYPE html>
<html><head><title>404 Not Found</title></head>
<body><h1>Not Found</h1><p>The requested URL was not found on this server.</p></body></html>
"""
_TABLES: list[str] = []
_WRITTEN_AT = 1_700_000_000


def reader_of(case: Case) -> Reader:
    return reader_named(case.reader)


def name_of(case: Case) -> str:
    return f"{case.reader}:{case.sample.name}"


def parts_of(case: Case) -> dict[str, bytes]:
    """Return the content of all files of a sample by name, the main one first, decompressed."""
    parts = {}
    for part in reader_of(case).parts(case.sample):
        with open_bytes(part) as file:
            parts[bare_name(part)] = file.read()
    return parts


def written(folder: Path, parts: dict[str, bytes], suffix: str = "") -> Path:
    """Write the files into the folder, as of one time, and return the path of the first."""
    folder.mkdir(exist_ok=True)
    for name, data in parts.items():
        path = folder / f"{name}{suffix}"
        path.write_bytes(data)
        # Runs without a start begin when their file was written.
        os.utime(path, (_WRITTEN_AT, _WRITTEN_AT))
    return folder / f"{next(iter(parts))}{suffix}"


def tables(con: DuckDBPyConnection) -> list[str]:
    """Return the names of all tables that files fill, and of `runs`."""
    from_files = """
        SELECT DISTINCT table_name FROM duckdb_columns() JOIN duckdb_tables() USING (table_name)
        WHERE column_name = 'source_id' OR table_name = 'runs' ORDER BY 1
    """
    # Every warehouse has the same tables, and finding them takes longer than counting their rows.
    if not _TABLES:
        _TABLES.extend(name for (name,) in rows(con, from_files))
    return _TABLES


def is_empty(con: DuckDBPyConnection) -> bool:
    """Return whether no table has a row; names those that have, for the test's message."""
    assert filled(con) == {}
    return True


def filled(con: DuckDBPyConnection) -> dict[str, int]:
    """Return the number of rows of the tables that have some."""
    counts = (f"SELECT '{table}', count(*) FROM {table}" for table in tables(con))
    return {table: count for table, count in rows(con, " UNION ALL ".join(counts)) if count}


def contents(con: DuckDBPyConnection, *, order: str = "ALL") -> dict[str, list[Any]]:
    """Return all rows of all landing tables, without what depends on the file's own hash."""
    all_rows: dict[str, list[Any]] = {
        table: [] for table in tables(con) if table not in ("sources", "run_facts")
    }
    for table in filled(con).keys() & all_rows.keys():
        columns = "* EXCLUDE (source_id)" if table != "runs" else "*"
        key = "regexp_replace(run_id, '^[^.]*-[0-9a-f]{8}', 'it')"
        ordered = "ALL" if table == "runs" else order
        # As text: NaN equals itself there.
        found = con.execute(
            f"SELECT CAST(t AS VARCHAR) FROM (SELECT {columns} REPLACE ({key} AS run_id) "
            f"FROM {table} ORDER BY {ordered}) AS t"
        ).fetchall()
        all_rows[table] = [row for (row,) in found]
    return all_rows
