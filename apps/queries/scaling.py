"""Questions about how programs scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from apps.queries.base import ask
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


def scaling_apps(con: DuckDBPyConnection) -> list[str]:
    """Give the applications that have sets of runs."""
    return [app for (app,) in ask(con, "scale_apps").fetchall()]


def scaling_sets(
    con: DuckDBPyConnection,
    app: str = LATEST,
    version: str | None = None,
    machine: str | None = None,
) -> list[ScalingSet]:
    """Give an application's sets of runs (of all applications: `latest`), the newest first."""
    found = ask(con, "scale_sets", app=app, latest=LATEST, version=version, machine=machine)
    return [ScalingSet(*row[:-1]) for row in found.fetchall()]


def scaling_program(
    con: DuckDBPyConnection,
    which: ScalingSet,
    counts: Sequence[int],
    scaling: str,
    problem_size: float | None = None,
) -> DuckDBPyRelation:
    """Give a program's predicted time, speed-up, efficiency and core hours at counts."""
    params = {**which.keys, "counts": list(counts), "scaling": scaling}
    if problem_size is None:
        return ask(con, "scale_program", **params)
    return ask(con, "scale_program_at", **params, smallest=which.smallest, size=float(problem_size))


def scaling_functions(con: DuckDBPyConnection, which: ScalingSet, target: int) -> DuckDBPyRelation:
    """Give functions by their share of the predicted time at a count, the largest first."""
    return ask(con, "scale_functions", **which.keys, target=target, largest=which.largest)


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
