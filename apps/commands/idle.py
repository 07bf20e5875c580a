"""The command idle: why GPUs, or the workers of a task runtime, wait."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from apps.commands.options import FormatOption, OutputOption, RunArgument, reading
from apps.output.tables import relation_text
from apps.output.writing import emit
from apps.queries.base import ask
from apps.queries.idle import LATENCY_MEANINGS, MODE_MEANINGS, Reading, in_reading
from apps.queries.runs import LATEST, resolve_run
from warehouse.errors import NothingToAnalyse

_OF_DEVICES = ("device", "stream", "step", "late")


def idle(
    context: typer.Context,
    run: RunArgument = LATEST,
    mode: Annotated[
        Literal["direct", "propagated", "transitive"],
        typer.Option(help=f"How far waits are followed back. {MODE_MEANINGS}"),
    ] = "direct",
    latency: Annotated[
        Literal["union", "last_arrival"],
        typer.Option(help=f"What counts as latency. {LATENCY_MEANINGS}"),
    ] = "union",
    by: Annotated[
        Literal["worker", "node", "type", "blamed", "device", "stream", "step", "late"] | None,
        typer.Option(
            help="What the table sums idle time by: worker, node, type or blamed type of tasks; "
            "of a run with a device: device, stream, step, or late, which is what the host did "
            "before it launched the next work. Without it worker or device.",
            show_default=False,
        ),
    ] = None,
    tasks: Annotated[
        bool,
        typer.Option(
            "--tasks", help="Also of a run with a device the reading for runtimes of tasks."
        ),
    ] = False,
    window: Annotated[
        tuple[int, int] | None,
        typer.Option(
            help="Only this window: from and to, in ns after clock correction.", metavar="FROM TO"
        ),
    ] = None,
    style: FormatOption = "table",
    output: OutputOption = None,
) -> None:
    """Explain why GPUs idle, and what limits them, or why the workers of a task runtime do."""
    from apps.reports.gpu import gpu_sentences
    from apps.reports.idle import idle_sentences

    with reading(context) as con:
        run_id = resolve_run(con, run)
        how = Reading(mode, latency, window)
        of_tasks = tasks or how != Reading() or by not in (None, *_OF_DEVICES)
        sentences = [] if of_tasks else gpu_sentences(con, run_id)
        if sentences:
            of = {} if by == "late" else {"by": by or "device"}
            rows = ask(con, "gpu/by" if of else "gpu/late", run_id=run_id, **of)
        elif by in _OF_DEVICES:
            raise NothingToAnalyse(
                f"the run {run_id} has no work of a device, or --tasks, --mode, --latency and "
                "--window are for runtimes of tasks",
                hint="--by worker, node, type or blamed",
            )
        else:
            sentences = idle_sentences(con, run_id, how)
            rows = in_reading(con, "idle/by", how, run_id=run_id, by=by or "worker")
        lines = [f"Run {run_id}", "", *(f"* {line}" for line in sentences), ""]
        emit(con, rows, style, output, lambda: "\n".join([*lines, relation_text(rows)]))
