"""The command explain: what changed together with a run's time, in all kinds of trace."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from apps.commands.options import FormatOption, OutputOption, RunArgument, reading
from apps.output.tables import dicts
from apps.output.writing import emit
from apps.queries.explanations import Comparison, comparable, explained_against, explanation
from apps.queries.runs import LATEST, resolve_side
from warehouse.errors import NothingToAnalyse, UsageError
from warehouse.session import Connection


def explain(
    context: typer.Context,
    run: RunArgument = LATEST,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RUN",
            help="A run to compare with; repeatable. By default the runs before "
            "the last change of its series, else those of the version before.",
        ),
    ] = None,
    sql: Annotated[bool, typer.Option("--sql", help="Show the SQL behind each finding.")] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Show all findings, their figures and call paths.")
    ] = False,
    style: FormatOption = "table",
    output: OutputOption = None,
) -> None:
    """Explain why a run is slower than those before: functions, bottlenecks, idle time ..."""
    from apps.reports.explanations import explanation_text

    with reading(context) as con:
        which = compared_sides(con, resolve_side(con, run), against or [])
        found = explanation(con, which)
        how = {"show_queries": sql, "is_short": not every}
        text = partial(explanation_text, con, which, dicts(found), **how)
        emit(con, found.filter("topic <> 'ledger'"), style, output, text)


def compared_sides(con: Connection, runs: list[str], against: list[str]) -> Comparison:
    """Return the runs of both sides; raises `NothingToAnalyse` where there are none to compare."""
    run_id = runs[0]
    if against:
        every = (other for name in against for other in resolve_side(con, name))
        named = list(dict.fromkeys(every))
        if shared := set(runs) & set(named):
            raise UsageError(f"--against names {min(shared)} itself", hint="Name another run.")
        return comparable(con, runs, named)
    which = explained_against(con, run_id)
    if which is None:
        if con.execute("FROM failed_runs WHERE run_id = $1", [run_id]).fetchone():
            raise NothingToAnalyse(
                f"{run_id} failed, and failed runs are in no comparison",
                hint="pwh runs lists others, failed_runs how it ended.",
            )
        raise NothingToAnalyse(
            f"there is no run to compare {run_id} with",
            hint="No run of the same application, machine and sizes (series_fields) is known to be "
            "earlier. Name one: --against RUN",
        )
    return which
