"""The command trend: the history of an application's metrics."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from apps.commands.options import (
    FormatOption,
    MetricOption,
    OutputOption,
    WaitOption,
    parse_share,
    reading,
    writing,
)
from apps.output import Format, emit, note, write_text
from apps.queries.trend import EVERY_METRIC, trend_points
from warehouse.errors import UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


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
            help="Group runs with equal values of these into one series: machine, nodes, ranks, "
            "threads, problem_size, or tags; none: all runs.",
        ),
    ] = None,
    threshold: Annotated[
        str | None, typer.Option(metavar="P%", help="Smallest change to detect.")
    ] = None,
    significance: Annotated[
        float | None,
        typer.Option(help="Probability of detecting a change in a series without any."),
    ] = None,
    better: Annotated[Better | None, typer.Option(help="Which values are better.")] = None,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Store --by and the rules of changes in the warehouse."),
    ] = False,
    wait: WaitOption = 60.0,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Show since when metrics of an application are better or worse, and by how much."""
    from apps.reports.trend import trend_text
    from warehouse.series import Threshold, add_thresholds, set_fields

    if significance is not None and not 0 < significance < 1:
        raise UsageError(
            f"--significance {significance:g} is not a probability", hint="Such as 0.01"
        )
    smallest = None if threshold is None else parse_share(threshold, "--threshold")
    rules = [
        Threshold(
            app, machine or "*", one, smallest, significance, better.value if better else None
        )
        for one in metric or ["*"]
        if any(rule is not None for rule in (smallest, significance, better))
    ]
    if keep and by is None and not rules:
        raise UsageError(
            "--keep has nothing to store",
            hint="It stores --by, --threshold, --significance and --better.",
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
            note("stored in series_fields and change_thresholds (pwh sql 'FROM series_fields')")
        if style is not Format.table:
            emit(
                con,
                trend_points(con, app, metric or EVERY_METRIC, machine),
                style,
                output,
            )
            return
        text = trend_text(con, app, metric or [], machine)
    write_text(text, output)


def _fields(text: str) -> list[str]:
    """Return the fields of --by."""
    fields = [field.strip() for field in text.split(",") if field.strip()]
    return [] if fields == ["none"] else fields


COMMANDS: tuple[Callable[..., Any], ...] = (trend,)
