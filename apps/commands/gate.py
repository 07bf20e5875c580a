"""The command gate: whether a candidate is certainly slower than its baseline."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated

import typer

from apps.commands.options import (
    FormatOption,
    LevelOption,
    MetricOption,
    OutputOption,
    parse_share,
    reading,
)
from apps.output.formats import Format
from apps.output.streams import note, write_text
from apps.output.tables import dicts
from apps.output.writing import emit
from apps.queries.comparison import LEVEL
from apps.queries.runs import LATEST, resolve_app
from warehouse.errors import UsageError


class Direction(StrEnum):
    """Which values of a metric are better."""

    LOWER = "lower"
    HIGHER = "higher"


def gate(
    context: typer.Context,
    app: Annotated[str, typer.Argument(help="An application, or a run of it.")],
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="VERSION|RUN|tag:K=V|last:N",
            help="What to compare the candidate with; last:N: the N runs before it. By default the "
            "level of each metric before its largest open change, else its present level.",
        ),
    ] = None,
    candidate: Annotated[
        str,
        typer.Option(
            metavar="latest|RUN|VERSION|BRANCH",
            help="What to judge; latest: the newest run's version.",
        ),
    ] = LATEST,
    limit: Annotated[
        str | None,
        typer.Option(
            metavar="P%", help="Regression that is allowed; by default the stored threshold, or 5%."
        ),
    ] = None,
    metric: MetricOption = None,
    better: Annotated[
        Direction | None,
        typer.Option(help="What is better for metrics of which that is not known."),
    ] = None,
    provisional: Annotated[
        bool,
        typer.Option("--provisional", help="Fail also where a regression is not certain yet."),
    ] = False,
    level: LevelOption = LEVEL,
    pr_comment: Annotated[
        bool,
        typer.Option(
            "--pr-comment",
            help="Write it short, all metrics folded, and as the one comment on the pull or merge "
            "request that the environment of GitHub or GitLab names, with the token in GH_TOKEN, "
            "GITHUB_TOKEN or GITLAB_TOKEN; later calls edit it.",
        ),
    ] = False,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Fail with exit code 1 where a regression is certain, with a Markdown summary, for CI."""
    from apps.reports.gate import (
        failing_metrics,
        find_sides,
        gate_cause,
        gate_comment,
        gate_markdown,
        judge_metrics,
        needs_run,
        neutral_markdown,
    )

    if pr_comment and style is not Format.table:
        raise UsageError(
            "--pr-comment is Markdown, not rows", hint="Leave --format out, and let -o end in .md."
        )
    most = None if limit is None else parse_share(limit, "--limit")
    with reading(context) as con:
        app = resolve_app(con, app)
        sides = find_sides(con, app, baseline, candidate)
        if baseline is None and not sides.baseline:
            _write(neutral_markdown(app, sides), app, output, is_comment=pr_comment)
            return
        relation = judge_metrics(
            con, sides, metric or [], most, level, better, provisional=provisional
        )
        rows = dicts(relation)
        cause = gate_cause(con, sides, rows) if style is Format.table else []
        if style is not Format.table:
            emit(con, relation, style, output)
    if style is Format.table:
        summary = gate_comment if pr_comment else gate_markdown
        text = summary(app, sides, rows, level, cause)
        _write(text, app, output, is_comment=pr_comment)
    if failing_metrics(rows):
        raise typer.Exit(1)
    if needs_run(rows):
        raise typer.Exit(6)


def _write(text: str, app: str, output: OutputOption, *, is_comment: bool) -> None:
    """Write the summary, and the comment with it."""
    write_text(text, output)
    if is_comment:
        from apps.exports.pull_request import comment
        from apps.reports.gate import comment_marker

        marker = comment_marker(app)
        note(comment(text if text.startswith(marker) else f"{marker}\n{text}", marker, os.environ))
