"""Questions about how programs scale."""

from __future__ import annotations

import math
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
        """What identifies the set."""
        return {"app": self.app, "version": self.version, "machine": self.machine}


def scaling_sets(
    con: DuckDBPyConnection,
    app: str = LATEST,
    version: str | None = None,
    machine: str | None = None,
) -> list[ScalingSet]:
    """Return an application's sets of runs (of all applications: `latest`), the newest first."""
    params = {"app": app, "latest": LATEST, "version": version, "machine": machine}
    found = ask(con, "scaling/sets", **params)
    return [ScalingSet(*row[:-1]) for row in found.fetchall()]


def scaling_set_of(con: DuckDBPyConnection, runs: Sequence[str]) -> ScalingSet | None:
    """Return the set that all of some runs belong to; None without one of three counts."""
    found = ask(con, "scaling/of_runs", runs=runs).fetchall()
    if len(found) != 1 or found[0][0] is None:
        return None
    app, version, machine = found[0]
    sets = scaling_sets(con, app, version, machine)
    return next(
        (
            one
            for one in sets
            if one.keys == dict(zip(one.keys, found[0], strict=True)) and one.counts >= 3
        ),
        None,
    )


def scaling_program(
    con: DuckDBPyConnection,
    which: ScalingSet,
    counts: Sequence[int],
    scaling: str,
    problem_size: float | None = None,
) -> DuckDBPyRelation:
    """Return a program's predicted time, speed-up, efficiency and core hours at counts."""
    params = {"counts": counts, "scaling": scaling}
    if problem_size is None:
        return ask(con, "scaling/program", **which.keys, **params)
    at = {"smallest": which.smallest, "size": float(problem_size)}
    return ask(con, "scaling/program_at", **which.keys, **params, **at)


def scaling_functions(
    con: DuckDBPyConnection, which: ScalingSet, target: int, problem_size: float | None = None
) -> DuckDBPyRelation:
    """Return functions by their predicted time at a count, the longest first."""
    at = {"target": target, "largest": which.largest}
    if problem_size is None:
        return ask(con, "scaling/functions", **which.keys, **at)
    return ask(con, "scaling/functions_at", **which.keys, **at, size=float(problem_size))


_POINTS = 32


def counts_between(smallest: int, largest: int) -> list[int]:
    """Return about 32 counts from the smallest to the largest, evenly on a log scale."""
    if largest <= smallest:
        return [smallest]
    step = math.log(largest / smallest) / _POINTS
    return sorted({round(smallest * math.exp(i * step)) for i in range(_POINTS + 1)})
