"""The commands runs, sources and report: what has landed."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from apps.commands.options import FormatOption, OutputOption, RunArgument, reading
from apps.output.writing import emit
from apps.queries.base import ask
from apps.queries.runs import LATEST, resolve_run
from warehouse.errors import NothingToAnalyse


def runs(
    context: typer.Context,
    app: Annotated[str | None, typer.Option("--app", help="Only this application.")] = None,
    style: FormatOption = "table",
    output: OutputOption = None,
) -> None:
    """List the runs, those that landed last first."""
    with reading(context) as con:
        rows = ask(con, "runs/list", app=app)
        if app is not None and rows.limit(1).fetchone() is None:
            raise NothingToAnalyse(f"there are no runs of {app!r}", hint="pwh runs lists them.")
        emit(con, rows, style, output)


def sources(
    context: typer.Context,
    run: Annotated[str | None, typer.Argument(help="Only the files of this run.")] = None,
    style: FormatOption = "table",
    output: OutputOption = None,
) -> None:
    """List the ingested files, the latest first."""
    with reading(context) as con:
        run_id = None if run is None else resolve_run(con, run)
        emit(con, ask(con, "runs/sources", run_id=run_id), style, output)


def report(
    context: typer.Context,
    run: RunArgument = LATEST,
    style: FormatOption = "table",
    output: OutputOption = None,
) -> None:
    """Report what is known about a run, the verdicts first; as a page where -o ends in .html."""
    with reading(context) as con:
        run_id = resolve_run(con, run)
        if output is not None and output.suffix.lower() in (".html", ".htm"):
            from apps.reports.run_page import run_page as report_text
        else:
            from apps.reports.runs import run_report as report_text
        rows = partial(ask, con, "runs/metrics", run_id=run_id)
        emit(con, rows, style, output, partial(report_text, con, run_id))
