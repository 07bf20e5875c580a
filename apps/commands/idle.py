"""Commands that analyse: idle."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any

import typer

from apps.commands.options import FormatOption, OutputOption, reading
from apps.output import Format, as_text, emit, write_text
from apps.queries.idle import idle_by
from apps.queries.runs import LATEST, resolve_run


class Mode(StrEnum):
    """How deep starvation is followed."""

    direct = "direct"
    propagated = "propagated"
    transitive = "transitive"


class LatencyRule(StrEnum):
    """What counts as latency."""

    union = "union"
    last_arrival = "last_arrival"


class By(StrEnum):
    """What idle time is added up by."""

    worker = "worker"
    node = "node"
    type = "type"
    blamed = "blamed"


def idle(
    context: typer.Context,
    run: Annotated[str, typer.Argument(help="A run, the beginning of its id, or latest.")] = (
        LATEST
    ),
    mode: Annotated[
        Mode, typer.Option(help="Literal, with the producers' overhead, or traced to its root.")
    ] = Mode.direct,
    latency: Annotated[
        LatencyRule, typer.Option(help="last_arrival is for traces without send times.")
    ] = LatencyRule.union,
    by: Annotated[By, typer.Option(help="What the table adds up by.")] = By.worker,
    window: Annotated[
        tuple[int, int] | None,
        typer.Option(help="Only this part: from, to, in ns after clock correction."),
    ] = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Say why the workers of a task runtime idle: starvation, latency, overhead, and whose."""
    from apps.reports.idle import idle_sentences

    with reading(context) as con:
        run_id = resolve_run(con, run)
        said = idle_sentences(con, run_id, mode.value, latency.value, window)
        rows = idle_by(con, run_id, by.value, mode.value, latency.value, window)
        if style is not Format.table:
            emit(con, rows, style, output)
            return
        text = "\n".join([f"Run {run_id}", "", *(f"* {line}" for line in said), "", as_text(rows)])
        write_text(text, output)


COMMANDS: tuple[Callable[..., Any], ...] = (idle,)
