"""Rows as tables: aligned text, and Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from apps.output.numbers import amount, is_number, percent, prefixed
from apps.output.streams import note
from apps.output.text import CELL, cell, markdown_escaped, short_names, version_text
from warehouse.session import Relation

Row = dict[str, Any]

TABLE_ROWS = 1000
# Columns whose whole numbers name something, so that they have no thousands separators; a count of
# processes names a run, in sentences as in tables.
IDENTIFIERS = {
    *("thread", "rank", "launch", "block", "bb", "warp", "worker", "task", "node", "line", "id"),
    *("segment", "sample", "index", "source_id", "version", "pc_first", "pc_last", "k"),
    "parallelism",
}
# Columns whose numbers are in the unit of the row.
_VALUES = {
    *("value", "mean", "smallest", "largest", "before", "after", "median", "latest"),
}
# Columns of parts of a whole (0.1: 10 %), and a part of the name of others.
_SHARES = {
    *("imbalance", "growth", "weight", "probability", "smape", "cv_error", "load_balance"),
    *("serialisation", "transfer", "computation_scaling", "efficiency", "running"),
    *("communication_efficiency", "parallel_efficiency", "global_efficiency"),
    *("retiring", "light_operations", "heavy_operations"),
    *("bad_speculation", "branch_mispredict", "machine_clears"),
    *("frontend_bound", "frontend_latency", "frontend_bandwidth"),
    *("backend_bound", "memory_bound", "core_bound", "smt_contention"),
}
_SHARE = "share"
_UNITS = {"seconds": "s", "longest": "s", "percent": "%", "bytes": "B"}  # by words of names
_HEADINGS = {
    "seconds": "time",
    "percent": "share",
    "moved": "what moved",
    "simt_efficiency": "SIMT efficiency",
    "smape": "SMAPE",
    "speedup": "speed-up",
    "largest_speedup": "largest speed-up",
    "width_bound": "front end",
    "critical_path_bound": "critical path",
    "unit_bound": "functional units",
    "serialising_bound": "serialising",
}


def relation_text(relation: Relation, *, exact: bool = False) -> str:
    """Return the first rows as an aligned table, and note on stderr where there are more.

    Where they are `exact`, as those of a user's own query, names and values are as they are.
    """
    names = relation.columns
    rows = relation.limit(TABLE_ROWS + 1).fetchall()
    shown = rows[:TABLE_ROWS]
    text = (
        table_text(names, shown, exact=True)
        if exact
        else table_of(relation).text([dict(zip(names, row, strict=True)) for row in shown])
    )
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
    headings: Sequence[str] | None = None,
) -> str:
    """Return rows aligned under their names; long text is shortened, except in the last column.

    `widths` are those that columns have at most, unless texts would become alike. Numbers have
    three significant digits and thousands, shares are per cent, and values have the prefix of their
    row's unit; or six digits where they are `exact`. Above them are `headings`, else the names.
    """
    limits = {name: (widths or {}).get(name, CELL) for name in names[:-1]}
    columns = table_columns(names, rows, limits, exact=exact)
    cells = list(zip(*columns, strict=True))
    right = [any(isinstance(row[i], int | float) for row in rows) for i in range(len(names))]
    heads = headings or names
    room = [max(map(len, [name, *texts])) for name, texts in zip(heads, columns, strict=True)]
    rule = "  ".join("-" * min(width, CELL) for width in room)
    lines = [_line(heads, room, right), rule, *(_line(row, room, right) for row in cells)]
    return "\n".join(lines if rows else [*lines, "(no rows)"])


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of rows in their order, each with what it has of a row.

    `widths` are those that columns have at most, `units` those that their names do not state.
    """

    columns: Mapping[str, Callable[[Row], Any]]
    widths: Mapping[str, int]
    units: Mapping[str, str]

    def text(
        self,
        rows: Sequence[Row],
        title: str | None = None,
        *,
        most: int | None = None,
        total: int | None = None,
        every: str = "--format csv gives all",
        without: Sequence[str] = (),
    ) -> str:
        """Return the rows in text below a title: the first, and what shows `every` one of them.

        `total` is the number of rows where these are not all. Columns `without` are left out.
        """
        names = [name for name in self.columns if name not in without]
        headings, lines = self.cells(rows[:most], names)
        more = (len(rows) if total is None else total) - len(lines)
        return "\n".join(
            [
                *([] if title is None else [title]),
                table_text(names, lines, self.widths, headings=headings),
                *([f"... and {more:,} more: {every}"] if more > 0 else []),
            ]
        )

    def cells(
        self, rows: Sequence[Row], names: Sequence[str]
    ) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Return the headings of columns, and what they have of each row."""
        columns = {name: [self.columns[name](row) for row in rows] for name in names}
        units = prefixed_units(columns, self.units)
        for name, (size, _) in units.items():
            if size != 1:
                columns[name] = [v / size if is_number(v) else v for v in columns[name]]
        headings = [heading(name, units[name][1] if name in units else None) for name in names]
        return headings, list(zip(*columns.values(), strict=True))


def table(
    names: str,
    widths: Mapping[str, int] | None = None,
    units: Mapping[str, str] | None = None,
    **computed: Callable[[Row], Any],
) -> Table:
    """Return a table with the columns of rows that have these names, separated by blanks.

    Of some it has what is computed of a row.
    """
    columns = {name: computed.get(name, itemgetter(name)) for name in names.split()}
    return Table(columns, widths or {}, units or {})


def table_of(relation: Relation) -> Table:
    """Return a table with all columns of a relation."""
    return Table({name: itemgetter(name) for name in relation.columns}, {}, {})


def prefixed_units(
    columns: Mapping[str, Sequence[Any]], units: Mapping[str, str]
) -> dict[str, tuple[float, str]]:
    """Return the size and the name of the unit of each column that has one.

    Its SI prefix is that of the largest value in the unit, so that all of a table can be compared.
    `units` are those that the names of columns do not state.
    """
    found = {name: units.get(name) or unit_in_name(name) for name in columns}
    named = {name: unit for name, unit in found.items() if unit}
    values: dict[str, list[Any]] = {}
    for name, unit in named.items():
        values.setdefault(unit, []).extend(v for v in columns[name] if is_number(v))
    prefixes = {unit: prefixed(numbers, unit) for unit, numbers in values.items()}
    return {
        name: (prefixes[unit][0], str(prefixes[unit][1]))
        if any(map(is_number, columns[name]))
        else (1.0, unit)
        for name, unit in named.items()
    }


def unit_in_name(name: str) -> str | None:
    """Return the unit that the name of a column begins or ends with; of a rate it has none."""
    words = name.split("_")
    return None if "per" in words else _UNITS.get(words[-1]) or _UNITS.get(words[0])


def heading(name: str, unit: str | None = None) -> str:
    """Return the name of a column in words, with its unit."""
    words = name.removesuffix("_id").removesuffix("_at").removeprefix("is_")
    if unit and unit_in_name(words):
        words = "_".join(word for word in words.split("_") if word not in _UNITS) or words
    words = _HEADINGS.get(words, words).replace("_", " ")
    return f"{words} ({unit})" if unit else words


def is_share(name: str) -> bool:
    """Return whether the numbers of a column are parts of a whole: 0.1 is 10 %."""
    return name in _SHARES or _SHARE in name.split("_")


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
    elif not exact and is_share(name):
        values = [percent(v) if is_number(v) else v for v in values]
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
