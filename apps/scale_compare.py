"""Two versions of a program: whose exponent got worse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from apps.output import cell, dicts, table_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

    from apps.queries import ScalingSet

_SHOWN = 20
_COLUMNS = ("function", "exponent before", "after", "verdict", "share before", "after ")


def compared(before: ScalingSet, after: ScalingSet, rows: DuckDBPyRelation, at: int) -> str:
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
    table = table_text(_COLUMNS, [_line(row) for row in found[:_SHOWN]])
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


def _line(row: dict[str, Any]) -> tuple[Any, ...]:
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
