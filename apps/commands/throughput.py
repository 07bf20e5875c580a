"""The command throughput: what a run's code could sustain, what it reaches, what limits it."""

from __future__ import annotations

from contextlib import AbstractContextManager, closing
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from apps.commands.options import FormatOption, OutputOption, RunArgument, reading
from apps.output.tables import dicts, relation_text
from apps.output.writing import emit
from apps.queries.base import ask, ask_dicts
from apps.queries.runs import LATEST, resolve_run
from apps.reports import throughput as reports
from warehouse.session import Connection, Relation

By = Literal["thread", "segment"]
_SHOWN = {"thread": reports.THREADS, "segment": reports.SEGMENTS}


def throughput(
    context: typer.Context,
    run: RunArgument = LATEST,
    by: Annotated[By, typer.Option(help="What the rows are.")] = "thread",
    limit: Annotated[
        int, typer.Option(min=1, help="How many rows a table shows; --format csv gives all.")
    ] = 20,
    code: Annotated[
        str | None,
        typer.Option("--hex", help="Predict for this block of machine code instead of a run."),
    ] = None,
    core: Annotated[
        str | None,
        typer.Option(
            help="With --hex, the core: one of the table cores, a processor that has one "
            "(core_names), or a model's subject."
        ),
    ] = None,
    isa: Annotated[
        str | None, typer.Option(help="With --hex, the instruction set: x86-64, aarch64, riscv64.")
    ] = None,
    style: FormatOption = "table",
    output: OutputOption = None,
) -> None:
    """Predict what the code could sustain on its core, and show what limits it."""
    if code is not None:
        with _for_block(context) as con:
            block = ask(con, "throughput/block", hex=code, core=core, isa=isa)
            emit(con, block, style, output, partial(_block_text, con, code, block))
        return
    with reading(context) as con:
        run_id = resolve_run(con, run)
        sentences = reports.throughput_sentences(con, run_id)
        rows = ask(con, f"throughput/{by}s", run_id=run_id)
        emit(con, rows, style, output, partial(_text, con, run_id, sentences, by, rows, limit))


def _for_block(context: typer.Context) -> AbstractContextManager[Connection]:
    """Open the warehouse, or an empty one where there is none: a block needs no runs."""
    import warehouse
    from warehouse.connection import MEMORY

    if isinstance(context.obj, Path) and not context.obj.exists():
        return closing(warehouse.connect(MEMORY))
    return reading(context)


def _block_text(con: Connection, code: str, block: Relation) -> str:
    (row,) = dicts(block)
    lines = [*reports.block_sentences(row), "", relation_text(block), *reports.block_reasons(row)]
    if row["instructions"]:
        instructions = ask(con, "throughput/block_instructions", hex=code, core=row["core"])
        lines += ["", "Instructions and the units that they need", relation_text(instructions)]
    return "\n".join(lines).lstrip("\n")


def _text(
    con: Connection, run_id: str, sentences: list[str], by: By, rows: Relation, limit: int
) -> str:
    effects = ask_dicts(con, "throughput/effects", run_id=run_id)
    models = ask_dicts(con, "throughput/model", run_id=run_id)
    sentence = reports.effects_sentence(effects)
    lines = [f"Run {run_id}", "", *(f"* {sentence}" for sentence in sentences)]
    lines += [f"* {sentence}"] if sentence else []
    lines += [
        f"* Model: {row['model']} ({row['algorithm']}, of {row['subject']}): {row['description']}."
        for row in models
    ]
    limits = ask_dicts(con, "throughput/limits", run_id=run_id)
    lines += ["", reports.LIMITS.text(limits, "What limits the predicted cycles")]
    if effects:
        title = "Feature contributions (Shapley values) relative to a typical segment"
        lines += ["", reports.EFFECTS.text(effects, title)]
    title, every = f"Instructions per cycle by {by}", "--limit shows more, --format csv all"
    shown = _SHOWN[by].text(dicts(rows.limit(limit)), title, total=len(rows), every=every)
    return "\n".join([*lines, "", shown])
