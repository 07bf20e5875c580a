"""The command compare: two sets of runs, metric by metric."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from apps.commands.options import FormatOption, LevelOption, MetricOption, OutputOption, reading
from apps.output.numbers import counted
from apps.output.tables import dicts
from apps.output.writing import emit
from apps.queries.comparison import LEVEL, run_comparison
from apps.queries.runs import resolve_side
from apps.queries.trend import EVERY_METRIC
from warehouse.errors import NothingToAnalyse, UsageError
from warehouse.session import Connection


def compare(
    context: typer.Context,
    before: Annotated[
        str,
        typer.Argument(
            metavar="A", help="A run, APP, APP@VERSION, latest, or with --app a version."
        ),
    ],
    after: Annotated[str, typer.Argument(metavar="B", help="What to compare it with.")],
    app: Annotated[
        str | None, typer.Option("--app", help="A and B are versions of this application.")
    ] = None,
    metric: MetricOption = None,
    level: LevelOption = LEVEL,
    style: FormatOption = "table",
    output: OutputOption = None,
) -> None:
    """Show what got slower from A to B, by how much, and what of it is beyond the noise."""
    with reading(context) as con:
        first, second = (resolve_side(con, name, app) for name in (before, after))
        if shared := set(first) & set(second):
            raise UsageError(f"{before} and {after} are both the run {min(shared)}")
        rows = partial(run_comparison, con, first, second, level, metric or EVERY_METRIC)
        sides = ((before, first), (after, second))
        emit(con, rows, style, output, partial(compared_text, con, sides, level, metric))


def compared_text(
    con: Connection,
    sides: tuple[tuple[str, list[str]], tuple[str, list[str]]],
    level: float,
    metrics: list[str] | None = None,
) -> str:
    """Return the verdict on two named sets of runs.

    Raises `NothingToAnalyse` where they have no metric or configuration in common.
    """
    from apps.reports.comparison import (
        both_sides,
        comparison_notes,
        comparison_text,
    )

    (before, first), (after, second) = sides
    found = dicts(run_comparison(con, first, second, level, metrics or EVERY_METRIC))
    if not both_sides(found):
        raise NothingToAnalyse(
            f"{before} and {after} have nothing in common to compare",
            hint="They share no metric in one unit or no configuration, or failed; pwh report RUN "
            "shows what a run has.",
        )
    title = " to ".join(f"{name} ({counted(len(runs), 'run')})" for name, runs in sides)
    notes = comparison_notes(con, sides, level)
    return comparison_text(title, found, level, notes)
