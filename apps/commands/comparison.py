"""The command compare: two sets of runs, metric by metric."""

from __future__ import annotations

from typing import Annotated

import typer

from apps.commands.options import FormatOption, LevelOption, MetricOption, OutputOption, reading
from apps.output import Format, counted, dicts, emit, write_text
from apps.queries.comparison import resolve_runs, run_comparison
from apps.queries.trend import EVERY_METRIC
from warehouse.errors import NothingToAnalyse, UsageError


def compare(
    context: typer.Context,
    before: Annotated[
        str, typer.Argument(metavar="A", help="A run, APP@VERSION, or with --app a version.")
    ],
    after: Annotated[str, typer.Argument(metavar="B", help="What to compare it with.")],
    app: Annotated[
        str | None, typer.Option("--app", help="A and B are versions of this application.")
    ] = None,
    metric: MetricOption = None,
    level: LevelOption = 0.95,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Show what got slower from A to B, by how much, and what of it is beyond the noise."""
    from apps.reports.comparison import both_sides, comparison_text

    with reading(context) as con:
        first, second = (resolve_runs(con, name, app) for name in (before, after))
        if shared := set(first) & set(second):
            raise UsageError(f"{before} and {after} are both the run {min(shared)}")
        rows = run_comparison(con, first, second, level, metric or EVERY_METRIC)
        if style is not Format.table:
            emit(con, rows, style, output)
            return
        found = dicts(rows)
    if not both_sides(found):
        raise NothingToAnalyse(
            f"{before} and {after} have nothing in common to compare",
            hint="They share no metric or no configuration; pwh report RUN shows what a run has.",
        )
    sides = ((before, len(first)), (after, len(second)))
    title = " to ".join(f"{name} ({counted(runs, 'run')})" for name, runs in sides)
    write_text(comparison_text(title, found, level), output)
