"""Runs written for other tools: one module a format."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path

from apps.output.files import replacing
from apps.output.formats import Format
from apps.output.numbers import counted
from apps.output.writing import emit
from apps.queries.runs import row_counts, run_facts
from warehouse.catalog import RUN_COLUMNS, landing
from warehouse.errors import NothingToAnalyse, UsageError
from warehouse.session import Connection, Relation


class Target(StrEnum):
    """The formats of other tools."""

    perfetto = "perfetto"
    chrome = "chrome"
    speedscope = "speedscope"
    folded = "folded"
    pprof = "pprof"
    extrap = "extrap"
    csv = "csv"
    parquet = "parquet"


@dataclass(frozen=True, slots=True)
class Exported:
    """The bytes of a file in pieces, and sentences on what is in it and what is not."""

    pieces: Iterable[bytes]
    notes: list[str]


# Formats of bytes, which a terminal cannot show.
_BINARY = (Target.perfetto, Target.pprof)


def export_run(
    con: Connection, run_id: str, target: Target, path: Path | None, event: str | None
) -> list[str]:
    """Write a run to a file, or to stdout where `path` is None; return notes on it.

    The module of the format's name has `export(con, run_id, event)`; csv and parquet are several
    files (`export_tables`).

    Text is compressed where the name of the file ends in .gz. Raises `NothingToAnalyse` where the
    run has nothing for the format, `UsageError` where the file cannot be written.
    """
    if path is None and target in _BINARY and sys.stdout.isatty():
        raise UsageError(f"{target} is not for the terminal", hint="Name a file: -o FILE")
    export: Callable[..., Exported] = import_module(f"apps.exports.{target}").export
    exported = export(con, run_id, event)
    if path is None:
        for piece in exported.pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    else:
        _write(exported.pieces, path, compress=path.suffix == ".gz" and target is not Target.pprof)
    return exported.notes


def _write(pieces: Iterable[bytes], path: Path, *, compress: bool) -> None:
    with replacing(path) as draft, draft.open("wb") as file:
        name = path.name.removesuffix(".gz")
        with gzip.GzipFile(name, "wb", fileobj=file) if compress else nullcontext(file) as target:
            for piece in pieces:
                target.write(piece)


def export_tables(
    con: Connection, run_id: str, style: Format, path: Path | None, table: str | None
) -> list[str]:
    """Write one table of a run to a file or stdout, or all to a folder; return notes.

    What is known of the run is in each row, so that `pwh ingest` reads them back.

    Raises `NothingToAnalyse` where the run has no rows in it, `UsageError` where a file cannot be
    written, or where there are several tables and `path` is no folder.
    """
    counts = row_counts(con, run_id)
    if table is not None and table not in counts:
        raise NothingToAnalyse(
            f"the run {run_id} has no rows in {table!r}",
            hint=f"It has {', '.join(counts) or 'no rows'}.",
        )
    if not counts:
        raise NothingToAnalyse(f"the run {run_id} has no rows")
    chosen = table or next(iter(counts))
    if table is not None or (len(counts) == 1 and path is not None and path.suffix):
        emit(con, _rows(con, run_id, chosen), style, path)
        return []
    if path is None or path.suffix in (".csv", ".parquet"):
        raise UsageError(
            f"the run {run_id} has {len(counts)} tables ({', '.join(counts)}), a file each",
            hint="Name a folder for all of them: -o FOLDER. Or choose one: --table NAME.",
        )
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder {path}: {error.strerror}") from None
    for name in counts:
        emit(con, _rows(con, run_id, name), style, path / f"{name}.{style}")
    lines = [f"{name}.{style}: {counted(rows, 'row')}" for name, rows in counts.items()]
    return [*lines, *_not_in_tables(con, run_id)]


def _rows(con: Connection, run_id: str, table: str) -> Relation:
    """Return the rows of one landing table of a run, with what is known of the run."""
    own = [column.name for column in landing()[table]]
    facts = [name for name in RUN_COLUMNS if name not in own]
    # Names of tables and columns are those of the migrations.
    columns = [f'r."{name}"' for name in facts] + [f't."{name}"' for name in own]
    query = (
        f"SELECT {', '.join(columns)} FROM {table} AS t JOIN runs AS r USING (run_id) "
        "WHERE run_id = $run_id"
    )
    con.execute("CREATE OR REPLACE TEMP TABLE _exported AS " + query, {"run_id": run_id})
    return con.table("_exported")


def _not_in_tables(con: Connection, run_id: str) -> list[str]:
    """Return what is known of a run that no column has, and how it comes back."""
    facts = run_facts(con, run_id)
    options = {"wall_seconds": "--wall-seconds", "tags": "--tag"}
    found = [name for name in options if name in facts]
    if not found:
        return []
    back = " and ".join(options[name] for name in found)
    return [f"{' and '.join(found)} are in no table; state them again at pwh ingest: {back}"]
