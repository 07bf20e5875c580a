"""Questions about runs, files, tables, and the rows of one run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from apps.queries.base import Question, ask
from warehouse.errors import NothingToAnalyse, UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

LATEST = "latest"


def list_runs(con: DuckDBPyConnection, app: str | None = None) -> DuckDBPyRelation:
    """Return all runs, or one application's, the latest first."""
    return ask(con, "runs/list", app=app)


def list_sources(con: DuckDBPyConnection, run_id: str | None = None) -> DuckDBPyRelation:
    """Return all ingested files, or those of one run, the latest first."""
    return ask(con, "runs/sources", run_id=run_id)


def resolve_run(con: DuckDBPyConnection, name: str) -> str:
    """Return the id of a run: `name` itself, the only id that begins with it, or `latest`.

    Raises `NothingToAnalyse` where there is no such run, `UsageError` where there are several.
    """
    found = [run_id for (run_id,) in ask(con, "runs/like", name=name, latest=LATEST).fetchall()]
    if name in found or len(found) == 1:
        return name if name in found else str(found[0])
    if found:
        shown = ", ".join(found[:5]) + (" ..." if len(found) > 5 else "")
        raise UsageError(f"{len(found)} runs begin with {name!r}: {shown}")
    if name == LATEST:
        raise NothingToAnalyse(
            "the warehouse has no runs",
            hint="Ingest some: pwh ingest FILES. For examples: pwh --db demo.duckdb demo",
        )
    raise NothingToAnalyse(
        f"there is no run {name!r}", hint="pwh runs lists them; `latest` is the newest."
    )


def row_counts(con: DuckDBPyConnection, run_id: str) -> dict[str, int]:
    """Return the number of rows that each landing table has of a run, empty ones left out."""
    return dict(ask(con, "runs/rows", run_id=run_id).fetchall())


def run_metrics(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return every scalar of a run."""
    return ask(con, "runs/metrics", run_id=run_id)


def resolve_forgettable(con: DuckDBPyConnection, name: str) -> tuple[str, list[str]]:
    """Return the run or sources of that name: ("run", [id]) or ("source", ids).

    Raises `NothingToAnalyse` where there are none.
    """
    from ingest.compressed import path_text

    path = path_text(Path(name).resolve())
    # The id of a run as it is, except bytes of the command line that are no UTF-8.
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    found = ask(con, "runs/forgettable", name=text, path=path).fetchall()
    if not found:
        raise NothingToAnalyse(
            f"there is no run or source {name!r}", hint="pwh runs and pwh sources list them."
        )
    kind = found[0][0]
    return kind, [what for found_kind, what in found if found_kind == kind]


def run_facts(con: DuckDBPyConnection, run_id: str) -> dict[str, Any]:
    """Return what is known of a run, by name; unknown facts are left out."""
    relation = ask(con, "runs/facts", run_id=run_id)
    values = relation.fetchone() or ()
    facts = dict(zip(relation.columns, values, strict=True))
    return {name: value for name, value in facts.items() if value not in (None, {})}


def run_counters(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return a run's events, the largest first."""
    return ask(con, "runs/counters", run_id=run_id)


def run_is_profile(con: DuckDBPyConnection, run_id: str) -> bool:
    """Return whether the counters of a run are what functions cost in a profile."""
    row = ask(con, "runs/is_profile", run_id=run_id).fetchone()
    return bool(row and row[0])


def run_benchmarks(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return a run's results of benchmarks, means over repetitions, in the order of the file."""
    return ask(con, "runs/benchmarks", run_id=run_id)


def run_functions(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return a run's functions, those with the largest share first."""
    return ask(con, "runs/functions", run_id=run_id)


def run_costs(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return what a run's functions cost in a profile of events, the largest share first."""
    return ask(con, "runs/costs", run_id=run_id)


def run_workers(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return a run's workers."""
    return ask(con, "runs/workers", run_id=run_id)


def run_idle_intervals(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the idle intervals of a run's workers, the longest first."""
    return ask(con, "runs/idle", run_id=run_id)


def run_launches(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return a run's kernel launches."""
    return ask(con, "runs/launches", run_id=run_id)


def run_segments(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return a run's instruction streams, one row a thread."""
    return ask(con, "runs/segments", run_id=run_id)


def runs_worth_a_look(con: DuckDBPyConnection, number: int) -> DuckDBPyRelation:
    """Return the runs that landed last, those with the most kinds of trace first."""
    return ask(con, "runs/worth_a_look", number=number)


def run_choices(con: DuckDBPyConnection, app: str | None) -> DuckDBPyRelation:
    """Return the applications, and of one of them the versions, machines and tags of its runs."""
    return ask(con, "runs/choices", app=app)


def run_list(
    app: str | None,
    version: str | None,
    machine: str | None,
    tag: str | None,
    text: str | None,
) -> Question:
    """Return the question for the runs that match, the latest first; None is any."""
    given = {"app": app, "version": version, "machine": machine, "tag": tag, "text": text}
    return Question("runs/page", given)
