"""The command events: changes as they are worked on, listed and triaged."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import typer

from apps.commands import options
from apps.output.tables import Row, dicts
from apps.output.text import cell
from apps.output.writing import emit
from apps.queries.base import ask, ask_dicts
from apps.queries.events import OPEN, SAID, WITHDRAWN, Events
from apps.queries.runs import resolve_app
from warehouse.errors import NothingToAnalyse, UsageError
from warehouse.series import Acknowledgement
from warehouse.session import Connection

# open: any of new, investigating and reopened.
State = Literal[
    "open", "new", "investigating", "expected", "noise", "fixed", "invalid", "reopened", "withdrawn"
]
# What later runs show is not for anybody to say.
_FOUND = ("new", "reopened", WITHDRAWN)


def events(
    context: typer.Context,
    event: Annotated[
        int | None,
        typer.Argument(help="Number of an event: show it, or change what is known of it."),
    ] = None,
    app: Annotated[
        str | None, typer.Option(help="Only of this application, or that of a run.")
    ] = None,
    branch: Annotated[str | None, typer.Option(help="Only of runs of this branch.")] = None,
    machine: options.MachineOption = None,
    since: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="Only since this day."),
    ] = None,
    state: Annotated[
        State | None,
        typer.Option(
            help="Only events in this state; open: new, investigating and reopened. Of one event "
            f"what it is. {SAID}"
        ),
    ] = None,
    owner: Annotated[
        str | None, typer.Option(help="Only events of this owner; of an event: its owner.")
    ] = None,
    fixed_in: Annotated[
        str | None,
        typer.Option(
            "--in",
            metavar="VERSION|COMMIT",
            help="Where it is fixed: later runs check it, and open it again if it is not.",
        ),
    ] = None,
    ticket: Annotated[
        str | None, typer.Option(metavar="URL", help="Address of the event's ticket.")
    ] = None,
    text: options.NoteOption = None,
    said_by: options.SpeakerOption = None,
    wait: options.WaitOption = None,
    style: options.FormatOption = "table",
    output: options.OutputOption = None,
) -> None:
    """List changes as events, the open ones first; with a number, show or triage one."""
    from apps.reports.events import events_text
    from warehouse.series import Acknowledgement

    said = (owner, ticket, text, said_by, fixed_in)
    if event is None:
        if any(one is not None for one in said[1:]):
            raise UsageError(
                "--in, --ticket, --note and --by are of one event",
                hint="Such as: pwh events 3 --state fixed --in v12",
            )
        wanted = Events(_states(state), None, app, branch, machine, owner, since)
    else:
        wanted = Events((*Events().states, WITHDRAWN), event)
        if any(one is not None for one in (app, branch, machine, since)):
            raise UsageError(
                "--app, --branch, --machine and --since choose among events, and one is named"
            )
        if state is not None or any(one is not None for one in said):
            stored = stored_state(state, fixed_in)
            known = Acknowledgement(stored, "*", fixed_in, owner, ticket, text, said_by)
            with options.writing(context, wait) as con:
                row = _event(con, event)
                if row["state"] == WITHDRAWN:
                    raise UsageError(
                        f"event {event} is withdrawn: later runs leave no change there"
                    )
                annotate(con, row["run_id"], known, event, withdrawn=state == "open")
    with options.reading(context, wait) as con:
        if event is not None:
            _event(con, event)
        if app is not None:
            app = resolve_app(con, app)
            wanted = wanted._replace(app=app)
        found = ask(con, "events/list", **wanted.params())
        nothing = f"no such events{f' of {cell(app)}' if app else ''}; not certain yet: pwh trend"
        emit(con, found, style, output, lambda: events_text(con, dicts(found)) or nothing)


def annotate(
    con: Connection,
    run_id: str,
    known: Acknowledgement,
    event_id: int | None = None,
    *,
    withdrawn: bool = False,
) -> int:
    """Store what is said of the change at a run, or remove all that was; return the rows removed.

    Raises `UsageError` for a run that is in no history.
    """
    from ingest.acknowledge import acknowledge, withdraw

    if withdrawn:
        return withdraw(con, run_id, event_id)
    if not acknowledge(con, run_id, known, event_id):
        raise UsageError(
            f"{run_id} is in no history: its application or its start is unknown",
            hint="State them with pwh ingest --app --started-at.",
        )
    return 0


def _event(con: Connection, event: int) -> Row:
    """Return the row of an event; raises `NothingToAnalyse` for an unknown number."""
    every = Events((*Events().states, WITHDRAWN), event)
    found = ask_dicts(con, "events/list", **every.params())
    if not found:
        raise NothingToAnalyse(f"there is no event {event}", hint="pwh events lists them.")
    return found[0]


def _states(state: State | None) -> tuple[str, ...]:
    """Return the states that are listed: without a choice those of changes that are there."""
    if state is None:
        return Events().states
    if state == "invalid":
        raise UsageError(
            "an invalid run is in no series, and has no event",
            hint="pwh sql \"FROM acknowledgements WHERE reason = 'invalid run'\" lists them.",
        )
    return OPEN if state == "open" else (state,)


def stored_state(state: State | None, fixed_in: str | None) -> str | None:
    """Return a state as it is stored; raises `UsageError` for what nobody can say."""
    if (state == "fixed") != (fixed_in is not None):
        raise UsageError(
            "fixed and --in belong together", hint="Such as: pwh events 3 --state fixed --in v12"
        )
    if state in _FOUND:
        raise UsageError(
            f"{state} is found, not said",
            hint="One can say: investigating, expected, noise, fixed, invalid, open.",
        )
    return "invalid run" if state == "invalid" else state
