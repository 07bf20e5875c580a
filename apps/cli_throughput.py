"""The command throughput: what a run's code could sustain, what it does, and what limits it."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from apps import queries
from apps import throughput as words
from apps import throughput_tables as tables_of
from apps.common import FormatOption, OutputOption, reading
from apps.output import Format, dicts, emit, print_data, table_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class By(StrEnum):
    """What a row is."""

    thread = "thread"
    segment = "segment"


_QUESTIONS = {By.thread: queries.throughput_threads, By.segment: queries.throughput_segments}
_SHOWN = {
    By.thread: (tables_of.THREADS, tables_of.thread_line),
    By.segment: (tables_of.SEGMENTS, tables_of.segment_line),
}


def throughput(
    context: typer.Context,
    run: Annotated[str, typer.Argument(help="A run, the beginning of its id, or latest.")] = (
        queries.LATEST
    ),
    by: Annotated[By, typer.Option(help="What the rows are.")] = By.thread,
    limit: Annotated[
        int, typer.Option(min=1, help="How many rows a table shows; --format csv gives all.")
    ] = 20,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Say what the code could sustain on its core, what it reaches, and what limits it."""
    with reading(context) as con:
        run_id = queries.run_named(con, run)
        said = words.verdicts(con, run_id)
        if style is not Format.table:
            emit(con, _QUESTIONS[by](con, run_id), style, output)
            return
        text = _text(con, run_id, said, by, limit)
    if output is None:
        print_data(text)
    else:
        output.write_text(text + "\n", encoding="utf-8")


def _text(con: DuckDBPyConnection, run_id: str, said: list[str], by: By, limit: int) -> str:
    effects = dicts(queries.throughput_effects(con, run_id))
    models = dicts(queries.throughput_model(con, run_id))
    held = words.effects(effects)
    lines = [f"Run {run_id}", "", *(f"* {sentence}" for sentence in said)]
    lines += [f"* {held}"] if held else []
    lines += [
        f"* By {row['model']} ({row['algorithm']}, of {row['subject']}): {row['description']}."
        for row in models
    ]
    limits = [tables_of.limit_line(row) for row in dicts(queries.throughput_limits(con, run_id))]
    lines += ["", "What the predicted cycles go to", table_text(tables_of.LIMITS, limits)]
    if effects:
        shown = [tables_of.effect_line(row) for row in effects]
        lines += ["", "What the model holds against a typical segment"]
        lines.append(table_text(tables_of.EFFECTS, shown))
    return "\n".join([*lines, "", *_rows(con, run_id, by, limit)])


def _rows(con: DuckDBPyConnection, run_id: str, by: By, limit: int) -> list[str]:
    header, line = _SHOWN[by]
    rows = _QUESTIONS[by](con, run_id)
    shown = [line(row) for row in dicts(rows.limit(limit))]
    lines = [f"Instructions per cycle by {by.value}", table_text(header, shown)]
    total = (rows.count("*").fetchone() or (0,))[0]
    if total > limit:
        lines.append(f"... and {total - limit} more; --limit shows more, --format csv all")
    return lines


COMMANDS: tuple[Callable[..., Any], ...] = (throughput,)
