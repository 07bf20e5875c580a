"""How a program scales: the verdict in sentences, and the figures it stands on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from apps import queries
from apps.output import cell, dicts
from warehouse.errors import NothingToAnalyse, UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

FLOOR = 0.5
# Predictions are looked for no further than this many times the largest count.
_REACH = 64
_STEPS = 8
_NAME = 36


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a program: which set of runs, at which counts, of which problem."""

    which: queries.ScalingSet
    counts: tuple[int, ...]
    scaling: str
    problem_size: float | None

    @property
    def target(self) -> int:
        """The count at which functions are ranked."""
        return self.counts[-1]


def chosen(
    con: DuckDBPyConnection, app: str, version: str | None = None, machine: str | None = None
) -> tuple[queries.ScalingSet, list[queries.ScalingSet]]:
    """Give the set of runs that is meant, the newest of several, and the others.

    `app` is an application, one of its runs, or `latest`. Raises `NothingToAnalyse` where there
    is no such set, or none with three different counts.
    """
    found = queries.scaling_sets(con, app, version, machine)
    if not found and app not in queries.scaling_apps(con):
        found = _of_run(con, app, version, machine)
    if not found:
        known = ", ".join(queries.scaling_apps(con)[:8])
        raise NothingToAnalyse(
            f"there are no function times at known counts for {app!r}"
            + (f", version {version!r}" if version else "")
            + (f", machine {machine!r}" if machine else ""),
            hint=f"There are some for: {known}."
            if known
            else "Ingest profiles (TAU, Score-P, Caliper, mpiP, Extra-P ...) of runs at different "
            "counts; --app and --ranks say what a file leaves out.",
        )
    best = next((one for one in found if one.counts >= 3), found[0])
    if best.counts < 3:
        raise NothingToAnalyse(
            f"{_named(best)} was measured at {best.counts} counts",
            hint="A model needs at least three: ingest runs at other counts.",
        )
    return best, [one for one in found if one != best and one.app == best.app]


def _of_run(
    con: DuckDBPyConnection, name: str, version: str | None, machine: str | None
) -> list[queries.ScalingSet]:
    try:
        facts = queries.run_facts(con, queries.run_named(con, name))
    except NothingToAnalyse:
        return []
    if "app" not in facts:
        return []
    return queries.scaling_sets(
        con, facts["app"], version or facts.get("version"), machine or facts.get("machine")
    )


def verdicts_of_run(con: DuckDBPyConnection, run_id: str) -> list[str]:
    """Say how the program of a run scales; nothing where too few counts were measured."""
    facts = queries.run_facts(con, run_id)
    if "app" not in facts:
        return []
    keys = (facts["app"], facts.get("version"), facts.get("machine"))
    found = [
        one
        for one in queries.scaling_sets(con, *keys)
        if one.counts >= 3 and (one.app, one.version, one.machine) == keys
    ]
    return verdicts(con, asked(found[0], [], None, None)) if found else []


def asked(
    which: queries.ScalingSet,
    counts: Sequence[int],
    scaling: str | None,
    problem_size: float | None,
) -> Question:
    """Fill in what the user left open: two, four and eight times the largest count."""
    wanted = tuple(sorted(set(counts))) or tuple(which.largest * k for k in (2, 4, 8))
    if wanted[0] < 1:
        raise UsageError("counts of --at must be 1 or more", hint="Such as --at 512,1024,4096")
    return Question(which, wanted, scaling or which.scaling, problem_size)


def program(con: DuckDBPyConnection, asked_for: Question) -> DuckDBPyRelation:
    """Give the program's predicted time, speed-up, efficiency and core hours."""
    return queries.scaling_program(
        con, asked_for.which, asked_for.counts, asked_for.scaling, asked_for.problem_size
    )


def verdicts(con: DuckDBPyConnection, asked_for: Question) -> list[str]:
    """Say how the program scales, where it ends, and which functions hold it back."""
    which = asked_for.which
    rows = dicts(
        queries.scaling_program(
            con, which, grid(asked_for), asked_for.scaling, asked_for.problem_size
        )
    )
    said = [_basis(asked_for)]
    last = next((row for row in rows if row["parallelism"] == asked_for.target), None)
    if last is None or last["predicted"] is None:
        flags = last["flags"] if last else which.flags
        return [*said, f"No prediction: {'; '.join(flags) or 'there is no model'}."]
    said.append(
        f"At {last['parallelism']} it is predicted to take {_seconds(last['predicted'])} "
        f"({_seconds(last['low'])} to {_seconds(last['high'])}, 90 %): speed-up "
        f"{last['speedup']:.3g}, efficiency {last['efficiency']:.0%}, "
        f"{last['core_hours']:.3g} core hours."
    )
    said += _limits(asked_for, rows)
    said += _holding_back(con, asked_for)
    said += [f"Mind: {flag}." for flag in last["flags"]]
    return said


def _named(which: queries.ScalingSet) -> str:
    parts = [cell(which.app)]
    parts += [f"version {cell(which.version)}"] if which.version else []
    parts += [f"on {cell(which.machine)}"] if which.machine else []
    return " ".join(parts)


def _basis(asked_for: Question) -> str:
    which = asked_for.which
    size = asked_for.problem_size if asked_for.problem_size is not None else which.problem_size
    said = "assumed" if which.assumed and asked_for.scaling == which.scaling else "taken"
    why = "the runs do not say their problem size" if said == "assumed" else "by the problem sizes"
    if asked_for.scaling != which.scaling:
        why = "as asked"
    about = f", problem size {size:g}" if size is not None else ""
    return (
        f"{_named(which)} was measured at {which.counts} counts from {which.smallest} to "
        f"{which.largest}{about}; scaling is {said} as {asked_for.scaling} ({why})."
    )


def _limits(asked_for: Question, every: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say where the program is fastest, and up to where its efficiency holds."""
    reach = asked_for.which.largest * _REACH
    rows = [r for r in every if r["predicted"] is not None and r["parallelism"] <= reach]
    if not rows:
        return []
    said = []
    fastest = min(rows, key=lambda row: row["predicted"])
    if asked_for.scaling == "strong":
        beyond = f"Adding more than about {fastest['parallelism']} makes it slower."
        none = f"Up to {rows[-1]['parallelism']} adding more makes it no slower."
        said.append(none if fastest is rows[-1] else beyond)
    held = [row for row in rows if row["efficiency"] >= FLOOR]
    if not held:
        said.append(f"Its efficiency is over {FLOOR:.0%} nowhere.")
    elif held[-1] is rows[-1]:
        said.append(f"Its efficiency stays over {FLOOR:.0%} up to {rows[-1]['parallelism']}.")
    else:
        said.append(
            f"The largest count with an efficiency over {FLOOR:.0%} is about "
            f"{held[-1]['parallelism']}."
        )
    return said


def grid(asked_for: Question) -> list[int]:
    """Give the counts asked for, and eight to a doubling from the smallest to far beyond."""
    which = asked_for.which
    steps = math.ceil(_STEPS * math.log2(which.largest * _REACH / which.smallest))
    between = {round(which.smallest * 2 ** (step / _STEPS)) for step in range(steps + 1)}
    return sorted(between | {which.largest, *asked_for.counts})


def _holding_back(con: DuckDBPyConnection, asked_for: Question) -> list[str]:
    rows = [
        row
        for row in dicts(queries.scaling_functions(con, asked_for.which, asked_for.target))
        if row["share"] is not None
    ]
    if not rows:
        return []
    first = rows[0]
    said = [
        f"{short(first['function'])} will hold it back most: {first['share']:.0%} of the time at "
        f"{asked_for.target}, {share_text(first['share_measured'])} at {asked_for.which.largest}."
    ]
    growing = max(rows, key=lambda row: row["growth"] or 0)
    if (growing["growth"] or 0) > 0.01 and growing is not first:
        said.append(
            f"The share of {short(growing['function'])} grows fastest: from "
            f"{share_text(growing['share_measured'])} to {growing['share']:.0%}."
        )
    return said


def short(name: str) -> str:
    """Give a function's name, cut to the width that a table has for it."""
    name = cell(name)
    return name if len(name) <= _NAME else f"{name[: _NAME - 3]}..."


def share_text(share: float | None) -> str:
    """Give a share of the time as per cent."""
    return "unknown" if share is None else f"{share:.1%}"


def _seconds(value: float) -> str:
    return f"{value:.3g} s"
