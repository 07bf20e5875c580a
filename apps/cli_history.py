"""Commands on history: trend, compare, gate."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from apps import queries
from apps.common import FormatOption, OutputOption, WaitOption, reading, writing
from apps.output import Format, dicts, emit, note, print_data
from warehouse.errors import NothingToAnalyse, UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MetricOption = Annotated[
    list[str] | None,
    typer.Option("--metric", help="Only this metric, or a pattern with * and ?; repeatable."),
]
LevelOption = Annotated[
    float, typer.Option(min=0.5, max=0.9999, help="Probability that all intervals hold.")
]


class Better(StrEnum):
    """Which values of a metric are better."""

    LOWER = "lower"
    HIGHER = "higher"
    NEITHER = "neither"


def trend(
    context: typer.Context,
    app: Annotated[str, typer.Argument(help="An application.")],
    metric: MetricOption = None,
    machine: Annotated[
        str | None, typer.Option(help="Only this machine, or a pattern with * and ?.")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD,...",
            help="Runs are one series where they agree in these: machine, nodes, ranks, threads, "
            "problem_size, or tags; none for none.",
        ),
    ] = None,
    threshold: Annotated[
        str | None, typer.Option(metavar="P%", help="Smallest change that counts.")
    ] = None,
    significance: Annotated[
        float | None, typer.Option(help="Probability of a change in a series without any.")
    ] = None,
    better: Annotated[Better | None, typer.Option(help="Which values are better.")] = None,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Keep --by, and what counts as a change, in the warehouse."),
    ] = False,
    wait: WaitOption = 60.0,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Say since when metrics of an application are better or worse, how much, how sure."""
    from apps import trend as words
    from warehouse.series import Threshold, add_thresholds, set_fields

    if significance is not None and not 0 < significance < 1:
        raise UsageError(f"--significance {significance:g} is no probability", hint="Such as 0.01")
    smallest = None if threshold is None else relative(threshold, "--threshold")
    rules = [
        Threshold(
            app, machine or "*", one, smallest, significance, better.value if better else None
        )
        for one in metric or ["*"]
        if any(rule is not None for rule in (smallest, significance, better))
    ]
    if keep and by is None and not rules:
        raise UsageError(
            "--keep has nothing to keep",
            hint="It keeps --by, --threshold, --significance and --better.",
        )
    opened: AbstractContextManager[DuckDBPyConnection] = (
        writing(context, wait) if keep else reading(context, wait)
    )
    with opened as con:
        if by is not None:
            set_fields(con, _fields(by), keep=keep)
        if rules:
            add_thresholds(con, rules, keep=keep)
        if keep:
            note("kept in series_fields and change_thresholds (pwh sql 'FROM series_fields')")
        if style is not Format.table:
            emit(
                con,
                queries.trend_points(con, app, metric or queries.EVERY_METRIC, machine),
                style,
                output,
            )
            return
        text = words.text(con, app, metric or [], machine)
    _write(text, output)


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
    """Say what got slower from A to B, by how much, and what of it is beyond the noise."""
    from apps import compare as words

    with reading(context) as con:
        first, second = (queries.runs_meant(con, name, app) for name in (before, after))
        if shared := set(first) & set(second):
            raise UsageError(f"{before} and {after} are both the run {min(shared)}")
        rows = queries.run_comparison(con, first, second, level, metric or queries.EVERY_METRIC)
        if style is not Format.table:
            emit(con, rows, style, output)
            return
        found = dicts(rows)
    if not words.both_sides(found):
        raise NothingToAnalyse(
            f"{before} and {after} have nothing that can be compared",
            hint="They share no metric or no configuration; pwh report RUN shows what a run has.",
        )
    sides = ((before, len(first)), (after, len(second)))
    title = " to ".join(f"{name} ({runs} {'run' if runs == 1 else 'runs'})" for name, runs in sides)
    _write(words.text(title, found, level), output)


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
    ] = queries.LATEST,
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
    from apps import gate as verdicts
    from apps.gate_tables import markdown

    most = None if limit is None else relative(limit, "--limit")
    with reading(context) as con:
        of = verdicts.sides(con, app, baseline, candidate)
        relation = verdicts.judged(con, of, metric or [], most, level)
        rows = dicts(relation)
        if style is not Format.table:
            emit(con, relation, style, output)
    if style is Format.table:
        _write(markdown(app, of, rows, level), output)
    if verdicts.closing(rows):
        raise typer.Exit(1)


def relative(text: str, option: str) -> float:
    """Read a share: 5% or 0.05; raises `UsageError` for anything else."""
    digits = text.strip().removesuffix("%")
    try:
        value = float(digits) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        value = -1
    if not 0 <= value < (10 if text.strip().endswith("%") else 1):
        raise UsageError(f"{option} {text!r} is no share", hint="Such as 5% or 0.05")
    return value


def _fields(text: str) -> list[str]:
    """Read the fields of --by."""
    fields = [field.strip() for field in text.split(",") if field.strip()]
    return [] if fields == ["none"] else fields


def _write(text: str, output: Path | None) -> None:
    if output is None:
        print_data(text)
    else:
        output.write_text(text + "\n", encoding="utf-8")


COMMANDS: tuple[Callable[..., Any], ...] = (trend, compare, gate)
