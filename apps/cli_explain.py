"""The command explain: what changed together with a run's time, in all kinds of trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from apps import queries
from apps.common import FormatOption, OutputOption, reading
from apps.output import Format, dicts, emit, print_data
from warehouse.errors import NothingToAnalyse, UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def explain(
    context: typer.Context,
    run: Annotated[str, typer.Argument(help="A run, the beginning of its id, or latest.")] = (
        queries.LATEST
    ),
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RUN",
            help="A run to compare with; can be given several times. By default the runs before "
            "the last change of its series, else those of the version before.",
        ),
    ] = None,
    sql: Annotated[
        bool, typer.Option("--queries/--no-queries", help="Show the SQL behind each finding.")
    ] = True,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Say why a run is slower than those before: functions, bottlenecks, scaling, idle time ..."""
    from apps import explain as words

    with reading(context) as con:
        run_id = queries.run_named(con, run)
        which = _compared(con, run_id, against or [])
        found = queries.explanation(con, which)
        if style is not Format.table:
            emit(con, found, style, output)
            return
        text = words.text(
            which,
            dicts(queries.compared_runs(con, which)),
            dicts(found),
            dicts(queries.explanation_coverage(con, which)),
            next(iter(dicts(queries.run_in_history(con, run_id))), None),
            show_queries=sql,
        )
    if output is None:
        print_data(text)
    else:
        output.write_text(text + "\n", encoding="utf-8")


def _compared(con: DuckDBPyConnection, run_id: str, against: list[str]) -> queries.Comparison:
    """Choose the runs of both sides; raises `NothingToAnalyse` where there is nothing to choose."""
    if against:
        named = list(dict.fromkeys(queries.run_named(con, name) for name in against))
        if run_id in named:
            raise UsageError(f"{run_id} is to be compared with itself")
        return queries.Comparison([run_id], named)
    which = queries.explained_against(con, run_id)
    if which is None:
        raise NothingToAnalyse(
            f"there is no run to compare {run_id} with",
            hint="None before it has its application, and its machine and sizes (series_fields). "
            "Name one: --against RUN",
        )
    return which


COMMANDS: tuple[Callable[..., Any], ...] = (explain,)
