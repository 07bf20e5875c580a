"""How the functions of two versions scale: the verdict in sentences, and a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from apps.output.numbers import counted, percent
from apps.output.tables import Row, dicts, table_text
from apps.output.text import cell, version_text
from apps.queries.scaling import ScalingSet

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

_VERSIONS = ("function", "exponent before", "after", "verdict", "share before", "after ")
_VERSION_LINES = 20


def version_comparison_text(
    before: ScalingSet, after: ScalingSet, rows: DuckDBPyRelation, at: int
) -> str:
    """Return which functions scale worse in the later version, with their shares at a count."""
    found = dicts(rows)
    by_verdict: dict[str, list[Row]] = {}
    for row in found:
        by_verdict.setdefault(row["verdict"], []).append(row)
    versions = " to ".join(version_text(one.version or "-") for one in (before, after))
    title = f"{cell(before.app)}: {versions}"
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
    left = len(found) - _VERSION_LINES
    rest = [f"... and {left} more; --format csv gives all"] if left > 0 else []
    return "\n".join([title, "", *(f"* {line}" for line in sentences), "", table, *rest])


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
