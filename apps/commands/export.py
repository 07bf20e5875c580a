"""The command export: runs for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from apps.commands.options import OutputOption, RunArgument, reading
from apps.exports import Target, export_run, export_tables
from apps.output.formats import Format
from apps.output.streams import note, write_text
from apps.queries.base import ask_dicts
from apps.queries.runs import LATEST, resolve_run
from warehouse.errors import NothingToAnalyse, UsageError

_TABLES: dict[Target, Format] = {Target.csv: "csv", Target.parquet: "parquet"}


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
    board: Annotated[
        str | None, typer.Option(help="Write a board of the app as one HTML file.")
    ] = None,
    site: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write inbox, trends and boards of the warehouse as HTML files to a folder.",
        ),
    ] = None,
    output: OutputOption = None,
) -> None:
    """Write a run for other tools: Perfetto, speedscope, pprof, Extra-P ...; or pages to read."""
    if sum(one is not None for one in (to, board, site)) > 1:
        raise UsageError("--to, --board and --site exclude each other")
    if site is not None:
        from apps.reports.site import write_site

        with reading(context) as con:
            note(write_site(con, context.obj, site))
        return
    if board is not None:
        from apps.reports.board import board_page

        with reading(context) as con:
            items = ask_dicts(con, "schema/board", board=board)
        if not items:
            raise NothingToAnalyse(
                f"there is no board {board!r}",
                hint="pwh sql 'SELECT DISTINCT board FROM "
                "saved_queries' lists them; the SQL page of pwh ui puts queries on one.",
            )
        write_text(board_page(context.obj, board, items), output)
        return
    if to is None:
        raise UsageError(
            "it is not stated what to write",
            hint=f"Add --to {'|'.join(Target)} -o FILE",
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
