"""Imbalance across ranks: which ranks are slow, in which functions, and what balance would save."""

from __future__ import annotations

import math
from collections.abc import Sequence

from apps.output.numbers import amount, amounts, percent
from apps.output.tables import Row, table
from apps.output.text import cell
from apps.queries.base import ask_dicts
from apps.reports.flags import first_text
from warehouse.session import Connection

# Less than this part of the time is not worth a sentence, or a line of the table.
_SENTENCE = 0.01
_LINE = 0.001
_SHOWN = 10
_NAME = 36
# Exponents this near to 0 are called none.
_NEAR = 0.1


def run_imbalance_sentences(con: Connection, run_id: str) -> list[str]:
    """Return how evenly the ranks of a run share its work; nothing where ranks are unknown."""
    work = ask_dicts(con, "imbalance/work", run_id=run_id)
    functions = ask_dicts(con, "imbalance/functions", run_id=run_id)
    return imbalance_sentences(work[0], functions) if work else []


def imbalance_sentences(work: Row, functions: Sequence[Row]) -> list[str]:
    """Return what balance would save, in which function most, and which ranks are slow there.

    `work` is the row of `work_imbalance`, `functions` the rows of `function_imbalance`.
    """
    mean, most = work["mean_seconds"], work["max_seconds"]
    part = (most - mean) / (mean + work["waiting_seconds"])
    usual, longest, saved = amounts([mean, most, most - mean], "s")
    sentences = [
        f"The {work['ranks']} ranks work {usual} on average, calls that wait for others left out; "
        f"the slowest is rank {work['slowest_rank']} with {longest}: perfect balance would save at "
        f"most {saved} ({percent(part)} of the time)."
        if part >= _SENTENCE
        else f"The {work['ranks']} ranks share the work evenly: {usual} on average, {longest} on "
        "the slowest, calls that wait for others left out."
    ]
    first = next((row for row in functions if _part(row) >= _SENTENCE), None)
    if first is not None:
        called = first_text(first["flags"], ("called_on_some",))
        figures = [first[name] for name in ("saved_seconds", "max_seconds", "mean_seconds")]
        saved, longest, usual = amounts(figures, "s")
        sentences.append(
            f"Most time to save by balance is in {cell(first['function'])}: {saved}, with "
            f"{longest} on the slowest rank and {usual} on average (imbalance "
            f"{percent(first['imbalance'])}){f', {called}' if called else ''}; "
            f"{_slow(first['slow_ranks'])}."
        )
    return sentences


def scaling_imbalance_sentences(rows: Sequence[Row]) -> list[str]:
    """Return which function of a set of runs is worth balancing most, and how that grows.

    `rows` are those of `scaling_imbalance`.
    """
    first = next((row for row in rows if _part(row) >= _SENTENCE), None)
    if first is None:
        return []
    return [
        f"At {first['parallelism']} balance over the ranks would save most in "
        f"{cell(first['function'], _NAME)}: {amount(first['saved_seconds'], 's')} "
        f"(imbalance {percent(first['imbalance'])}, {_growth(first['exponent'])})."
    ]


def listed_imbalance(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of `scaling_imbalance` that the table IMBALANCE has."""
    return [row for row in rows if _part(row) >= _LINE][:_SHOWN]


def _part(row: Row) -> float:
    """Return what balance of a function would save, as a part of the time of all functions."""
    if not row["saved_seconds"] or not row["mean_seconds"] or row["share"] is None:
        return 0.0
    return float(row["saved_seconds"] / row["mean_seconds"] * row["share"])


def _on_one_rank(row: Row) -> bool:
    """Return whether a function's whole time is on one rank."""
    return math.isclose(row["imbalance"], row["ranks"] - 1)


def _slow(ranks: Sequence[int] | None) -> str:
    if not ranks:
        return "other ranks are slow in each repetition"
    if len(ranks) == 1:
        return f"rank {ranks[0]} is slow"
    return f"ranks {', '.join(map(str, ranks))} are slow"


def _growth(exponent: float | None) -> str:
    if exponent is None:
        return "growth unknown: fewer than three counts"
    if abs(exponent) < _NEAR:
        return "about the same at all counts"
    return f"{'growing' if exponent > 0 else 'falling'} as p^{exponent:.2f}"


def _power(row: Row) -> str | None:
    if row["exponent"] is None or _on_one_rank(row):
        return None
    return f"p^{row['exponent']:.2f}"


IMBALANCE = table(
    "function imbalance max_seconds saved_seconds growth slow_ranks",
    {"function": _NAME},
    imbalance=lambda row: "one rank" if _on_one_rank(row) else row["imbalance"],
    growth=_power,
    slow_ranks=lambda row: ", ".join(map(str, row["slow_ranks"] or [])) or None,
)
