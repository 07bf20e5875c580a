"""Commands that ask: runs, sources, readers, schema, sql, report."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from apps import queries
from apps.common import FormatOption, OutputOption, WaitOption, reading, writing
from apps.output import Format, emit, print_data
from warehouse.errors import UsageError


def runs(
    context: typer.Context,
    app: Annotated[str | None, typer.Option("--app", help="Only this application.")] = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """List the runs, the latest first."""
    with reading(context) as con:
        emit(con, queries.runs(con, app), style, output)


def sources(
    context: typer.Context,
    run: Annotated[str | None, typer.Argument(help="Only the files of this run.")] = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """List the ingested files, the latest first."""
    with reading(context) as con:
        run_id = None if run is None else queries.run_named(con, run)
        emit(con, queries.sources(con, run_id), style, output)


def readers(style: FormatOption = Format.table, output: OutputOption = None) -> None:
    """List the formats that pwh reads."""
    import duckdb

    from ingest.readers import READERS

    rows = [(r.NAME, r.DESCRIPTION, ", ".join(r.PATTERNS), ", ".join(r.TABLES)) for r in READERS]
    con = duckdb.connect()
    listing = con.sql(
        "SELECT unnest($n) AS reader, unnest($d) AS reads, unnest($p) AS files, "
        "unnest($t) AS fills",
        params=dict(zip("ndpt", map(list, zip(*rows, strict=True)), strict=True)),
    )
    emit(con, listing, style, output)


def schema(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="A table or view.")] = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """List tables and views, or the columns of one, with what they mean."""
    with reading(context) as con:
        rows = queries.objects(con) if name is None else queries.columns(con, name)
        emit(con, rows, style, output)


def sql(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="SQL, or - to read it from stdin.")],
    style: FormatOption = Format.table,
    output: OutputOption = None,
    write: Annotated[
        bool, typer.Option("--write", help="Open for writing; else only reading is possible.")
    ] = False,
    wait: WaitOption = 60.0,
) -> None:
    """Ask anything in SQL."""
    import duckdb

    text = sys.stdin.read() if query == "-" else query
    with (writing if write else reading)(context, wait) as con:
        try:
            emit(con, con.sql(text), style, output)
        except duckdb.Error as error:
            hint = "To change the warehouse: --write." if "read-only" in str(error) else None
            raise UsageError(str(error), hint=hint) from None


def report(
    context: typer.Context,
    run: Annotated[str, typer.Argument(help="A run, the beginning of its id, or latest.")] = (
        queries.LATEST
    ),
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Say what is known about a run, the verdicts first."""
    from apps import report as report_of

    with reading(context) as con:
        run_id = queries.run_named(con, run)
        if style is not Format.table:
            emit(con, queries.metrics(con, run_id), style, output)
            return
        text = report_of.text(con, run_id)
        if output is None:
            print_data(text)
        else:
            Path(output).write_text(text + "\n", encoding="utf-8")


COMMANDS: tuple[Callable[..., Any], ...] = (runs, sources, readers, schema, sql, report)
