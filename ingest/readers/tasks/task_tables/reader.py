"""Neutral tables of a task runtime: a folder of CSV or Parquet files of fixed names.

nodes, workers, fragments, data, inputs, transfers and runtime, as the idle attribution defines
them, and program, one row of facts about the run; workers and fragments must be there. The way in
for runtimes that have no reader, and what the Dask plugin writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ingest.base import Head, Item, Run, Select
from ingest.compressed import bare_name, sibling
from ingest.parsing import plain_csv
from ingest.recording import Recording, read_head
from warehouse.errors import InputError


@dataclass(frozen=True, slots=True)
class NeutralTable:
    """Where a neutral table lands, its columns with name and type there, and what it must have."""

    landing: str
    columns: dict[str, tuple[str, str]]
    required: tuple[str, ...]


ID, NS = "VARCHAR", "BIGINT"
NEUTRAL = {
    "program": NeutralTable(
        "runs",
        {
            "started_at": ("started_at", "TIMESTAMP WITH TIME ZONE"),
            "app": ("app", ID),
            "version": ("version", ID),
            "machine": ("machine", ID),
        },
        ("started_at",),
    ),
    "nodes": NeutralTable(
        "nodes",
        {"node_id": ("node", ID), "clock_offset_ns": ("clock_offset_ns", NS)},
        ("node_id",),
    ),
    "workers": NeutralTable(
        "workers",
        {
            "worker_id": ("worker", ID),
            "node_id": ("node", ID),
            "t_begin": ("t_begin", NS),
            "t_end": ("t_end", NS),
        },
        ("worker_id", "node_id"),
    ),
    "fragments": NeutralTable(
        "tasks",
        {
            "fragment_id": ("task", ID),
            "worker_id": ("worker", ID),
            "ftype": ("name", ID),
            "t_submit": ("t_submit", NS),
            "t_start": ("t_start", NS),
            "t_end": ("t_end", NS),
        },
        ("fragment_id", "worker_id", "t_start", "t_end"),
    ),
    "data": NeutralTable(
        "task_data",
        {
            "data_id": ("data", ID),
            "producer_fragment": ("producer", ID),
            "node_id": ("node", ID),
            "t_ready": ("t_ready", NS),
            "nbytes": ("bytes", NS),
        },
        ("data_id",),
    ),
    "inputs": NeutralTable(
        "task_inputs",
        {"fragment_id": ("task", ID), "data_id": ("data", ID)},
        ("fragment_id", "data_id"),
    ),
    "transfers": NeutralTable(
        "transfers",
        {
            "data_id": ("data", ID),
            "src_node": ("from_node", ID),
            "dst_node": ("to_node", ID),
            "t_send": ("t_send", NS),
            "t_recv": ("t_recv", NS),
            "nbytes": ("bytes", NS),
        },
        ("data_id", "dst_node", "t_recv"),
    ),
    "runtime": NeutralTable(
        "runtime_intervals",
        {
            "worker_id": ("worker", ID),
            "t_start": ("t_start", NS),
            "t_end": ("t_end", NS),
            "total_ns": ("total_ns", NS),
        },
        ("worker_id", "t_start", "t_end"),
    ),
}


_PARQUET = b"PAR1"
_KINDS = ("csv", "parquet")
# The Dask plugin's notes; before it wrote the table program, they alone had the start.
_NOTES = "recording.txt"
_STARTED_AT = re.compile(r"--started-at ([^\s)]+)")

_ORDER = ("fragments", *(name for name in NEUTRAL if name != "fragments"))


class TaskTables:
    """A folder of neutral task tables."""

    NAME = "task-tables"
    DESCRIPTION = "Task runtime as neutral tables: a folder with fragments, workers, data, ..."
    PATTERNS = tuple(f"{name}.{kind}" for name in _ORDER for kind in _KINDS)
    TABLES = tuple(table.landing for name, table in NEUTRAL.items() if name != "program")
    WHOLE_FOLDER = True

    def sniff(self, head: Head) -> bool:
        """Recognise a file by its name and first id column, next to (or as) the fragments."""
        table = NEUTRAL.get(_table_name(head.path))
        if table is None or not any(sibling(head.path, f"fragments.{kind}") for kind in _KINDS):
            return False
        if head.data.startswith(_PARQUET):
            return True
        try:
            names = plain_csv.column_names(head.data)
        except InputError:
            return False
        return table.required[0] in names

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return the tables that lie in the folder, the fragments first."""
        found = [sibling(path, f"{name}.{kind}") for name in _ORDER for kind in _KINDS]
        return tuple(part for part in found if part is not None) or (path,)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one SELECT for each table."""
        parts = _by_table(recording)
        for name in ("fragments", "workers"):
            if name not in parts:
                raise InputError(
                    f"the folder has no table {name}",
                    expected=f"{name}.csv or {name}.parquet next to the others",
                )
        if "program" not in parts:
            yield Run(started_at=_noted_start(recording.path))
        for name, table in NEUTRAL.items():
            if name in parts:
                try:
                    yield _select(recording, parts[name], name, table)
                except InputError as error:
                    error.path = error.path or str(parts[name])
                    raise


def _noted_start(path: Path) -> datetime | None:
    """Return when a recording of an older Dask plugin began, by its notes; None without them."""
    notes = sibling(path, _NOTES)
    with suppress(ValueError, OSError):
        if notes and (found := _STARTED_AT.search(notes.read_text(encoding="utf-8"))):
            return datetime.fromisoformat(found[1])
    return None


def _table_name(path: Path) -> str:
    stem, _, kind = bare_name(path).rpartition(".")
    return stem if kind in _KINDS else ""


def _by_table(recording: Recording) -> dict[str, Path]:
    parts: dict[str, Path] = {}
    for part in recording.parts:
        name = _table_name(part)
        if name in parts:
            raise InputError(
                f"both {parts[name].name} and {part.name} contain the table {name}",
                path=str(part),
                hint="Keep one of them.",
            )
        parts[name] = part
    return parts


def _select(recording: Recording, part: Path, name: str, table: NeutralTable) -> Select:
    path = Path(recording.plain(part))
    head = read_head(path)
    params: dict[str, object] = {"path": str(path)}
    if head.startswith(_PARQUET):
        columns = _parquet_columns(path, part)
        source = "FROM read_parquet($path)"
        values = {column: _from_parquet(column, kind) for column, kind in columns.items()}
        _check_columns(columns, part, name, table)
    else:
        columns = _csv_columns(head, table)
        _check_columns(columns, part, name, table)
        source, params = plain_csv.source(head, path, tuple(columns), columns, left_out=True)
        values = {column: f'"{column}"' for column in columns}
    fields = [
        f"CAST({values[column]} AS {kind}) AS {landing}"
        for column, (landing, kind) in table.columns.items()
        if column in columns
    ]
    # Table and column names are this module's own; only the path and the header are the file's.
    return Select(table.landing, f"SELECT {', '.join(fields)} {source}", params)


def _csv_columns(head: bytes, table: NeutralTable) -> dict[str, str]:
    """Return the columns of a CSV file with their SQL types."""
    names = plain_csv.column_names(head)
    plain_csv.check_unique(names)
    return {n: table.columns[n][1] if n in table.columns else ID for n in names}


def _check_columns(columns: dict[str, str], part: Path, name: str, table: NeutralTable) -> None:
    for column in table.required:
        if column not in columns:
            raise InputError(
                f"the column {column} is missing",
                path=str(part),
                where="line 1" if part.suffix != ".parquet" else None,
                expected=f"the table {name} with the columns {', '.join(table.required)}",
            )


def _parquet_columns(path: Path, part: Path) -> dict[str, str]:
    """Return the columns of a Parquet file with their Arrow types; refuses unfit types."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            columns = {field.name: str(field.type) for field in file.schema_arrow}
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(
            f"this is no whole Parquet file ({str(error).splitlines()[0][:120]})",
            path=str(part),
            hint="Copy or write the file again.",
        ) from None
    for column, kind in columns.items():
        numeric = any(table.columns.get(column, ("", ""))[1] == NS for table in NEUTRAL.values())
        if numeric and not kind.startswith(("int", "uint", "float", "double", "null", "string")):
            raise InputError(
                f"the column {column} is of type {kind}",
                path=str(part),
                expected="whole numbers (int64)",
            )
    return columns


def _from_parquet(column: str, kind: str) -> str:
    """Return the SQL expression for a column: frames store whole numbers with gaps as floats."""
    if kind not in ("float", "double", "halffloat"):
        return f'"{column}"'
    problem = f"'the column {column} contains ' || \"{column}\" || ', which is no whole number'"
    return (
        f'CASE WHEN isnan("{column}") THEN NULL WHEN "{column}" <> trunc("{column}") '
        f'THEN CAST(error({problem}) AS DOUBLE) ELSE "{column}" END'
    )
