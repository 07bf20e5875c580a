"""Questions about how programs scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from apps.queries.base import MOST_HELD, ask, hold
from apps.queries.runs import LATEST

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


@dataclass(frozen=True, slots=True)
class ScalingSet:
    """Runs that are modelled together: of one application, version and machine."""

    app: str | None
    version: str | None
    machine: str | None
    scaling: str
    assumed: bool
    problem_size: float | None
    problem_sizes: int
    crossed: bool
    counts: int
    smallest: int
    largest: int
    flags: list[str]

    @property
    def keys(self) -> dict[str, Any]:
        """What tells the set from others."""
        return {"app": self.app, "version": self.version, "machine": self.machine}


def of_set(con: DuckDBPyConnection, which: ScalingSet) -> dict[str, Any]:
    """Give the parameters of a question about one set of runs: its keys, and what is held of it."""
    views = {"scaling_sets": "hold_scaling_sets", "scaling_series": "hold_scaling_series"}
    of = hold(con, {"fn_timings": "hold_set"}, most=MOST_HELD, **which.keys)
    return {**which.keys, "of": of and hold(con, views, of=of)}


def scaling_apps(con: DuckDBPyConnection) -> list[str]:
    """Give the applications with function times at known counts."""
    return [app for (app,) in ask(con, "scale_apps", of=_of_counts(con)).fetchall()]


def scaling_sets(
    con: DuckDBPyConnection,
    app: str = LATEST,
    version: str | None = None,
    machine: str | None = None,
) -> list[ScalingSet]:
    """Give an application's sets of runs (of all applications: `latest`), the newest first."""
    asked = {"app": app, "latest": LATEST, "version": version, "machine": machine}
    found = ask(con, "scale_sets", of=_of_counts(con), **asked)
    return [ScalingSet(*row[:-1]) for row in found.fetchall()]


def _of_counts(con: DuckDBPyConnection) -> str:
    return hold(con, {"fn_timings": "hold_counts"})


def scaling_program(
    con: DuckDBPyConnection,
    which: ScalingSet,
    counts: Sequence[int],
    scaling: str,
    problem_size: float | None = None,
) -> DuckDBPyRelation:
    """Give a program's predicted time, speed-up, efficiency and core hours at counts."""
    params = {"counts": list(counts), "scaling": scaling}
    if problem_size is None:
        return ask(con, "scale_program", **of_set(con, which), **params)
    at = {"smallest": which.smallest, "size": float(problem_size)}
    return ask(con, "scale_program_at", **which.keys, **params, **at)


def scaling_functions(con: DuckDBPyConnection, which: ScalingSet, target: int) -> DuckDBPyRelation:
    """Give functions by their share of the predicted time at a count, the largest first."""
    at = {"target": target, "largest": which.largest}
    return ask(con, "scale_functions", **of_set(con, which), **at)


def scaling_comparison(
    con: DuckDBPyConnection, before: ScalingSet, after: ScalingSet, at: int
) -> DuckDBPyRelation:
    """Give functions of two versions and whose exponent got worse, those first."""
    return ask(
        con,
        "scale_compare",
        app=before.app,
        machine=before.machine,
        before=before.version,
        after=after.version,
        at=at,
    )
