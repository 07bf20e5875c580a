"""The tables of `pwh scale`, with as many digits as predictions are good for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from apps import queries
from apps.output import cell, dicts
from apps.scale import Question, share_text, short

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SHOWN = 10
RANKED = ("function", "seconds", "interval", "share", "measured", "flags")
PROGRAM = ("parallelism", "seconds", "interval", "speed-up", "efficiency", "core hours")


def ranking(con: DuckDBPyConnection, asked_for: Question) -> tuple[list[Any], list[Any]]:
    """Give the ten functions with the largest share at the target, and the ten growing fastest.

    Each row is (function, predicted s, interval, share, share at the largest count, flags).
    """
    rows = dicts(queries.scaling_functions(con, asked_for.which, asked_for.target))
    told = [row for row in rows if row["share"] is not None]
    growing = sorted(
        (row for row in told if (row["growth"] or 0) > 0.001),
        key=lambda row: -(row["growth"] or 0),
    )
    return [_line(row) for row in told[:_SHOWN]], [_line(row) for row in growing[:_SHOWN]]


def _line(row: dict[str, Any]) -> tuple[Any, ...]:
    return (
        short(row["function"]),
        *_figures(row),
        f"{row['share']:.1%}",
        share_text(row["share_measured"]),
        _flag(row["flags"]),
    )


def program_lines(rows: Sequence[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Give the rows of `program` with as many digits as they are good for."""
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
    """Give the predicted seconds and their interval, to three digits."""
    low, high = (cell(float(f"{row[name]:.3g}")) for name in ("low", "high"))
    return float(f"{row['predicted']:.3g}"), f"{low} - {high}"


def _flag(flags: list[str] | None) -> str | None:
    """Give the first word of each flag that is about the function, so that a row fits its line."""
    about = [flag.split(":")[0] for flag in flags or [] if not flag.startswith("scaling assumed")]
    return ", ".join(dict.fromkeys(about)) or None
