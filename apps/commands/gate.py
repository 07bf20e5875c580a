"""The command gate: whether a candidate is certainly slower than its baseline."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from apps.commands.options import (
    FormatOption,
    LevelOption,
    MetricOption,
    OutputOption,
    reading,
    relative,
)
from apps.output import Format, dicts, emit, write_text
from apps.queries.runs import LATEST

if TYPE_CHECKING:
    pass


def gate(
    context: typer.Context,
    app: Annotated[str, typer.Argument(help="An application.")],
    baseline: Annotated[
        str,
        typer.Option(
            metavar="VERSION|RUN|tag:K=V|last:N",
            help="What to hold the candidate against; last:N are the N runs before it.",
        ),
    ],
    candidate: Annotated[
        str,
        typer.Option(metavar="latest|RUN|VERSION", help="latest is the version of the newest run."),
    ] = LATEST,
    limit: Annotated[
        str | None,
        typer.Option(
            metavar="P%", help="Regression that is allowed; 5% where no threshold was kept."
        ),
    ] = None,
    metric: MetricOption = None,
    level: LevelOption = 0.95,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """For CI: exit code 1 where a regression beyond a limit is certain; a Markdown summary."""
    from apps.reports.gate import failing_metrics, find_sides, gate_markdown, judge_metrics

    most = None if limit is None else relative(limit, "--limit")
    with reading(context) as con:
        of = find_sides(con, app, baseline, candidate)
        relation = judge_metrics(con, of, metric or [], most, level)
        rows = dicts(relation)
        if style is not Format.table:
            emit(con, relation, style, output)
    if style is Format.table:
        write_text(gate_markdown(app, of, rows, level), output)
    if failing_metrics(rows):
        raise typer.Exit(1)


COMMANDS: tuple[Callable[..., Any], ...] = (gate,)
