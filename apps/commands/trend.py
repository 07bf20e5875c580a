"""The commands trend and ack: the history of an application, and what is known of it."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

import typer

from apps.commands import options
from apps.output.formats import Format
from apps.output.numbers import counted
from apps.output.streams import note, print_data
from apps.output.text import cell
from apps.output.writing import emit
from apps.queries.base import ask, ask_dicts
from apps.queries.comparison import LEVEL, run_comparison
from apps.queries.events import SAID
from apps.queries.runs import resolve_app, resolve_change
from apps.queries.trend import EVERY_METRIC, Series
from warehouse.errors import NothingToAnalyse, UsageError
from warehouse.session import Connection


def trend(
    context: typer.Context,
    app: Annotated[str, typer.Argument(help="An application, or a run of it.")],
    metric: options.MetricOption = None,
    machine: options.MachineOption = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD,...",
            help="Group runs with equal values of these into one series: machine, nodes, ranks, "
            "threads, problem_size, or tags; none: all runs.",
        ),
    ] = None,
    branch: Annotated[
        str | None,
        typer.Option(
            help="Hold the newest commit of this branch against the default branch at its fork."
        ),
    ] = None,
    threshold: Annotated[
        str | None, typer.Option(metavar="P%", help="Smallest change to detect.")
    ] = None,
    significance: Annotated[
        float | None,
        typer.Option(help="Probability of detecting a change in a series without any."),
    ] = None,
    better: Annotated[
        Literal["lower", "higher", "neither"] | None, typer.Option(help="Which values are better.")
    ] = None,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Store --by and the rules of changes in the warehouse."),
    ] = False,
    wait: options.WaitOption = None,
    style: options.FormatOption = "table",
    output: options.OutputOption = None,
) -> None:
    """Show since when metrics of an application are better or worse, and by how much."""
    from apps.reports.trend import trend_text
    from ingest.analyse import analyse_all, analyse_here
    from warehouse.series import Threshold, add_thresholds, set_fields

    if significance is not None and not 0 < significance < 1:
        raise UsageError(
            f"--significance {significance:g} is not a probability", hint="Such as 0.01"
        )
    smallest = None if threshold is None else options.parse_share(threshold, "--threshold")
    has_rules = any(rule is not None for rule in (smallest, significance, better))
    if keep and by is None and not has_rules:
        raise UsageError(
            "--keep has nothing to store",
            hint="It stores --by, --threshold, --significance and --better.",
        )
    with options.writing(context, wait) if keep else options.reading(context, wait) as con:
        app = resolve_app(con, app)
        if by is not None:
            set_fields(con, _fields(by), keep=keep)
        if has_rules:
            rules = [
                Threshold(app, machine or "*", one, smallest, significance, better)
                for one in metric or ["*"]
            ]
            add_thresholds(con, rules, keep=keep)
        # On this connection, whose fields and rules may be those of the options.
        if keep:
            note("stored in series_fields and change_thresholds (pwh sql 'FROM series_fields')")
            analyse_all(con)
        elif by is not None or has_rules:
            analyse_here(con, app)
        if branch is not None:
            _of_branch(con, app, branch, metric, style, output)
            return
        series = Series(app, metric or EVERY_METRIC, machine)
        points = partial(ask, con, "trend/points", **series.params())
        text = partial(trend_text, con, app, metric or [], machine)
        emit(con, points, style, output, text)


def _of_branch(
    con: Connection,
    app: str,
    branch: str,
    metric: list[str] | None,
    style: Format,
    output: options.OutputOption,
) -> None:
    """Write the comparison of a branch with the history that it left."""
    from apps.commands.comparison import compared_text

    (found,) = ask_dicts(con, "trend/branch", app=app, branch=branch, run_id=None)
    runs, against, default = found["runs"], found["against"], found["default_branch"]
    if runs is None:
        every = ask_dicts(con, "trend/branches", app=app)
        names = ", ".join(cell(row["branch"]) for row in every if row["is_candidate"])
        raise UsageError(
            f"no run of {app} is on a branch {branch!r} beside its default branch {default or ''}",
            hint=f"Such branches are: {names}" if names else "State it with pwh ingest --branch.",
        )
    if against is None:
        raise NothingToAnalyse(
            f"no run of {app} is on its default branch{f' {default}' if default else ''}",
            hint="Runs of it are those without a branch, and those landed with its --branch.",
        )
    where = "at the fork" if found["is_forked"] else "now"
    others = found["others"]
    name = f"{branch} without {counted(others, 'run')} of earlier commits" if others else branch
    sides = ((f"{default or 'default branch'} {where}", against), (name, runs))
    rows = partial(run_comparison, con, against, runs, LEVEL, metric or EVERY_METRIC)
    emit(con, rows, style, output, partial(compared_text, con, sides, LEVEL, metric))


def _fields(text: str) -> list[str]:
    fields = [field.strip() for field in text.split(",") if field.strip()]
    return [] if fields == ["none"] else fields


def ack(
    context: typer.Context,
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN|event:ID",
            help="First run of a change, by any name of runs, or an event (change_events).",
        ),
    ],
    reason: Annotated[
        Literal["investigating", "expected", "noise", "invalid", "fixed", "open"],
        typer.Argument(help=SAID),
    ],
    fixed_in: Annotated[
        str | None,
        typer.Option("--in", metavar="VERSION|COMMIT", help="Where it is fixed."),
    ] = None,
    metric: Annotated[str, typer.Option(help="Only this metric, or a pattern with * and ?.")] = "*",
    text: options.NoteOption = None,
    said_by: options.SpeakerOption = None,
    wait: options.WaitOption = None,
) -> None:
    """Acknowledge a change by its first run: short for pwh events EVENT --state STATE."""
    from apps.commands.events import annotate, stored_state
    from apps.reports.acknowledgements import acknowledgement_text, changes_of_run
    from warehouse.series import Acknowledgement

    stored = stored_state(reason, fixed_in)
    with options.writing(context, wait) as con:
        run_id, event_id = resolve_change(con, run)
        before = changes_of_run(con, run_id)
        known = Acknowledgement(stored, metric, fixed_in, note=text, said_by=said_by)
        removed = annotate(con, run_id, known, event_id, withdrawn=reason == "open")
        if reason == "open":
            print_data(f"{counted(removed, 'acknowledgement')} of {run} removed")
            return
        after = changes_of_run(con, run_id)
    print_data(acknowledgement_text(run_id, str(stored), before, after))
