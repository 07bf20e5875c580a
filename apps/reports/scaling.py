"""How a program scales: the verdict in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from apps.output.numbers import amount, amounts, counted, percent
from apps.output.tables import Row, dicts
from apps.output.text import cell
from apps.queries.base import ask_dicts
from apps.queries.scaling import scaling_functions, scaling_set_of
from apps.reports.flags import flag_text
from apps.reports.scaling_limits import limit_sentences
from apps.reports.scaling_question import (
    CALLS,
    Question,
    complete_question,
    predict_grid,
    set_name,
)
from apps.reports.scaling_tables import NAME, why_unmodelled
from warehouse.session import Connection

_SUM = "sum of rank means"
# What a program's time is, by program_times.basis.
_BASES = {
    "wall time": "wall time",
    "slowest rank": "that of the slowest rank, its functions added up",
    _SUM: "the sum of rank means (of each function the mean over ranks), which is "
    "cost rather than time",
}
# Functions that take less of the program's time in the mean over ranks do not tell what limits it.
_MOST = 0.8
# Times of functions over that of their program from which they overlap.
_OVERLAPS = 1.01
# The share of functions without a model that is said; of a sum of functions a flag says it.
_UNKNOWN = 0.05
_REASONS = 3


def run_scaling_sentences(con: Connection, run_id: str) -> list[str]:
    """Return how the program of a run scales; nothing where too few counts were measured."""
    which = scaling_set_of(con, [run_id])
    if which is None:
        return []
    question = complete_question(which, [], None, None)
    rows = dicts(predict_grid(con, question))
    ranking = dicts(scaling_functions(con, question.which, question.target))
    turning = ask_dicts(con, "scaling/turning", set_id=question.which.set_id, kind=None)
    return scaling_sentences(question, rows, ranking, turning)


def scaling_sentences(
    question: Question,
    rows: Sequence[Row],
    ranking: Sequence[Row],
    turning: Sequence[Row],
    worth: Sequence[str] = (),
) -> list[str]:
    """Return how the program scales, up to which count, and which functions limit it.

    `rows` are those of `predict_grid`, `ranking` those of `scaling_functions` at the target,
    `turning` those of the question `scaling/turning`; `worth` are sentences of what is worth it.
    """
    sentences = [_basis(question)]
    last = next((row for row in rows if row["parallelism"] == question.target), None)
    if last is None or last["predicted"] is None:
        flags = map(flag_text, last["flags"]) if last else _reasons(ranking)
        return [*sentences, f"No prediction: {'; '.join(flags) or 'there is no model'}."]
    sentences.append(f"{_time_at(last)} Time is {_BASES[last['basis']]}.")
    sentences += limit_sentences(question, rows, turning)
    sentences += worth
    sentences += _limiting_functions(question, ranking, last)
    sentences += [f"Note: {flag_text(flag)}." for flag in last["flags"]]
    then = next((row for row in rows if row["parallelism"] == question.which.largest), None)
    return sentences + _overlap(question, then, ranking)


def _time_at(last: Row) -> str:
    """Return what the program takes at the target; a guess is no prediction."""
    seconds, low, high = amounts([last["predicted"], last["low"], last["high"]], "s")
    band = f"{low} to {high}"
    if last["is_guess"]:
        return (
            f"What it takes at {last['parallelism']} does not follow from the measured times; "
            f"the best guess is {seconds} ({band})."
        )
    verb = "took" if last["measured"] else "is predicted to take"
    if last["speedup"] is None:
        return f"At {last['parallelism']} it {verb} {seconds} ({band}, 90 %)."
    smallest = round(last["parallelism"] * last["efficiency"] / last["speedup"])
    against = f" against {smallest}" if smallest > 1 else ""
    hours = last["core_hours"]
    cost = "" if hours is None else f", {amount(hours)} core hours"
    return (
        f"At {last['parallelism']} it {verb} {seconds} ({band}, 90 %): speed-up "
        f"{last['speedup']:.3g}{against}, efficiency {percent(last['efficiency'])}{cost}."
    )


def _overlap(question: Question, then: Row | None, ranking: Sequence[Row]) -> list[str]:
    """Return whether functions take longer than the program that they are of, where measured.

    `then` is the program's row at the largest measured count. Functions are means over ranks, so
    that together they take no longer than it, unless they overlap.
    """
    together = sum(row["seconds_largest"] or 0 for row in ranking)
    if not then or then["basis"] == _SUM or not together > _OVERLAPS * (then["predicted"] or 0):
        return []
    return [
        f"Note: the functions together take {amount(together, 's')} at {question.which.largest}, "
        f"the program {amount(then['predicted'], 's')}: they overlap (threads, asynchronous work), "
        "so that its time is not their sum."
    ]


def _reasons(ranking: Sequence[Row]) -> list[str]:
    """Return why functions have no model, each reason once."""
    reasons = [why for row in ranking if (why := why_unmodelled(row))]
    return list(dict.fromkeys(reasons))[:_REASONS]


def _basis(question: Question) -> str:
    which = question.which
    if question.is_stated and (which.assumed or question.scaling != which.scaling):
        basis = f"taken as {question.scaling}, as requested"
    elif which.assumed and question.scaling == "weak":
        basis = "assumed to be weak, as the computation of a process takes as long at all counts"
    elif which.assumed:
        basis = f"assumed to be {question.scaling}, as the problem size of the runs is unknown"
    else:
        basis = f"{question.scaling}, by the problem sizes"
    problem = "" if which.problem_size is None else f", problem size {amount(which.problem_size)}"
    if question.problem_size is not None:
        sizes = counted(which.problem_sizes, "problem size")
        problem = f" and {sizes}" if which.problem_sizes else ""
        problem += f"; what follows is for problem size {amount(question.problem_size)}"
    counts = f"{which.counts} counts"
    if question.kind not in ("processes", CALLS):
        counts += f" of {question.kind}"
    if not question.is_count and question.kind != CALLS:
        counts = f"{which.counts} values of {cell(which.parameter)}"
    measured = (
        f"{set_name(which)} was measured at {counts} from {which.smallest} to {which.largest}"
    )
    if question.kind == CALLS:
        return (
            f"{measured}: only communication, which divides no work, so there are no speed-ups "
            f"(--parameter {cell(which.parameter)}=processes asks for them)."
        )
    if not question.is_count:
        why = "a problem size" if question.kind == "size" else "not known to be a count"
        return (
            f"{measured}; {cell(which.parameter)} is {why}, so there are no speed-ups "
            "(--parameter NAME=KIND states what it is)."
        )
    return f"{measured}{problem}; scaling is {basis}."


def _limiting_functions(question: Question, ranking: Sequence[Row], last: Row) -> list[str]:
    rows = [row for row in ranking if row["share"] is not None]
    if not rows:
        return []
    first = rows[0]
    measured = percent(first["share_measured"]) or "unknown"
    together = sum(row["predicted"] for row in rows)
    name = cell(first["function"], NAME)
    sentences = [
        f"{name} will limit it most: {percent(first['share'])} of the time at "
        f"{question.target}, {measured} at {question.which.largest}."
        if together >= _MOST * last["predicted"]
        else f"{name} takes most time in the mean over ranks: "
        f"{percent(first['share'])} at {question.target}, {measured} at "
        f"{question.which.largest}; but the functions together take "
        f"{amount(together, 's')} there, the program {amount(last['predicted'], 's')}."
    ]
    unknown = 1 - sum(row["share"] for row in rows)
    if unknown > _UNKNOWN and last["basis"] != _SUM:
        sentences.append(
            f"Functions without a model take {percent(unknown)} of the time at "
            f"{question.which.largest}, and are in no rank."
        )
    growing = max(rows, key=lambda row: row["growth"] or 0)
    if (growing["growth"] or 0) > 0.01 and growing is not first:
        sentences.append(
            f"The share of {cell(growing['function'], NAME)} grows fastest: from "
            f"{percent(growing['share_measured']) or 'unknown'} to {percent(growing['share'])}."
        )
    return sentences
