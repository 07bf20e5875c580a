"""The command gate: whether a candidate is certainly slower than its baseline."""

from __future__ import annotations

import os
from typing import Annotated, Literal

import typer

from apps.commands import options
from apps.output.streams import note, write_text
from apps.output.tables import dicts
from apps.output.writing import emit
from apps.queries.comparison import LEVEL
from apps.queries.runs import LATEST, resolve_app
from warehouse.errors import UsageError


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
            metavar="latest|RUN|VERSION|COMMIT|BRANCH",
            help="What to judge; latest: the newest run's version, of several commits the newest.",
        ),
    ] = LATEST,
    limit: Annotated[
        str | None,
        typer.Option(
            metavar="P%", help="Regression that is allowed; by default the stored threshold, or 5%."
        ),
    ] = None,
    metric: options.MetricOption = None,
    better: Annotated[
        Literal["lower", "higher"] | None,
        typer.Option(help="What is better for metrics of which that is not known."),
    ] = None,
    provisional: Annotated[
        bool,
        typer.Option("--provisional", help="Fail also where a regression is not certain yet."),
    ] = False,
    level: options.LevelOption = LEVEL,
    pr_comment: Annotated[
        bool,
        typer.Option(
            "--pr-comment",
            help="Write it short, all metrics folded, and as the one comment on the pull or merge "
            "request that the environment of GitHub or GitLab names, with the token in GH_TOKEN, "
            "GITHUB_TOKEN or GITLAB_TOKEN; later calls edit it.",
        ),
    ] = False,
    style: options.FormatOption = "table",
    output: options.OutputOption = None,
) -> None:
    """Fail with exit code 1 where a regression is certain, with a Markdown summary, for CI."""
    from apps.reports import gate as reports

    if pr_comment and style != "table":
        raise UsageError(
            "--pr-comment is Markdown, not rows", hint="Leave --format out, and let -o end in .md."
        )
    most = None if limit is None else options.parse_share(limit, "--limit")
    with options.reading(context) as con:
        app = resolve_app(con, app)
        sides = reports.find_sides(con, app, baseline, candidate)
        if baseline is None and not sides.baseline:
            _write(reports.neutral_markdown(app, sides), app, output, is_comment=pr_comment)
            return
        relation = reports.judge_metrics(
            con, sides, metric or [], most, level, better, provisional=provisional
        )
        rows = dicts(relation)
        cause = reports.gate_cause(con, sides, rows) if style == "table" else []
        if style != "table":
            emit(con, relation, style, output)
    if style == "table":
        summary = reports.gate_comment if pr_comment else reports.gate_markdown
        text = summary(app, sides, rows, level, cause)
        _write(text, app, output, is_comment=pr_comment)
    if reports.failing_metrics(rows):
        raise typer.Exit(1)
    if reports.needs_run(rows):
        raise typer.Exit(6)


def _write(text: str, app: str, output: options.OutputOption, *, is_comment: bool) -> None:
    write_text(text, output)
    if is_comment:
        from apps.exports.pull_request import comment
        from apps.reports.gate import comment_marker

        marker = comment_marker(app)
        note(comment(text if text.startswith(marker) else f"{marker}\n{text}", marker, os.environ))
