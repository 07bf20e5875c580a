"""Plain tables: CSV, Parquet or Arrow whose columns are those of one landing table.

The way in for every tool that has no reader. The file may carry the run's own columns too
(run_id, app, version ...), so that one file can hold many runs; without run_id, rows with equal
run columns are one run, for fn_timings with equal parallelism and repetition as well.
"""

from __future__ import annotations

import csv
import difflib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ingest import parquet
from ingest.base import Item, Select, SingleFile
from ingest.recording import Recording, compression, decode, read_head
from warehouse.catalog import RUN_COLUMNS, Column, landing
from warehouse.errors import InputError

_DELIMITERS = ",;\t|"
_RUN_TYPES = {
    "run_id": "VARCHAR",
    "app": "VARCHAR",
    "version": "VARCHAR",
    "machine": "VARCHAR",
    "started_at": "TIMESTAMPTZ",
    "nodes": "INTEGER",
    "ranks": "INTEGER",
    "threads": "INTEGER",
    "problem_size": "DOUBLE",
}
_KEYS_OF_FN_TIMINGS = ("parallelism", "repetition")
_INTEGERS = ("INTEGER", "BIGINT")
_MOST = 2 / 3
_ARROW_FILE = b"ARROW1"
_ARROW_STREAM = b"\xff\xff\xff\xff"
_BINARY = (parquet.MAGIC, _ARROW_FILE, _ARROW_STREAM)


@dataclass(frozen=True, slots=True)
class Match:
    """A landing table, and how a file's columns stand to it."""

    table: str
    known: tuple[str, ...]
    unknown: tuple[str, ...]
    missing: tuple[str, ...]


class PlainTable(SingleFile):
    """CSV, Parquet or Arrow with the columns of a landing table."""

    NAME = "plain"
    DESCRIPTION = "CSV, Parquet or Arrow with the columns of one landing table"
    PATTERNS = ("*.csv", "*.tsv", "*.parquet", "*.arrow", "*.feather")
    TABLES = ("any landing table",)

    def sniff(self, head: bytes, path: Path) -> bool:
        """Recognise the file by its column names: two thirds must be a landing table's."""
        binary = head.startswith(_BINARY)
        if not binary and b"\0" in head:
            return False
        try:
            if binary and compression(path) is not None:
                # The names of a Parquet file stand at its end; unpacking it here would cost much.
                return True
            columns = tuple(_columns(head, path))
        except (InputError, OSError, ValueError):
            return False
        match = best_match(columns)
        return match is not None and len(match.known) >= _MOST * len(columns)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Give one SELECT over the file, and one for its runs where it carries run columns."""
        path = recording.plain()
        head = read_head(Path(path))
        stored = _columns(head, Path(path))
        columns = tuple(stored)
        match = _checked(best_match(columns), columns)
        source, params = _source(head, path, columns, match, recording)
        types = _types(match.table)
        given = [name for name in RUN_COLUMNS if name in columns and name not in types]
        names_runs, key = _run_key(match.table, columns, given)
        if given != ["run_id"] and key:
            facts = ", ".join(given) if names_runs == "run_key" else ", ".join(given[1:])
            yield Select(
                "runs",
                f"SELECT DISTINCT {key} AS {names_runs}{', ' + facts if facts else ''} {source} "
                "ORDER BY ALL",
                params,
                names_runs,
            )
        values = [_value(n, types[n], stored[n]) for n in match.known if n in types]
        if key:
            values.insert(0, f"{key} AS {names_runs}")
        yield Select(match.table, f"SELECT {', '.join(values)} {source}", params, names_runs)


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


def _columns(head: bytes, path: Path) -> dict[str, str]:
    """Give the file's columns, in lower case, each with its type; "" in a CSV file."""
    if head.startswith(parquet.MAGIC):
        return parquet.column_types(path)
    if head.startswith((_ARROW_FILE, _ARROW_STREAM)):
        with _arrow(path) as reader:
            return _unique([(field.name.lower(), str(field.type)) for field in reader.schema])
    line = decode(head.split(b"\n", 1)[0], "line 1").strip("\r")
    delimiter = max(_DELIMITERS, key=line.count)
    names = next(csv.reader(io.StringIO(line), delimiter=delimiter), [])
    return _unique([(name.strip().lower(), "") for name in names])


def _unique(columns: list[tuple[str, str]]) -> dict[str, str]:
    names = [name for name, _ in columns]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"the column {name!r} stands twice", where="line 1")
    return dict(columns)


def _arrow(path: Path) -> Any:
    import pyarrow as pa

    try:
        return pa.ipc.open_file(pa.memory_map(str(path)))
    except pa.ArrowInvalid:
        return pa.ipc.open_stream(pa.memory_map(str(path)))


def _checked(match: Match | None, columns: tuple[str, ...]) -> Match:
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
        known = [*_types(match.table), *RUN_COLUMNS]
        close = difflib.get_close_matches(match.unknown[0], known, 1)
        raise InputError(
            f"the column {match.unknown[0]!r} is not one of {match.table}",
            where="line 1",
            expected=f"columns among {', '.join(known)}",
            hint=f"Did you mean {close[0]}?" if close else "Rename it or leave it out.",
        )
    return match


def _types(table: str) -> dict[str, str]:
    fields: tuple[Column, ...] = landing()[table]
    return {field.name: field.type for field in fields}


def _source(
    head: bytes, path: str, columns: tuple[str, ...], match: Match, recording: Recording
) -> tuple[str, dict[str, Any]]:
    """Give the FROM clause over the file, and its parameters."""
    if head.startswith(parquet.MAGIC):
        return "FROM read_parquet($path)", {"path": path}
    if head.startswith((_ARROW_FILE, _ARROW_STREAM)):
        return "FROM read_parquet($path)", {"path": _as_parquet(path, recording)}
    types = _RUN_TYPES | _types(match.table)
    line = decode(head.split(b"\n", 1)[0], "line 1")
    params = {
        "path": path,
        "delimiter": max(_DELIMITERS, key=line.count),
        "columns": {name: types[name] for name in columns},
    }
    return (
        "FROM read_csv($path, columns = $columns, delim = $delimiter, header = true, "
        "auto_detect = false, quote = '\"', escape = '\"')",
        params,
    )


def _as_parquet(path: str, recording: Recording) -> str:
    """Copy an Arrow file to Parquet, batch by batch, for DuckDB to read."""
    import pyarrow.parquet as pq

    target = recording.scratch() / "arrow.parquet"
    with _arrow(Path(path)) as reader, pq.ParquetWriter(target, reader.schema) as writer:
        count = getattr(reader, "num_record_batches", None)
        batches = reader if count is None else (reader.get_batch(i) for i in range(count))
        for batch in batches:
            writer.write_batch(batch)
    return str(target)


def _run_key(
    table: str, columns: tuple[str, ...], given: list[str]
) -> tuple[Literal["run_id", "run_key"] | None, str]:
    """Say what tells the file's runs apart, and the SQL expression for it."""
    if "run_id" in given:
        return "run_id", "run_id"
    keys = list(given)
    if table == "fn_timings":
        keys += [name for name in _KEYS_OF_FN_TIMINGS if name in columns]
    if not keys:
        return None, ""
    # '/' inside a value is doubled, so that different values never give the same key.
    values = [f"replace(coalesce(CAST({name} AS VARCHAR), ''), '/', '//')" for name in keys]
    return "run_key", f"concat_ws('/', {', '.join(values)})"


def _value(name: str, kind: str, stored: str) -> str:
    """Give the SQL expression for one column: NaN is unknown, and 2.5 is no whole number."""
    if kind == "DOUBLE":
        return f"CASE WHEN isnan(CAST({name} AS DOUBLE)) THEN NULL ELSE {name} END AS {name}"
    if kind in _INTEGERS and stored.lower() in ("float", "double"):
        problem = f"'the column {name} holds ' || {name} || ', which is no whole number'"
        return (
            f"CASE WHEN isnan({name}) THEN NULL WHEN {name} <> trunc({name}) "
            f"THEN CAST(error({problem}) AS DOUBLE) ELSE {name} END AS {name}"
        )
    return name
