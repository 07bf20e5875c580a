"""How a program scales: the verdict in sentences, and the figures behind it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from apps.output import (
    Row,
    amount,
    cell,
    counted,
    dicts,
    percent,
    table_text,
    three_digits,
)
from apps.queries.base import narrowed
from apps.queries.runs import LATEST, resolve_run, run_facts
from apps.queries.scaling import (
    ScalingSet,
    known_counts,
    measured_counts,
    scaling_apps,
    scaling_functions,
    scaling_program,
    scaling_sets,
    scaling_turning,
    times_of,
)
from warehouse.errors import NothingToAnalyse, UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

RANKED = ("function", "seconds", "interval", "share", "measured", "flags")
SETS = ("application", "version", "machine", "scaling", "counts", "functions", "runs", "newest run")
# How runs without an application name are listed; they are chosen by one of their runs.
UNNAMED = "(no application)"
NO_RUNS = (
    "Ingest profiles (TAU, Score-P, Caliper, mpiP, Extra-P ...) of runs at different counts, or a "
    "CSV with the columns app, ranks and wall_seconds; --app and --ranks state what a file leaves "
    "out. An Extra-P file without METRIC lands as counters: add the line METRIC time before its "
    "data, and ingest it again."
)
PROGRAM = ("parallelism", "seconds", "interval", "speed-up", "efficiency", "core hours")
_SUM = "sum of rank means"
# What a program's time is, by program_times.basis.
_BASES = {
    "wall time": "wall time",
    "slowest rank": "that of the slowest rank, its functions added up",
    _SUM: "the sum of rank means (of each function the mean over ranks), which is "
    "cost rather than time",
}
_VERSIONS = ("function", "exponent before", "after", "verdict", "share before", "after ")
# Functions that take less of the program's time in the mean over ranks do not tell what limits it.
_MOST = 0.8
# Flags under which a time beyond the measured counts is a guess.
_GUESSED = ("not extrapolatable", "poor fit")
# An efficiency below this is not worth its cores.
FLOOR = 0.5
# Predictions are searched up to this many times the largest count.
_REACH = 64
# Predicted counts of an octave; between them times are nearly straight lines in logarithms.
_STEPS = 2
# Times over the shortest one that are equal to it.
_EQUAL = 1 + 1e-6
_RANKED_LINES = 10
_REASONS = 3
_VERSION_LINES = 20
_NAME = 36
# Slopes this near to 0 or -1 are called by their name.
_NEAR = 0.1


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a program: which set of runs, at which counts, of which problem size."""

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
    """Return the named set of runs, the newest of several, and the others.

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
            f"{_set_name(best)} was measured at {counted(best.counts, 'count')}",
            hint="A model needs at least three counts: ingest runs at others.",
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
    """Return how the program of a run scales; nothing where too few counts were measured."""
    facts = run_facts(con, run_id)
    if "app" not in facts:
        return []
    keys: dict[str, Any] = {name: facts.get(name) for name in ("app", "version", "machine")}
    with narrowed(con, known_counts(keys)) as listed:
        found = [
            one for one in scaling_sets(listed, **keys) if one.counts >= 3 and one.keys == keys
        ]
    if not found:
        return []
    question = complete_question(found[0], [], None, None)
    with narrowed(con, times_of(question.which)) as of_set:
        rows = dicts(predict_grid(of_set, question))
        ranking = dicts(scaling_functions(of_set, question.which, question.target))
        turning = dicts(scaling_turning(of_set, question.which))
    return scaling_sentences(question, rows, ranking, turning)


def complete_question(
    which: ScalingSet,
    counts: Sequence[int],
    scaling: str | None,
    problem_size: float | None,
) -> Question:
    """Return the question with defaults filled in: 2, 4 and 8 times the largest count."""
    targets = tuple(sorted(set(counts))) or tuple(which.largest * k for k in (2, 4, 8))
    if targets[0] < 1:
        raise UsageError("counts of --at must be 1 or more", hint="Such as --at 512,1024,4096")
    return Question(which, targets, scaling or which.scaling, problem_size)


def predict_program(con: DuckDBPyConnection, question: Question) -> DuckDBPyRelation:
    """Return the program's predicted time, speed-up, efficiency and core hours."""
    return scaling_program(
        con, question.which, question.counts, question.scaling, question.problem_size
    )


def predict_grid(con: DuckDBPyConnection, question: Question) -> DuckDBPyRelation:
    """Return the program's predicted time at measured counts and those of `count_grid`."""
    counts = sorted({*count_grid(question), *measured_counts(con, question.which)})
    return scaling_program(con, question.which, counts, question.scaling, question.problem_size)


def scaling_sentences(
    question: Question, rows: Sequence[Row], ranking: Sequence[Row], turning: Sequence[Row]
) -> list[str]:
    """Return how the program scales, up to which count, and which functions limit it.

    `rows` are those of `predict_grid`, `ranking` those of `scaling_functions` at the target,
    `turning` those of `scaling_turning`.
    """
    sentences = [_basis(question)]
    last = next((row for row in rows if row["parallelism"] == question.target), None)
    if last is None or last["predicted"] is None:
        flags = last["flags"] if last else _reasons(ranking)
        return [*sentences, f"No prediction: {'; '.join(flags) or 'there is no model'}."]
    sentences.append(f"{_time_at(question, last)} Time is {_BASES[last['basis']]}.")
    sentences += _limits(question, rows, turning)
    sentences += _limiting_functions(question, ranking, last)
    sentences += [f"Note: {flag}." for flag in last["flags"]]
    then = next((row for row in rows if row["parallelism"] == question.which.largest), None)
    return sentences + _disagreement(last, then, ranking)


def _time_at(question: Question, last: Row) -> str:
    """Return what the program takes at the target; a guess is no prediction."""
    seconds = amount(last["predicted"], "s")
    band = f"{amount(last['low'], 's')} to {amount(last['high'], 's')}"
    is_guess = any(flag.startswith(_GUESSED) for flag in last["flags"])
    if is_guess and last["parallelism"] > question.which.largest:
        return (
            f"What it takes at {last['parallelism']} does not follow from the measured times; "
            f"the best guess is {seconds} ({band})."
        )
    verb = "took" if last["measured"] else "is predicted to take"
    smallest = round(last["parallelism"] * last["efficiency"] / last["speedup"])
    against = f" against {smallest}" if smallest > 1 else ""
    return (
        f"At {last['parallelism']} it {verb} {seconds} ({band}, 90 %): speed-up "
        f"{last['speedup']:.3g}{against}, efficiency {percent(last['efficiency'])}, "
        f"{amount(last['core_hours'])} core hours."
    )


def _disagreement(last: Row, then: Row | None, ranking: Sequence[Row]) -> list[str]:
    """Return whether the functions are predicted to take longer than the program that they are of.

    `last` and `then` are the program's rows at the target and at the largest measured count.
    They are means over ranks, so that together they take no longer than the slowest rank, unless
    threads of a rank run different ones: then as much longer as at the largest count.
    """
    together = sum(row["predicted"] or 0 for row in ranking)
    before = sum(row["seconds_largest"] or 0 for row in ranking)
    if last["basis"] == _SUM or not then or not then["predicted"]:
        return []
    if together <= last["high"] * max(before / then["predicted"], 1):
        return []
    return [
        f"Note: the functions together are predicted to take {amount(together, 's')} at "
        f"{last['parallelism']}, longer than the program: their models disagree."
    ]


def _reasons(ranking: Sequence[Row]) -> list[str]:
    """Return why functions have no model, each reason once."""
    flags = [flag for row in ranking for flag in row["flags"] or [] if "no model" in flag]
    return list(dict.fromkeys(flags))[:_REASONS]


def _set_name(which: ScalingSet) -> str:
    parts = [UNNAMED if which.app is None else cell(which.app)]
    parts += [f"version {cell(which.version)}"] if which.version else []
    parts += [f"on {cell(which.machine)}"] if which.machine else []
    return " ".join(parts)


def _basis(question: Question) -> str:
    which = question.which
    size = question.problem_size if question.problem_size is not None else which.problem_size
    if question.scaling != which.scaling:
        basis = f"taken as {question.scaling}, as requested"
    elif which.assumed:
        basis = f"assumed to be {question.scaling}, as the problem size of the runs is unknown"
    else:
        basis = f"{question.scaling}, by the problem sizes"
    problem = f", problem size {size:g}" if size is not None else ""
    return (
        f"{_set_name(which)} was measured at {which.counts} counts from {which.smallest} to "
        f"{which.largest}{problem}; scaling is {basis}."
    )


def _limits(question: Question, every: Sequence[Row], turning: Sequence[Row]) -> list[str]:
    """Return where the program is fastest, and up to which count it is efficient."""
    rows = _within_reach(question, every)
    if not rows:
        return []
    is_measured = question.problem_size in {None, question.which.problem_size}
    sentences = []
    if question.scaling == "strong":
        sentences.append(
            _turning_sentence(turning_point(question, every, turning), rows, turning[0])
            if is_measured
            else _turning_elsewhere(rows)
        )
    is_modelled = not (turning and is_measured) or turning[0]["low"] is not None
    return [*sentences, _efficient(rows) if is_modelled else _efficient_measured(rows)]


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """The count beyond which more processes make a program slower, with its 90 % interval.

    `high` is None where the program may get faster up to the farthest predicted count, and
    `is_predicted` false where the predictions are still shorter further on.
    """

    about: int
    low: int
    high: int | None
    is_predicted: bool = True


def turning_point(
    question: Question, every: Sequence[Row], turning: Sequence[Row]
) -> TurningPoint | None:
    """Return the turning point of strong scaling as measured, None where it is unknown.

    `every` are the rows of `predict_grid`, `turning` those of `scaling_turning`.
    """
    rows = _within_reach(question, every)
    is_measured = question.problem_size in {None, question.which.problem_size}
    if not rows or not turning or question.scaling != "strong" or not is_measured:
        return None
    low, high = turning[0]["low"], turning[0]["high"]
    if low is None or (low <= rows[0]["parallelism"] and high is None):
        return None
    about = _fastest(rows)
    if high is not None and about > high and about == rows[-1]["parallelism"]:
        if turning[0]["fastest"] == question.which.largest:
            # No measured time grows: that it does beyond is no better known than the predictions.
            return TurningPoint(about, round(low), None)
        fastest = round(min(max(turning[0]["fastest"], low), high))
        return TurningPoint(fastest, round(min(low, fastest)), round(high), is_predicted=False)
    if any(row["parallelism"] == about and row["measured"] for row in rows):
        # Between measured counts the interval knows more than the line that joins them.
        shortest = min(row["predicted"] for row in rows)
        first = next(row["parallelism"] for row in rows if row["predicted"] <= shortest * _EQUAL)
        about = round(max(first, low))
    upper = None if high is None else round(max(high, about))
    return TurningPoint(about, round(min(low, about)), upper)


def _within_reach(question: Question, rows: Sequence[Row]) -> list[Row]:
    """Return the rows with a prediction, up to the farthest count at which it is looked at."""
    reach = question.which.largest * _REACH
    return [row for row in rows if row["predicted"] is not None and row["parallelism"] <= reach]


def _turning_sentence(point: TurningPoint | None, rows: Sequence[Row], turning: Row) -> str:
    """Return beyond which count more processes make it slower, with the 90 % interval."""
    first, farthest = rows[0]["parallelism"], rows[-1]["parallelism"]
    if turning["low"] is None:
        why = next((flag for flag in turning["flags"] if "poor fit" in flag), "there is no model")
        return (
            f"Beyond which count adding more makes it slower is unknown: {why}. "
            f"Of the measured counts {turning['fastest']} is the fastest."
        )
    if point is None:
        return (
            "Beyond which count adding more makes it slower is unknown: the measured times allow "
            f"any from {first} on."
        )
    if point.about == farthest:
        return (
            f"Up to {farthest} adding more does not make it slower; it could from {point.low} on "
            "(90 %)."
        )
    if point.high == first:
        return f"Adding more than {first}, the smallest count, makes it slower (90 %)."
    upper = f"more than {farthest}" if point.high is None else point.high
    later = "" if point.is_predicted else ", though its model predicts shorter times far beyond"
    return (
        f"Adding more than about {point.about} makes it slower (90 %: {point.low} to {upper})"
        f"{later}."
    )


def _turning_elsewhere(rows: Sequence[Row]) -> str:
    """Return the same at a problem size that was not measured, where no interval is known."""
    about, farthest = _fastest(rows), rows[-1]["parallelism"]
    if about == farthest:
        return f"Up to {farthest} adding more is not predicted to make it slower."
    return f"Adding more than about {about} is predicted to make it slower."


def _fastest(rows: Sequence[Row]) -> int:
    """Return the count with the shortest time; beyond the measured ones between those of the grid.

    There it is the vertex of the parabola through the logarithms of the shortest time and its
    neighbours. Of equal times it is the last.
    """
    shortest = min(row["predicted"] for row in rows)
    place = max(i for i, row in enumerate(rows) if row["predicted"] <= shortest * _EQUAL)
    best: int = rows[place]["parallelism"]
    if rows[place]["measured"] or place in {0, len(rows) - 1}:
        return best
    (x0, y0), (x1, y1), (x2, y2) = (
        (math.log(row["parallelism"]), math.log(row["predicted"]))
        for row in rows[place - 1 : place + 2]
    )
    one, other = (y1 - y0) / (x1 - x0), (y2 - y1) / (x2 - x1)
    if not other > one:
        return best
    vertex = (x0 + x1) / 2 - one * (x2 - x0) / 2 / (other - one)
    return round(math.exp(min(max(vertex, x0), x2)))


def _efficient_measured(rows: Sequence[Row]) -> str:
    """Return the same by the measured counts alone, where no model carries what lies between."""
    over = [r["parallelism"] for r in rows if r["measured"] and r["efficiency"] >= FLOOR]
    if not over:
        return f"Its efficiency is over {percent(FLOOR)} at no measured count."
    floor = percent(FLOOR)
    return f"Of the measured counts {over[-1]} is the largest with an efficiency over {floor}."


def _efficient(rows: Sequence[Row]) -> str:
    """Return up to which count the efficiency is over the floor, between those of the grid."""
    last = max((i for i, row in enumerate(rows) if row["efficiency"] >= FLOOR), default=None)
    if last is None:
        return f"Its efficiency is over {percent(FLOOR)} nowhere."
    if last == len(rows) - 1:
        return f"Its efficiency stays over {percent(FLOOR)} up to {rows[-1]['parallelism']}."
    (x0, y0), (x1, y1) = (
        (math.log(row["parallelism"]), math.log(row["efficiency"] / FLOOR))
        for row in rows[last : last + 2]
    )
    about = math.exp(x0 + (x1 - x0) * y0 / (y0 - y1))
    return (
        f"The largest count with an efficiency over {percent(FLOOR)} is about {int(about + 1e-9)}."
    )


def count_grid(question: Question) -> list[int]:
    """Return the counts of the question, and two per doubling from the smallest to far beyond."""
    which = question.which
    steps = math.ceil(_STEPS * math.log2(which.largest * _REACH / which.smallest))
    between = {round(which.smallest * 2 ** (step / _STEPS)) for step in range(steps)}
    return sorted(between | {which.largest, which.largest * _REACH, *question.counts})


def _limiting_functions(question: Question, ranking: Sequence[Row], last: Row) -> list[str]:
    rows = [row for row in ranking if row["share"] is not None]
    if not rows:
        return []
    first = rows[0]
    measured = percent(first["share_measured"]) or "unknown"
    together = sum(row["predicted"] for row in rows)
    sentences = [
        f"{_function(first)} will limit it most: {percent(first['share'])} of the time at "
        f"{question.target}, {measured} at {question.which.largest}."
        if together >= _MOST * last["predicted"]
        else f"{_function(first)} takes most time in the mean over ranks: "
        f"{percent(first['share'])} at {question.target}, {measured} at "
        f"{question.which.largest}; but the functions together take "
        f"{amount(together, 's')} there, the program {amount(last['predicted'], 's')}."
    ]
    growing = max(rows, key=lambda row: row["growth"] or 0)
    if (growing["growth"] or 0) > 0.01 and growing is not first:
        sentences.append(
            f"The share of {_function(growing)} grows fastest: from "
            f"{percent(growing['share_measured']) or 'unknown'} to {percent(growing['share'])}."
        )
    return sentences


def _function(row: Row) -> str:
    return cell(row["function"], _NAME)


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
    """Return the ten functions with the longest time at the target, and the ten growing fastest.

    Those grow fastest whose share of the time gains most from the largest measured count on.
    `rows` are those of `scaling_functions`. Each line is (function, predicted s, interval, share,
    share at the largest count, flags).
    """
    known = [row for row in rows if row["share"] is not None]
    growing = sorted(
        (row for row in known if (row["growth"] or 0) > 0.001),
        key=lambda row: -(row["growth"] or 0),
    )
    return [_ranked_line(row) for row in known[:_RANKED_LINES]], [
        _ranked_line(row) for row in growing[:_RANKED_LINES]
    ]


def _ranked_line(row: Row) -> tuple[Any, ...]:
    return (
        _function(row),
        *_figures(row),
        percent(row["share"]),
        percent(row["share_measured"]),
        _flags(row["flags"]),
    )


def program_lines(rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    """Return the rows of `predict_program` as lines under `PROGRAM`."""
    return [
        (row["parallelism"], None, None, None, None, None)
        if row["predicted"] is None
        else (
            row["parallelism"],
            *_figures(row),
            three_digits(row["speedup"]),
            percent(row["efficiency"]),
            three_digits(row["core_hours"]),
        )
        for row in rows
    ]


def _figures(row: Row) -> tuple[float | None, str]:
    """Return the predicted seconds and their interval, to three digits."""
    return three_digits(row["predicted"]), f"{amount(row['low'])} - {amount(row['high'])}"


def _flags(flags: Sequence[str] | None) -> str | None:
    """Return the kind of each flag of a function, without its explanation, which is too long."""
    kinds = [flag.split(":")[0] for flag in flags or [] if not flag.startswith("scaling assumed")]
    return ", ".join(dict.fromkeys(kinds)) or None


def version_comparison_text(
    before: ScalingSet, after: ScalingSet, rows: DuckDBPyRelation, at: int
) -> str:
    """Return which functions scale worse in the later version, with their shares at a count."""
    found = dicts(rows)
    by_verdict: dict[str, list[Row]] = {}
    for row in found:
        by_verdict.setdefault(row["verdict"], []).append(row)
    title = f"{cell(before.app)}: {cell(before.version)} to {cell(after.version)}"
    sentences = [_worse(by_verdict.get("worse", []), at)]
    for verdict, outcome in (
        ("better", "scale better"),
        ("new", "are new"),
        ("gone", "are gone"),
        ("unknown", "have no model in one of the versions"),
    ):
        if names := [cell(row["function"]) for row in by_verdict.get(verdict, [])]:
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            sentences.append(f"{len(names)} {outcome}: {', '.join(names[:3])}{more}.")
    if before.counts != after.counts or before.largest != after.largest:
        sentences.append(
            f"The versions were measured differently: {counted(before.counts, 'count')} up to "
            f"{before.largest}, {after.counts} up to {after.largest}."
        )
    table = table_text(_VERSIONS, [_version_line(row) for row in found[:_VERSION_LINES]])
    return "\n".join([title, "", *(f"* {line}" for line in sentences), "", table])


def _worse(rows: list[Row], at: int) -> str:
    if not rows:
        return "No function's exponent got worse beyond its interval."
    first = rows[0]
    name = cell(first["function"])
    share = first["share_after"]
    part = f", {percent(share)} of the time at {at}" if share is not None else ""
    return (
        f"{len(rows)} got worse beyond their intervals. Most time is in {name}: its exponent went "
        f"from {first['exponent_before']:.2f} to {first['exponent_after']:.2f}{part}."
    )


def _version_line(row: Row) -> tuple[Any, ...]:
    def exponent(value: float | None) -> str | None:
        return None if value is None else f"{value:+.2f}"

    return (
        cell(row["function"]),
        exponent(row["exponent_before"]),
        exponent(row["exponent_after"]),
        row["verdict"],
        percent(row["share_before"]),
        percent(row["share_after"]),
    )


def growth(row: Row) -> str:
    """Return how a function's time changes beyond the largest count, with its 90 % interval.

    `row` has exponent, exponent_low, exponent_high (slope in logarithms), and flags.
    """
    exponent, low, high = (row[f"exponent{end}"] for end in ("", "_low", "_high"))
    if exponent is None:
        why = next((flag for flag in row["flags"] or [] if "no model" in flag), None)
        return f"unknown: {cell(why, None)}" if why else "unknown"
    if low is None or high is None:
        return f"{_slope(exponent)} (p^{exponent:.2f})"
    text = f"{_slope(exponent)} (p^{exponent:.2f}, 90 %: {low:.2f} to {high:.2f})"
    return f"{text}; it may fall or grow" if low < -_NEAR and high > _NEAR else text


def _slope(exponent: float) -> str:
    if abs(exponent) < _NEAR:
        return "stays about the same"
    if exponent > 0:
        return "grows"
    return "falls in proportion" if abs(exponent + 1) < _NEAR else "falls"
