"""The command export: runs for other tools, and answers of views for other clients."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from apps.commands.options import OutputOption, RunArgument, reading, writable
from apps.exports import Target, export_run
from apps.exports.tables import export_tables
from apps.exports.views import export_views
from apps.output.formats import Format
from apps.output.progress import watched
from apps.output.streams import note
from apps.queries.runs import LATEST, resolve_run
from warehouse.errors import UsageError

_TABLES = {Target.csv: Format.csv, Target.parquet: Format.parquet}


def export(
    context: typer.Context,
    run: RunArgument = LATEST,
    to: Annotated[
        Target | None,
        typer.Option(
            "--to",
            help="Format: a timeline (perfetto, chrome), a profile (speedscope, folded, pprof), "
            "the scaling series of the run's set (extrap), landing tables (csv, parquet).",
        ),
    ] = None,
    event: Annotated[
        str | None,
        typer.Option(help="Event of a profile to write; by default its time, or first cost."),
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="Only this landing table, for csv and parquet.")
    ] = None,
    output: OutputOption = None,
    views: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER|FILE.duckdb",
            callback=writable,
            help="Write the answers of all views that call pwh's functions, of all runs, as tables "
            "for other DuckDB clients: Parquet files, or a new DuckDB file.",
        ),
    ] = None,
) -> None:
    """Write a run for other tools: Perfetto, speedscope, pprof, FlameGraph, Extra-P ..."""
    if views is not None:
        if to is not None or output is not None:
            raise UsageError("--views has no other format or file", hint="Leave --to and -o out.")
        with reading(context) as con:
            for line in watched(export_views(con, views), "views"):
                note(line)
        return
    if to is None:
        raise UsageError(
            "it is not stated what to write",
            hint=f"Add --to {'|'.join(Target)} -o FILE, or --views FOLDER",
        )
    if table is not None and to not in _TABLES:
        raise UsageError(f"{to} has no tables", hint="--table is for csv and parquet.")
    with reading(context) as con:
        run_id = resolve_run(con, run)
        if to in _TABLES:
            if event is not None:
                raise UsageError("a table has all events", hint="Leave --event out.")
            notes = export_tables(con, run_id, _TABLES[to], output, table)
        else:
            notes = export_run(con, run_id, to, output, event)
    for one in notes:
        note(one)
