"""The command idle: why the workers of a task runtime wait."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from apps.commands.options import FormatOption, OutputOption, RunArgument, reading
from apps.output.formats import Format
from apps.output.streams import write_text
from apps.output.tables import relation_text
from apps.output.writing import emit
from apps.queries.idle import Reading, in_reading
from apps.queries.runs import LATEST, resolve_run


class Mode(StrEnum):
    """How far starvation is traced back."""

    direct = "direct"
    propagated = "propagated"
    transitive = "transitive"


class LatencyRule(StrEnum):
    """What counts as latency."""

    union = "union"
    last_arrival = "last_arrival"


class By(StrEnum):
    """What idle time is summed by."""

    worker = "worker"
    node = "node"
    type = "type"
    blamed = "blamed"


def idle(
    context: typer.Context,
    run: RunArgument = LATEST,
    mode: Annotated[
        Mode,
        typer.Option(
            help="How far waits are followed back. direct: each wait by itself; propagated: with "
            "the overhead in the waits of the worker that was awaited; transitive: with its "
            "latency, too, to the root cause.",
        ),
    ] = Mode.direct,
    latency: Annotated[
        LatencyRule,
        typer.Option(
            help="What counts as latency. union: time in which any input was in transit; "
            "last_arrival: until the last one arrived, for traces without times of sending.",
        ),
    ] = LatencyRule.union,
    by: Annotated[By, typer.Option(help="What the table sums idle time by.")] = By.worker,
    window: Annotated[
        tuple[int, int] | None,
        typer.Option(
            help="Only this window: from and to, in ns after clock correction.", metavar="FROM TO"
        ),
    ] = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Explain why the workers of a task runtime idle: starvation, latency, overhead."""
    from apps.reports.idle import idle_sentences

    with reading(context) as con:
        run_id = resolve_run(con, run)
        how = Reading(mode.value, latency.value, window)
        sentences = idle_sentences(con, run_id, how)
        rows = in_reading(con, "idle/by", how, run_id=run_id, by=by.value)
        if style is not Format.table:
            emit(con, rows, style, output)
            return
        text = "\n".join(
            [f"Run {run_id}", "", *(f"* {line}" for line in sentences), "", relation_text(rows)]
        )
        write_text(text, output)
