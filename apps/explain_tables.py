"""The table of `pwh explain`: what changed, with its figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from apps.output import cell, table_text
from apps.thread_tables import number, percent

_SHOWN = 25
_WIDTH = 36
_COLUMNS = ("topic", "subject", "metric", "before", "after", "change", "share", "certain", "flags")

Row = dict[str, Any]


def findings(rows: Sequence[Row]) -> str:
    """Give the first rows as a table, and how many there are."""
    lines = [table_text(_COLUMNS, [_line(row) for row in rows[:_SHOWN]])]
    if len(rows) > _SHOWN:
        lines.append(f"... and {len(rows) - _SHOWN} more; --format csv gives all")
    return "\n".join(lines)


def _line(row: Row) -> tuple[Any, ...]:
    numbers = row["before"] is not None
    return (
        row["topic"],
        cell(row["subject"] or "(all)", _WIDTH),
        cell(row["metric"], _WIDTH),
        number(row["before"]) if numbers else cell(row["before_label"], _WIDTH),
        number(row["after"]) if numbers else cell(row["after_label"], _WIDTH),
        None if row["change"] is None else f"{row['change']:+.1%}",
        percent(row["share"]),
        {True: "yes", None: "unknown"}.get(row["certain"], "no"),
        ", ".join(row["flags"]) or None,
    )
