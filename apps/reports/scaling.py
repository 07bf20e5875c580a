"""How a program scales: the verdict in sentences, and the figures it stands on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from apps.output import Row, cell, dicts, table_text
from apps.queries.base import narrowed
from apps.queries.runs import LATEST, resolve_run, run_facts
from apps.queries.scaling import (
    ScalingSet,
    known_counts,
    scaling_apps,
    scaling_functions,
    scaling_program,
    scaling_sets,
    times_of,
)
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

    which: ScalingSet
    counts: tuple[int, ...]
    scaling: str
    problem_size: float | None

    @property
    def target(self) -> int:
        """The count at which functions are ranked."""
        return self.counts[-1]


def choose_set(
    con: DuckDBPyConnection, app: str, version: str | None = None, machine: str | None = None
) -> tuple[ScalingSet, list[ScalingSet]]:
    """Return the set of runs that is meant, the newest of several, and the others.

    `app` is an application, one of its runs, or `latest`. Raises `NothingToAnalyse` where there
    is no such set, or none with three different counts.
    """
    found = scaling_sets(con, app, version, machine)
    others = found
    if not found and app not in scaling_apps(con):
        others = scaling_sets(con, LATEST)
        found = _of_run(con, app, version, machine, others)
    if not found:
        known = ", ".join(scaling_apps(con)[:8])
        raise NothingToAnalyse(
            f"there are no function times at known counts for {app!r}"
            + (f", version {version!r}" if version else "")
            + (f", machine {machine!r}" if machine else ""),
            hint=f"There are some for: {known}. pwh scale lists all sets of runs."
            if known
            else NO_RUNS,
        )
    best = next((one for one in found if one.counts >= 3), found[0])
    if best.counts < 3:
        raise NothingToAnalyse(
            f"{_named(best)} was measured at {best.counts} counts",
            hint="A model needs at least three: ingest runs at other counts.",
        )
    return best, [one for one in others if one != best and one.app == best.app]


def _of_run(
    con: DuckDBPyConnection,
    name: str,
    version: str | None,
    machine: str | None,
    sets: Sequence[ScalingSet],
) -> list[ScalingSet]:
    """Return the set of a run; another version or machine of its application where named."""
    try:
        facts = run_facts(con, resolve_run(con, name))
    except NothingToAnalyse:
        return []
    keys = (facts.get("app"), version or facts.get("version"), machine or facts.get("machine"))
    return [one for one in sets if (one.app, one.version, one.machine) == keys]


def run_scaling_sentences(con: DuckDBPyConnection, run_id: str) -> list[str]:
    """Say how the program of a run scales; nothing where too few counts were measured."""
    facts = run_facts(con, run_id)
    if "app" not in facts:
        return []
    keys = (facts["app"], facts.get("version"), facts.get("machine"))
    with narrowed(con, known_counts()) as listed:
        found = [
            one
            for one in scaling_sets(listed, *keys)
            if one.counts >= 3 and (one.app, one.version, one.machine) == keys
        ]
    if not found:
        return []
    asked_for = complete_question(found[0], [], None, None)
    with narrowed(con, times_of(asked_for.which)) as of_set:
        rows = dicts(predict_grid(of_set, asked_for))
        ranking = dicts(scaling_functions(of_set, asked_for.which, asked_for.target))
    return scaling_sentences(asked_for, rows, ranking)


def complete_question(
    which: ScalingSet,
    counts: Sequence[int],
    scaling: str | None,
    problem_size: float | None,
) -> Question:
    """Fill in what the user left open: two, four and eight times the largest count."""
    wanted = tuple(sorted(set(counts))) or tuple(which.largest * k for k in (2, 4, 8))
    if wanted[0] < 1:
        raise UsageError("counts of --at must be 1 or more", hint="Such as --at 512,1024,4096")
    return Question(which, wanted, scaling or which.scaling, problem_size)


def predict_program(con: DuckDBPyConnection, asked_for: Question) -> DuckDBPyRelation:
    """Return the program's predicted time, speed-up, efficiency and core hours."""
    return scaling_program(
        con, asked_for.which, asked_for.counts, asked_for.scaling, asked_for.problem_size
    )


def predict_grid(con: DuckDBPyConnection, asked_for: Question) -> DuckDBPyRelation:
    """Return the program's predicted time at the counts of `count_grid`."""
    counts = count_grid(asked_for)
    return scaling_program(con, asked_for.which, counts, asked_for.scaling, asked_for.problem_size)


def scaling_sentences(
    asked_for: Question, rows: Sequence[Row], ranking: Sequence[Row]
) -> list[str]:
    """Return how the program scales, where that ends, and which functions hold it back.

    `rows` are those of `predict_grid`, `ranking` those of `scaling_functions` at the target.
    """
    which = asked_for.which
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
    said += _holding_back(asked_for, ranking)
    said += [f"Mind: {flag}." for flag in last["flags"]]
    return said


def _named(which: ScalingSet) -> str:
    parts = [UNNAMED if which.app is None else cell(which.app)]
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


def count_grid(asked_for: Question) -> list[int]:
    """Return the counts asked for, and eight to a doubling from the smallest to far beyond."""
    which = asked_for.which
    steps = math.ceil(_STEPS * math.log2(which.largest * _REACH / which.smallest))
    between = {round(which.smallest * 2 ** (step / _STEPS)) for step in range(steps + 1)}
    return sorted(between | {which.largest, *asked_for.counts})


def _holding_back(asked_for: Question, ranking: Sequence[Row]) -> list[str]:
    rows = [row for row in ranking if row["share"] is not None]
    if not rows:
        return []
    first = rows[0]
    said = [
        f"{short_name(first['function'])} will hold it back most: {first['share']:.0%} of the time at "
        f"{asked_for.target}, {share_text(first['share_measured'])} at {asked_for.which.largest}."
    ]
    growing = max(rows, key=lambda row: row["growth"] or 0)
    if (growing["growth"] or 0) > 0.01 and growing is not first:
        said.append(
            f"The share of {short_name(growing['function'])} grows fastest: from "
            f"{share_text(growing['share_measured'])} to {growing['share']:.0%}."
        )
    return said


def short_name(name: str) -> str:
    """Return a function's name, cut to the width that a table has for it."""
    name = cell(name)
    return name if len(name) <= _NAME else f"{name[: _NAME - 3]}..."


def share_text(share: float | None) -> str:
    """Return a share of the time as per cent."""
    return "unknown" if share is None else f"{share:.1%}"


def _seconds(value: float) -> str:
    return f"{value:.3g} s"


_SHOWN = 10
RANKED = ("function", "seconds", "interval", "share", "measured", "flags")
SETS = ("application", "version", "machine", "scaling", "counts", "functions", "runs", "newest run")
# How runs without an application name are listed; they are chosen by one of their runs.
UNNAMED = "(no application)"
NO_RUNS = (
    "Ingest profiles (TAU, Score-P, Caliper, mpiP, Extra-P ...) of runs at different "
    "counts; --app and --ranks say what a file leaves out."
)
PROGRAM = ("parallelism", "seconds", "interval", "speed-up", "efficiency", "core hours")


def set_lines(rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    """Return the lines of the table SETS from the rows of `scaling_contents`."""
    return [
        (
            UNNAMED if row["app"] is None else row["app"],
            row["version"],
            row["machine"],
            row["scaling"],
            f"{row['counts']} ({row['smallest']} to {row['largest']})",
            row["functions"],
            row["runs"],
            row["newest_run"],
        )
        for row in rows
    ]


def ranking_lines(rows: Sequence[Row]) -> tuple[list[Any], list[Any]]:
    """Return the ten functions with the largest share at the target, and the ten growing fastest.

    `rows` are those of `scaling_functions`. Each line is (function, predicted s, interval, share,
    share at the largest count, flags).
    """
    told = [row for row in rows if row["share"] is not None]
    growing = sorted(
        (row for row in told if (row["growth"] or 0) > 0.001),
        key=lambda row: -(row["growth"] or 0),
    )
    return [_ranked_line(row) for row in told[:_SHOWN]], [
        _ranked_line(row) for row in growing[:_SHOWN]
    ]


def _ranked_line(row: dict[str, Any]) -> tuple[Any, ...]:
    return (
        short_name(row["function"]),
        *_figures(row),
        f"{row['share']:.1%}",
        share_text(row["share_measured"]),
        _flag(row["flags"]),
    )


def program_lines(rows: Sequence[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return the rows of `program` with as many digits as they are good for."""
    return [
        (row["parallelism"], None, None, None, None, None)
        if row["predicted"] is None
        else (
            row["parallelism"],
            *_figures(row),
            f"{row['speedup']:.3g}",
            f"{row['efficiency']:.1%}",
            float(f"{row['core_hours']:.3g}"),
        )
        for row in rows
    ]


def _figures(row: dict[str, Any]) -> tuple[float, str]:
    """Return the predicted seconds and their interval, to three digits."""
    low, high = (cell(float(f"{row[name]:.3g}")) for name in ("low", "high"))
    return float(f"{row['predicted']:.3g}"), f"{low} - {high}"


def _flag(flags: list[str] | None) -> str | None:
    """Return the first word of each flag that is about the function, so that a row fits its line."""
    about = [flag.split(":")[0] for flag in flags or [] if not flag.startswith("scaling assumed")]
    return ", ".join(dict.fromkeys(about)) or None


_COMPARED_SHOWN = 20
_COMPARED_COLUMNS = ("function", "exponent before", "after", "verdict", "share before", "after ")


def compared_text(before: ScalingSet, after: ScalingSet, rows: DuckDBPyRelation, at: int) -> str:
    """Say which functions scale worse in the later version, with their shares at a count."""
    found = dicts(rows)
    by_verdict: dict[str, list[dict[str, Any]]] = {}
    for row in found:
        by_verdict.setdefault(row["verdict"], []).append(row)
    title = f"{cell(before.app)}: {cell(before.version)} to {cell(after.version)}"
    said = [_worse(by_verdict.get("worse", []), at)]
    for verdict, words in (
        ("better", "scale better"),
        ("new", "are new"),
        ("gone", "are gone"),
        ("unknown", "have no model in one of the versions"),
    ):
        if names := [cell(row["function"]) for row in by_verdict.get(verdict, [])]:
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            said.append(f"{len(names)} {words}: {', '.join(names[:3])}{more}.")
    if before.counts != after.counts or before.largest != after.largest:
        said.append(
            f"The versions were measured differently: {before.counts} counts up to "
            f"{before.largest}, {after.counts} up to {after.largest}."
        )
    table = table_text(_COMPARED_COLUMNS, [_compared_line(row) for row in found[:_COMPARED_SHOWN]])
    return "\n".join([title, "", *(f"* {line}" for line in said), "", table])


def _worse(rows: list[dict[str, Any]], at: int) -> str:
    if not rows:
        return "No function's exponent got worse beyond its interval."
    first = rows[0]
    name = cell(first["function"])
    share = first["share_after"]
    about = f", {share:.1%} of the time at {at}" if share is not None else ""
    return (
        f"{len(rows)} got worse beyond their intervals. Most time is in {name}: its exponent went "
        f"from {first['exponent_before']:.2f} to {first['exponent_after']:.2f}{about}."
    )


def _compared_line(row: dict[str, Any]) -> tuple[Any, ...]:
    def figure(value: float | None, style: str) -> str | None:
        return None if value is None else format(value, style)

    return (
        cell(row["function"]),
        figure(row["exponent_before"], "+.2f"),
        figure(row["exponent_after"], "+.2f"),
        row["verdict"],
        figure(row["share_before"], ".1%"),
        figure(row["share_after"], ".1%"),
    )


# Slopes this near to 0 or -1 are called by their name.
_NEAR = 0.1


def growth(row: Row) -> str:
    """Say how a function's time changes beyond the largest count, with its 90 % interval.

    `row` has exponent, exponent_low, exponent_high (slope in logarithms), and flags.
    """
    exponent, low, high = (row[f"exponent{end}"] for end in ("", "_low", "_high"))
    if exponent is None:
        why = next((flag for flag in row["flags"] or [] if "no model" in flag), None)
        return f"unknown: {cell(why, None)}" if why else "unknown"
    if low is None or high is None:
        return f"{_slope(exponent)} (p^{exponent:.2f})"
    said = f"{_slope(exponent)} (p^{exponent:.2f}, 90 %: {low:.2f} to {high:.2f})"
    return f"{said}; it may fall or grow" if low < -_NEAR and high > _NEAR else said


def _slope(exponent: float) -> str:
    if abs(exponent) < _NEAR:
        return "stays about the same"
    if exponent > 0:
        return "grows"
    return "falls in proportion" if abs(exponent + 1) < _NEAR else "falls"
