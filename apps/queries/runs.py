"""Questions about runs, files, tables, and the rows of one run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from apps.queries.base import ask
from warehouse.errors import NothingToAnalyse, UsageError
from warehouse.session import Connection

LATEST = "latest"
EVENT = "event:"


def resolve_runs(con: Connection, name: str, app: str | None = None) -> list[str]:
    """Return the runs that a name stands for, the newest first.

    A name is the id of a run or its beginning, `latest` (the newest that landed last), APP@VERSION,
    APP@BRANCH (one beside the default branch), APP@latest or APP (both the version of the
    application's newest run). With `app` it is a version of that application, a branch, or one of
    its runs.

    Raises `NothingToAnalyse` if there is none, `UsageError` where several ids begin with it.
    """
    return _resolved(con, name, app)[0]


def resolve_side(con: Connection, name: str, app: str | None = None) -> list[str]:
    """Return `resolve_runs` for what must not be another run: a judgement, or its removal.

    Raises `NothingToAnalyse` where that is unknown of `latest` or an application.
    """
    found, is_tied = _resolved(con, name, app)
    if is_tied:
        raise newest_unknown(name)
    return found


def newest_unknown(name: str) -> NothingToAnalyse:
    """Return the error for runs of which any may be the newest."""
    return NothingToAnalyse(
        f"{name}: which run is the newest is unknown, as several landed from one file, with the "
        "same start or none",
        hint="State the start of each in a column started_at, and land the file with --replace, or "
        "land a file after each run; or name a run or a version.",
    )


def _resolved(con: Connection, name: str, app: str | None) -> tuple[list[str], bool]:
    """Return the runs, and whether others may be as new."""
    own = con.execute("SELECT app FROM runs WHERE run_id = $1", [name]).fetchone()
    if own is not None and app in (None, own[0]):
        return [name], False
    rows = ask(con, "runs/named", name=name, app=app, latest=LATEST).fetchall()
    found = [str(run_id) for _, run_id, _ in rows]
    if not found:
        raise _unknown(con, name, app)
    if rows[0][0] == "beginning" and len(found) > 1:
        shown = ", ".join(sorted(found)[:5]) + (" ..." if len(found) > 5 else "")
        raise UsageError(f"{len(found)} runs begin with {name!r}: {shown}")
    return found, rows[0][2]


def resolve_run(con: Connection, name: str) -> str:
    """Return the run that a name stands for, the newest where that is several (`resolve_runs`)."""
    return resolve_runs(con, name)[0]


def resolve_change(con: Connection, name: str) -> tuple[str, int | None]:
    """Return the first run of a change: the run of that name, or of event:ID, with that id."""
    number = name.removeprefix(EVENT)
    if number == name:
        return resolve_run(con, name), None
    is_id = number.isascii() and number.isdigit() and len(number) < 19
    found = ask(con, "trend/event", event_id=int(number)).fetchone() if is_id else None
    if found is None:
        raise NothingToAnalyse(
            f"there is no event {number!r}", hint="pwh trend APP lists those of an application."
        )
    return str(found[0]), int(number)


def resolve_app(con: Connection, name: str) -> str:
    """Return the application of that name, or that of the run that a name stands for.

    Raises `NothingToAnalyse` if there is none, or the application of the run is unknown.
    """
    if any(app == name for app, *_ in ask(con, "runs/apps").fetchall()):
        return name
    try:
        run_id = resolve_run(con, name)
    except NothingToAnalyse as unknown:
        if name == LATEST:
            raise
        raise NothingToAnalyse(f"there are no runs of {name!r}", hint=unknown.hint) from None
    app = run_facts(con, run_id).get("app")
    if app is None:
        raise NothingToAnalyse(
            f"the application of {run_id} is unknown", hint="State it with pwh ingest --app."
        )
    return str(app)


def _unknown(con: Connection, name: str, app: str | None) -> NothingToAnalyse:
    """Return the error for a name that stands for no run, with those that are nearly like it."""
    if app is not None:
        return NothingToAnalyse(
            f"{app} has no version and no run {name!r}", hint=f"pwh runs --app {app} lists them."
        )
    if name == LATEST:
        return NothingToAnalyse(
            "the warehouse has no runs",
            hint="Ingest some: pwh ingest FILES, or pwh record -- COMMAND. For examples: "
            "pwh --db demo.duckdb demo",
        )
    near = [str(one) for (one,) in ask(con, "runs/near", name=name).fetchall()]
    similar = f"Near it: {', '.join(near)}. " if near else ""
    return NothingToAnalyse(
        f"there is no run {name!r}, and no APP or APP@VERSION of that name",
        hint=f"{similar}pwh runs lists them; `{LATEST}` is the one that landed last.",
    )


def row_counts(con: Connection, run_id: str) -> dict[str, int]:
    """Return the number of rows that each landing table has of a run, empty ones left out."""
    return rows_by_run(con, [run_id])[run_id]


def rows_by_run(con: Connection, run_ids: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return `row_counts` of several runs.

    The numbers are kept with the scalars; of runs without any, rows are counted.
    """
    found: dict[str, dict[str, int]] = dict(ask(con, "runs/kept_rows", runs=run_ids).fetchall())
    if others := [run_id for run_id in run_ids if run_id not in found]:
        found |= {run_id: {} for run_id in others}
        for run_id, table, rows in ask(con, "runs/rows", runs=others).fetchall():
            found[run_id][table] = rows
    return found


def resolve_forgettable(con: Connection, name: str) -> tuple[str, list[str]]:
    """Return the runs or sources of that name: ("run", ids) or ("source", ids).

    Raises `NothingToAnalyse` where there are none, `UsageError` for the name of an application.
    """
    from ingest.compressed import path_text

    path = path_text(Path(name).resolve())
    # The id of a run as it is, except bytes of the command line that are no UTF-8.
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    found = ask(con, "runs/forgettable", name=text, path=path).fetchall()
    if found:
        kind = found[0][0]
        return kind, [what for found_kind, what in found if found_kind == kind]
    if any(app == name for app, *_ in ask(con, "runs/apps").fetchall()):
        raise UsageError(
            f"{name!r} is an application", hint=f"Name a version ({name}@VERSION) or a run."
        )
    return "run", resolve_side(con, text)


def run_facts(con: Connection, run_id: str) -> dict[str, Any]:
    """Return what is known of a run, by name; unknown facts are left out."""
    relation = ask(con, "runs/facts", run_id=run_id)
    values = relation.fetchone() or ()
    facts = dict(zip(relation.columns, values, strict=True))
    return {name: value for name, value in facts.items() if value not in (None, {})}
