"""Questions about how programs scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from apps.queries.base import ask, ask_column
from apps.queries.runs import LATEST
from warehouse.session import Connection, Relation


@dataclass(frozen=True, slots=True)
class ScalingSet:
    """Runs that are modelled together: of one application, version and machine."""

    set_id: int
    app: str | None
    version: str | None
    machine: str | None
    parameter: str
    kind: str
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
    def is_modelled(self) -> bool:
        """Whether it has the three counts that a model needs."""
        return self.counts >= 3


def scaling_sets(
    con: Connection,
    app: str = LATEST,
    version: str | None = None,
    machine: str | None = None,
    set_id: int | None = None,
) -> list[ScalingSet]:
    """Return an application's sets of runs (of all applications: `latest`), the newest first."""
    params = {"app": app, "latest": LATEST, "version": version, "machine": machine}
    found = ask(con, "scaling/sets", **params, set_id=set_id)
    return [ScalingSet(*row[:-1]) for row in found.fetchall()]


def scaling_set_of(con: Connection, runs: Sequence[str]) -> ScalingSet | None:
    """Return the set that all of some runs belong to; None without one of three counts."""
    found = ask_column(con, "scaling/of_runs", runs=runs)
    if len(found) != 1 or found[0] is None:
        return None
    return next((one for one in scaling_sets(con, set_id=found[0]) if one.is_modelled), None)


def scaling_program(
    con: Connection,
    which: ScalingSet,
    counts: Sequence[int],
    scaling: str | None = None,
    kind: str | None = None,
    problem_size: float | None = None,
) -> Relation:
    """Return a program's predicted time, speed-up, efficiency and core hours at counts."""
    params = {"counts": counts, "scaling": scaling, "kind": kind}
    if problem_size is None:
        return ask(con, "scaling/program", set_id=which.set_id, **params)
    at = {"smallest": which.smallest, "size": float(problem_size)}
    return ask(con, "scaling/program_at", set_id=which.set_id, **params, **at)


def scaling_functions(
    con: Connection, which: ScalingSet, target: int, problem_size: float | None = None
) -> Relation:
    """Return functions by their predicted time at a count, the longest first."""
    at = {"target": target, "largest": which.largest, "size": problem_size}
    return ask(con, "scaling/functions", set_id=which.set_id, **at)


_POINTS = 32


def counts_between(smallest: int, largest: int) -> list[int]:
    """Return about 32 counts from the smallest to the largest, evenly on a log scale."""
    if largest <= smallest:
        return [smallest]
    step = math.log(largest / smallest) / _POINTS
    return sorted({round(smallest * math.exp(i * step)) for i in range(_POINTS + 1)})
