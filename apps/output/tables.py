"""Rows as tables: aligned text, and Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from apps.output.numbers import amount, is_number, prefixed
from apps.output.streams import note
from apps.output.text import CELL, cell, markdown_escaped, short_names, version_text
from warehouse.session import Relation

Row = dict[str, Any]

TABLE_ROWS = 1000
# Columns whose whole numbers name something, so that they have no thousands separators.
IDENTIFIERS = {
    *("thread", "rank", "launch", "block", "bb", "warp", "worker", "task", "node", "line", "id"),
    *("segment", "sample", "index", "source_id", "version", "pc_first", "pc_last", "k"),
}
# Columns whose numbers are in the unit of the row.
_VALUES = {
    *("value", "mean", "smallest", "largest", "before", "after", "median", "latest"),
}


def relation_text(relation: Relation, *, exact: bool = False) -> str:
    """Return the first rows as an aligned table, and note on stderr where there are more."""
    names = relation.columns
    rows = relation.limit(TABLE_ROWS + 1).fetchall()
    text = table_text(names, rows[:TABLE_ROWS], exact=exact)
    if len(rows) > TABLE_ROWS:
        note(f"only the first {TABLE_ROWS:,} rows are shown; --format csv gives all")
    return text


def dicts(relation: Relation) -> list[Row]:
    """Return the rows as dictionaries by column name; for few rows."""
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


def table_text(
    names: Sequence[str],
    rows: Sequence[Sequence[Any]],
    widths: Mapping[str, int] | None = None,
    *,
    exact: bool = False,
) -> str:
    """Return rows aligned under their names; long text is shortened, except in the last column.

    `widths` are those that columns have at most, unless texts would become alike. Numbers have
    three significant digits and thousands, and values the prefix of their row's unit; or six digits
    where they are `exact`.
    """
    limits = {name: (widths or {}).get(name, CELL) for name in names[:-1]}
    columns = table_columns(names, rows, limits, exact=exact)
    cells = list(zip(*columns, strict=True))
    right = [any(isinstance(row[i], int | float) for row in rows) for i in range(len(names))]
    room = [max(map(len, [name, *texts])) for name, texts in zip(names, columns, strict=True)]
    rule = "  ".join("-" * min(width, CELL) for width in room)
    lines = [_line(names, room, right), rule, *(_line(row, room, right) for row in cells)]
    return "\n".join(lines if rows else [*lines, "(no rows)"])


Columns = Mapping[str, Callable[[Row], Any]]
"""The columns of a table: the name of each, and what it has of a row."""


def column_values(columns: Columns, rows: Sequence[Row]) -> list[list[Any]]:
    """Return what columns have of each row."""
    return [[value(row) for value in columns.values()] for row in rows]


def table_columns(
    names: Sequence[str],
    rows: Sequence[Sequence[Any]],
    widths: Mapping[str, int],
    *,
    exact: bool = False,
) -> list[list[str]]:
    """Return the cells of each column of rows, shortened to `widths`; see `table_text`."""
    if not exact and "unit" in names:
        rows = [_with_prefix(names, row) for row in rows]
    return [
        _cells(name, [row[i] for row in rows], widths.get(name), exact=exact)
        for i, name in enumerate(names)
    ]


def _with_prefix(names: Sequence[str], row: Sequence[Any]) -> list[Any]:
    """Return a row with its values in its unit with an SI prefix; shares have none."""
    values = dict(zip(names, row, strict=True))
    found = {name: v for name, v in values.items() if name in _VALUES and is_number(v)}
    size, unit = prefixed(found.values(), values["unit"])
    if size != 1:
        values |= {name: v / size for name, v in found.items()}
    return [*(values | {"unit": None if unit == "1" else unit}).values()]


def _cells(name: str, values: Sequence[Any], limit: int | None, *, exact: bool) -> list[str]:
    """Return the cells of a column; names that differ are still different when shortened."""
    if not exact and name == "version":
        values = [version_text(v) if isinstance(v, str) else v for v in values]
    elif not exact and name not in IDENTIFIERS:
        values = [amount(v) if is_number(v) else v for v in values]
    texts = [cell(value, None) for value in values]
    return texts if limit is None else short_names(texts, limit)


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    parts = [
        text.rjust(width) if is_right else text.ljust(width)
        for text, width, is_right in zip(cells, widths, right, strict=True)
    ]
    return "  ".join(parts).rstrip()


def markdown_text(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return rows as a Markdown table, columns of numbers flush right."""
    right = [any(isinstance(row[i], int | float) for row in rows) for i in range(len(names))]
    lines = [list(map(markdown_escaped, names)), ["---:" if number else "---" for number in right]]
    lines += [list(map(markdown_escaped, row)) for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
