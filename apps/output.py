"""Rows out: tables for people, CSV, JSON, JSON Lines and Parquet for programs; exit codes."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse.errors import UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

Row = dict[str, Any]

TABLE_ROWS = 1000
_CELL = 60


class Format(StrEnum):
    """How rows are written."""

    table = "table"
    csv = "csv"
    json = "json"
    jsonl = "jsonl"
    parquet = "parquet"


_COPY = {
    Format.csv: "(FORMAT csv, HEADER true)",
    Format.json: "(FORMAT json, ARRAY true)",
    Format.jsonl: "(FORMAT json)",
    Format.parquet: "(FORMAT parquet)",
}


def emit(
    con: DuckDBPyConnection,
    relation: DuckDBPyRelation | None,
    style: Format = Format.table,
    target: Path | None = None,
) -> None:
    """Write a relation to stdout or a file. A statement without rows writes nothing."""
    if relation is None:
        return
    if style is Format.table:
        write_text(as_text(relation), target)
        return
    if target is None and style is Format.parquet and sys.stdout.isatty():
        raise UsageError("Parquet is not for the terminal", hint="Name a file: -o FILE")
    # `relation` is found by DuckDB under its Python name; its own writers stream the rows.
    statement = f"COPY (FROM relation) TO ? {_COPY[style]}"
    if target is not None:
        import duckdb

        try:
            con.execute(statement, [str(target)])
        except duckdb.IOException as error:
            reason = str(error).split("\n", 1)[0].rpartition(": ")[2]
            raise _not_written(target, reason) from None
        return
    with _stdout_as_path() as path:
        con.execute(statement, [path])


@contextmanager
def _stdout_as_path() -> Iterator[str]:
    """Return a path that leads to stdout.

    Not /dev/stdout itself: opening that anew would cut off what `>>` is to be appended to.
    """
    sys.stdout.flush()
    read_end, write_end = os.pipe()
    broken: list[BrokenPipeError] = []

    def pump() -> None:
        with os.fdopen(read_end, "rb") as data:
            try:
                shutil.copyfileobj(data, sys.stdout.buffer)
                sys.stdout.buffer.flush()
            except BrokenPipeError as error:
                broken.append(error)

    thread = threading.Thread(target=pump)
    thread.start()
    try:
        yield f"/dev/fd/{write_end}"
    except Exception:
        # DuckDB fails when the reader of stdout has gone, as `head` does; that is no error.
        os.close(write_end)
        thread.join()
        if broken:
            raise broken[0] from None
        raise
    os.close(write_end)
    thread.join()
    if broken:
        raise broken[0]


def as_text(relation: DuckDBPyRelation, limit: int = TABLE_ROWS) -> str:
    """Return the rows as aligned columns, numbers to the right; says so if there are more."""
    names = relation.columns
    rows = relation.limit(limit + 1).fetchall()
    text = table_text(names, rows[:limit])
    if len(rows) > limit:
        note(f"only the first {limit} rows are shown; --format csv gives all")
    return text


def dicts(relation: DuckDBPyRelation) -> list[Row]:
    """Return the rows by column name; for few rows."""
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


def table_text(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Align rows under their names, two blanks apart; long text is cut, but in the last column."""
    last = len(names) - 1
    cells = [
        [cell(value, None if i == last else _CELL) for i, value in enumerate(row)] for row in rows
    ]
    right = [any(isinstance(row[i], int | float) for row in rows) for i in range(len(names))]
    widths = [max(len(line[i]) for line in [list(names), *cells]) for i in range(len(names))]
    rule = "  ".join("-" * min(width, _CELL) for width in widths)
    lines = [_line(names, widths, right), rule, *(_line(row, widths, right) for row in cells)]
    return "\n".join(lines if rows else [*lines, "(no rows)"])


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    parts = [
        text.rjust(width) if is_right else text.ljust(width)
        for text, width, is_right in zip(cells, widths, right, strict=True)
    ]
    return "  ".join(parts).rstrip()


def cell(value: Any, limit: int | None = _CELL) -> str:
    """Return one value as short text: unknown is -, floats have six significant digits."""
    match value:
        case None:
            return "-"
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.6g}"
        case datetime():
            return value.strftime("%Y-%m-%d %H:%M:%S")
        case dict():
            text = ", ".join(f"{k}={cell(v)}" for k, v in value.items())
        case list() | tuple():
            text = "[" + ", ".join(cell(v) for v in value) + "]"
        case _:
            text = str(value)
    text = printable(text).replace("\n", " ")
    return text if limit is None or len(text) <= limit else text[: limit - 1] + "…"


def printable(text: str) -> str:
    """Return text with blanks for control characters, except ends of lines.

    Names from traces may contain some, which would move the cursor of a terminal.
    """
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)


def write_text(text: str, target: Path | None) -> None:
    """Write text to a file, or to stdout where `target` is None.

    Raises `UsageError` where the file cannot be written.
    """
    if target is None:
        print_data(text)
        return
    try:
        target.write_text(printable(text) + "\n", encoding="utf-8")
    except OSError as error:
        raise _not_written(target, error.strerror or str(error)) from None


def _not_written(target: Path, problem: str) -> UsageError:
    return UsageError(f"cannot write {target}: {problem}", hint="Name another file: -o FILE")


def print_data(text: str) -> None:
    """Write text to stdout."""
    sys.stdout.write(printable(text) + "\n")


def note(text: str) -> None:
    """Write a message to stderr."""
    sys.stderr.write(printable(f"pwh: {text}\n"))
    sys.stderr.flush()


def signed_percent(change: float | None) -> str | None:
    """Write a relative change: +12.3 %; None where it is unknown."""
    if change is None:
        return None
    return f"{100 * change:+.3g} %" if abs(change) < 10 else f"{1 + change:.3g} times"


def ratio_percent(ratio: float | None) -> str | None:
    """Write the relative change that a ratio is."""
    return None if ratio is None else signed_percent(ratio - 1)


def interval(low: float | None, high: float | None) -> str | None:
    """Write an interval of ratios as one of changes; None where there is none."""
    if low is None and high is None:
        return None
    return f"{ratio_percent(low) or '?'} to {ratio_percent(high) or '?'}"


def amount(value: float | None, unit: str | None) -> str:
    """Write a value with its unit; shares and plain numbers have none."""
    known = unit if unit not in (None, "1") else None
    return cell(None if value is None else float(f"{value:.4g}")) + (f" {known}" if known else "")


def chance(p_value: float | None) -> str:
    """Write a probability of being wrong: small ones only as an upper bound."""
    if p_value is None:
        return "p unknown"
    return f"p = {p_value:.2g}" if p_value >= 1e-6 else "p < 1e-6"


def day(row: Mapping[str, Any]) -> str:
    """Write the date that a row's run started on."""
    return f"{row['started_at']:%Y-%m-%d}"


def three_digits(value: float | None) -> float | None:
    """Keep three digits of a fraction; large numbers stay whole."""
    if value is None or isinstance(value, int):
        return value
    return round(value) if value == round(value) or abs(value) >= 1000 else float(f"{value:.3g}")


def percent_text(value: float | None) -> str | None:
    """Write a share with one digit after the point."""
    return None if value is None else f"{value:.1%}"
