"""Questions about how programs scale."""

from __future__ import annotations

import json
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


def scaling_apps(con: DuckDBPyConnection) -> list[str]:
    """Return the applications with function times at known counts."""
    return [app for (app,) in ask(con, "scaling/apps").fetchall()]


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


def known_wall_times(con: DuckDBPyConnection, app: str | None) -> DuckDBPyRelation:
    """Return how many runs of an application have only wall times, of None that with most of them.

    One row or none: app, runs, counted_by (ranks, threads or nodes), uncounted.
    """
    return ask(con, "scaling/wall_times", app=app)


def scaling_set_of(con: DuckDBPyConnection, runs: Sequence[str]) -> ScalingSet | None:
    """Return the set that all of some runs belong to; None without one of three counts."""
    found = ask(con, "scaling/of_runs", runs=json.dumps(list(runs))).fetchall()
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


def scaling_contents(con: DuckDBPyConnection) -> DuckDBPyRelation:
    """Return all sets of runs with their counts, functions, runs and newest run."""
    return ask(con, "scaling/contents", every=True, app=None)


def scaling_contents_of(con: DuckDBPyConnection, app: str | None) -> DuckDBPyRelation:
    """Return the same for the sets of an application, or for those without one."""
    return ask(con, "scaling/contents", every=False, app=app)


def scaling_program(
    con: DuckDBPyConnection,
    which: ScalingSet,
    counts: Sequence[int],
    scaling: str,
    problem_size: float | None = None,
) -> DuckDBPyRelation:
    """Return a program's predicted time, speed-up, efficiency and core hours at counts."""
    params = {"counts": list(counts), "scaling": scaling}
    if problem_size is None:
        return ask(con, "scaling/program", **which.keys, **params)
    at = {"smallest": which.smallest, "size": float(problem_size)}
    return ask(con, "scaling/program_at", **which.keys, **params, **at)


def measured_counts(con: DuckDBPyConnection, which: ScalingSet) -> list[int]:
    """Return the counts at which a program was measured, ascending."""
    return [count for (count,) in ask(con, "scaling/program_counts", **which.keys).fetchall()]


def scaling_turning(con: DuckDBPyConnection, which: ScalingSet) -> DuckDBPyRelation:
    """Return between which counts a program is fastest: one row."""
    return ask(con, "scaling/turning", **which.keys)


def scaling_functions(
    con: DuckDBPyConnection, which: ScalingSet, target: int, problem_size: float | None = None
) -> DuckDBPyRelation:
    """Return functions by their predicted time at a count, the longest first."""
    at = {"target": target, "largest": which.largest}
    if problem_size is None:
        return ask(con, "scaling/functions", **which.keys, **at)
    return ask(con, "scaling/functions_at", **which.keys, **at, size=float(problem_size))


def scaling_comparison(
    con: DuckDBPyConnection, before: ScalingSet, after: ScalingSet, at: int
) -> DuckDBPyRelation:
    """Return functions of two versions, those whose exponent got worse first."""
    return ask(con, "scaling/comparison", **_versions(before, after), at=at)


def _versions(before: ScalingSet, after: ScalingSet) -> dict[str, str | None]:
    of_both = {"app": before.app, "machine": before.machine}
    return {**of_both, "before": before.version, "after": after.version}


_POINTS = 32


def counts_between(smallest: int, largest: int) -> list[int]:
    """Return about 32 counts from the smallest to the largest, evenly on a log scale."""
    if largest <= smallest:
        return [smallest]
    step = math.log(largest / smallest) / _POINTS
    return sorted({round(smallest * math.exp(i * step)) for i in range(_POINTS + 1)})


def scaling_measured(con: DuckDBPyConnection, which: ScalingSet) -> DuckDBPyRelation:
    """Return measured times by count, of functions and of the program (function NULL), s."""
    return ask(con, "scaling/measured", **which.keys)


def scaling_fitted(
    con: DuckDBPyConnection, which: ScalingSet, functions: Sequence[str], counts: Sequence[int]
) -> DuckDBPyRelation:
    """Return predicted times of functions at counts with their 90 % intervals, s."""
    params = {"functions": json.dumps(list(functions)), "counts": list(counts)}
    return ask(con, "scaling/fitted", **which.keys, **params)


def scaling_models_of(con: DuckDBPyConnection, which: ScalingSet) -> DuckDBPyRelation:
    """Return the models of a set's functions: exponent with its interval, formula, flags."""
    return ask(con, "scaling/models", **which.keys)
