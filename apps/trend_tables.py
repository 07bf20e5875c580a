"""Tables and small charts of `pwh trend`."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from apps.history_words import amount, day, shown_fields, signed_percent
from apps.output import cell

_BLOCKS = "▁▂▃▄▅▆▇█"
_WIDTH = 72

CHANGES = ("metric", "fields", "run", "version", "date", "before", "after", "change", "is", "p")
SERIES = ("metric", "fields", "runs", "first", "last", "median", "latest", "unit")
Row = dict[str, Any]


def change_line(row: Row) -> tuple[Any, ...]:
    """Give a change point as a line under `CHANGES`."""
    return (
        cell(row["metric"], 40),
        shown_fields(row["fields"]),
        cell(row["run_id"], 24),
        row["version"],
        day(row),
        float(f"{row['before']:.4g}"),
        float(f"{row['after']:.4g}"),
        signed_percent(row["change"]),
        row["direction"],
        f"{row['p_value']:.2g}",
    )


def series_line(row: Row) -> tuple[Any, ...]:
    """Give a series as a line under `SERIES`."""
    points = row["series"]
    values = [point["value"] for point in points]
    return (
        cell(row["metric"], 40),
        shown_fields(row["fields"]),
        row["points"],
        day(points[0]),
        day(points[-1]),
        float(f"{median(values):.4g}"),
        float(f"{values[-1]:.4g}"),
        row["unit"],
    )


def chart(name: str, row: Row, changes: Sequence[Row]) -> str:
    """Draw a series as blocks from its smallest to its largest value, with marks at changes.

    A block is one run, or the median of several where they are too many for a line.
    """
    values = [point["value"] for point in row["series"]]
    per_block = -(-len(values) // _WIDTH)
    groups = [values[i : i + per_block] for i in range(0, len(values), per_block)]
    shown = [median(group) for group in groups]
    low, high = min(shown), max(shown)
    line = "".join(_block(value, low, high) for value in shown)
    places = {change["index"] // per_block for change in changes}
    marks = "".join("^" if i in places else " " for i in range(len(shown))).rstrip()
    runs = "a block a run" if per_block == 1 else f"a block {per_block} runs (median)"
    title = (
        f"{name}: {amount(low, row['unit'])} to "
        f"{amount(high, row['unit'])}, {day(row['series'][0])} to {day(row['series'][-1])}, {runs}"
    )
    return "\n".join([title, f"  {line}", *([f"  {marks}"] if marks else [])])


def _block(value: float, low: float, high: float) -> str:
    if high == low:
        return _BLOCKS[3]
    return _BLOCKS[round((value - low) / (high - low) * (len(_BLOCKS) - 1))]
