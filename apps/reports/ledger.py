"""The ledger of a difference: the parts that it consists of, as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from apps.output.numbers import counted, prefixed
from apps.output.tables import Row, table_text
from apps.output.text import cell

_PARTS = {
    "other_functions": "other functions",
    "user": "on the processor: the program",
    "kernel": "on the processor: the kernel",
    "processor": "on the processor",
    "other_processor": "on the processor, in no function",
    "run_delay": "waiting for a processor",
    "waiting": "other waiting",
    "not_recorded": "not recorded",
    "tail": "after the last task",
    "not_explained": "not explained",
}
_WORK = {"work": "work", "idle": "idle before the next work"}
_SIDES = {"before", "after", "difference"}
_COLUMNS = ("part", "before", "after", "difference", "share")
_WIDTHS = {"part": 60}
_DIGITS = 4  # of the total
_LEAST_SHARE = 0.02


def ledger_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of an explanation that are its ledger: the total first, then its parts."""
    return [row for row in rows if row["topic"] == "ledger"]


def ledger_text(ledger: Sequence[Row]) -> str:
    """Return the ledger as a table whose parts add up to its last line, the total.

    Parts without a share worth reading are one.
    """
    total, *parts = ledger
    size, unit = prefixed([total["before"], total["after"]], total["unit"])
    largest = max(abs(total["before"]), abs(total["after"])) / size
    decimals = max(_DIGITS - 1 - math.floor(math.log10(largest)), 0) if largest else 0
    shown = [row for row in parts if abs(row["share"] or 0) >= _LEAST_SHARE]
    small = [row for row in parts if row not in shown]
    lines = []
    for names, rows in (
        *((part_name(row), [row]) for row in shown),
        *([(counted(len(small), "other part"), small)] if small else []),
        (part_name(total), [total]),
    ):
        before, after = (sum(row[side] for row in rows) / size for side in ("before", "after"))
        share = sum(row["share"] or 0 for row in rows)
        figures = (f"{before:,.{decimals}f}", f"{after:,.{decimals}f}")
        more = f"{after - before:+,.{decimals}f}"
        lines.append((names, *figures, more, f"{100 * share:.1f} %"))
    titles = [f"{name}, {cell(unit)}" if unit and name in _SIDES else name for name in _COLUMNS]
    return table_text(titles, lines, _WIDTHS)


def part_name(row: Row) -> str:
    """Return what a part of a ledger is called."""
    part, subject = row["metric"], row["subject"]
    if part == "total":
        return f"{cell(subject)} (total)"
    if part in _WORK:
        return f"{_WORK[part]}: {cell(subject)}"
    return cell(subject) if part == "function" else _PARTS.get(part, str(part))
