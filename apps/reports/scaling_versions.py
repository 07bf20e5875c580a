"""How the functions of two versions scale: the verdict in sentences, and a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from apps.output.numbers import amount, counted, percent, signed_percent
from apps.output.tables import Row, dicts, table
from apps.output.text import cell, version_text
from apps.queries.scaling import ScalingSet
from warehouse.session import Relation

_LITTLE = 0.05
COMPARED = 2
"""Shares of two versions are compared at this many times the largest count."""
_VERSION_LINES = 20


def version_comparison_text(
    before: ScalingSet,
    after: ScalingSet,
    rows: Relation,
    times: Sequence[Row],
    at: int,
) -> str:
    """Return at which counts the later version is slower, and which functions scale worse.

    `times` are the rows of the question `scaling/comparison_times`.
    """
    found = dicts(rows)
    by_verdict: dict[str, list[Row]] = {}
    for row in found:
        by_verdict.setdefault(row["verdict"], []).append(row)
    versions = " to ".join(version_text(one.version or "-") for one in (before, after))
    title = f"{cell(before.app)}: {versions}"
    sentences = slower_sentences(times)
    sentences += [_worse(by_verdict.get("worse", []), at)]
    for verdict, outcome in (
        ("better", "scale better"),
        ("uncertain", "may scale differently, within their intervals"),
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
    by_count = [_TIMES.text(times), ""] if times else []
    shown = _VERSIONS.text(found, most=_VERSION_LINES)
    return "\n".join([title, "", *(f"* {line}" for line in sentences), "", *by_count, shown])


def slower_sentences(times: Sequence[Row]) -> list[str]:
    """Return at which counts the program takes longer, and in which function most."""
    if not times:
        return ["There is no count at which both were measured."]
    slower = [row for row in times if row["change"] > _LITTLE]
    faster = [row for row in times if row["change"] < -_LITTLE]
    sentences = []
    for rows, how in ((slower, "slower"), (faster, "faster")):
        if not rows:
            continue
        most = max(rows, key=lambda row: abs(row["change"]))
        where = ", ".join(str(row["parallelism"]) for row in rows)
        by = f"by {percent(abs(most['change']))}"
        by += f" at {most['parallelism']}" if len(rows) > 1 else ""
        if most["function"] is not None:
            more = "+" if most["function_more"] > 0 else "-"
            amount_more = amount(abs(most["function_more"]), "s")
            by += f", where {cell(most['function'])} changed most: {more}{amount_more}"
        sentences.append(
            f"The later version is {how} at {where}, {'most, ' if len(rows) > 1 else ''}{by}."
        )
    return sentences or [
        f"The times of the program changed by {percent(_LITTLE)} at most at each count."
    ]


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


def _exponent(name: str) -> Callable[[Row], str | None]:
    """Return what a row has as an exponent, with its sign."""
    return lambda row: None if row[name] is None else f"{row[name]:+.2f}"


def _more(row: Row) -> str | None:
    more = row["function_more"]
    return None if more is None else f"{'+' if more > 0 else '-'}{amount(abs(more), 's')}"


_VERSIONS = table(
    "function exponent_before exponent_after verdict share_before share_after",
    exponent_before=_exponent("exponent_before"),
    exponent_after=_exponent("exponent_after"),
)
_TIMES = table(
    "parallelism seconds_before seconds_after change function function_more",
    change=lambda row: signed_percent(row["change"]),
    function_more=_more,
)
