"""Output: rows as tables, CSV, JSON, Markdown and Parquet; formats of numbers and names."""

from __future__ import annotations

import math
import os
import re
import shlex
import shutil
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from warehouse.errors import UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

Row = dict[str, Any]

TABLE_ROWS = 1000
_CELL = 60
_NUMBERS = {
    *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT"),
    *("UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL"),
}
# Columns whose whole numbers name something, so that they have no thousands separators.
IDENTIFIERS = {
    *("thread", "rank", "launch", "block", "bb", "warp", "worker", "task", "node", "line", "id"),
    *("segment", "sample", "index", "source_id", "version", "pc_first", "pc_last", "k"),
}
# Columns whose numbers are in the unit of the row.
_VALUES = {
    *("value", "mean", "smallest", "largest", "before", "after", "median", "latest"),
}
# The place of a function in the source: name [{file} {line,column}-{line,column}].
_PLACE = re.compile(r" \[\{[^{}]*\}( \{[^{}]*\}(-\{[^{}]*\})?)?\]$")
_LEAST_PLACE = 8
_COMMIT, _DIGITS = re.compile(r"[0-9a-f]{40}"), 10
_EXACT = 2**53
# The end of an interval beyond which only its size matters.
_LARGEST_RATIO = 1000
_LEAST_SHARE = 1e-5
# Ratios near 1 have 16 digits, and a few are lost where logarithms are taken.
_SMALLEST_CHANGE = 1e-12
BLOCKS = "▁▂▃▄▅▆▇█"
_SPELLED = {"µ": "u", "…": "~", **{block: str(i) for i, block in enumerate(BLOCKS, 1)}}
# What tools call units that have a symbol.
_SYMBOLS = {
    **{"second": "s", "msec": "ms", "usec": "µs", "nsec": "ns"},
    **{"byte": "B", "bytes": "B", "byte/s": "B/s", "bytes/s": "B/s"},
}
_OF_BYTES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
# Sizes and SI prefixes of the units that take them, the largest first.
_PREFIXES = {
    "s": ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")),
    "B": _OF_BYTES,
    "B/s": _OF_BYTES,
}
_FORMULA = r"^\s*[-=+@\t\r]"
_MARKUP = re.compile(r"[\\`*\[\]|$~]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;", "#": "&#35;"}


class Format(StrEnum):
    """How rows are written; safe-csv is for spreadsheets, which take some text for formulas."""

    table = "table"
    csv = "csv"
    safe_csv = "safe-csv"
    json = "json"
    jsonl = "jsonl"
    markdown = "markdown"
    parquet = "parquet"


_COPY = {
    Format.csv: "(FORMAT csv, HEADER true)",
    Format.safe_csv: "(FORMAT csv, HEADER true)",
    Format.json: "(FORMAT json, ARRAY true)",
    Format.jsonl: "(FORMAT json)",
    Format.parquet: "(FORMAT parquet)",
}

# By the end of a file's name, where no format is named.
_ENDINGS = {f".{style}": style for style in (Format.csv, Format.json, Format.jsonl, Format.parquet)}
# DuckDB compresses what it writes to names that end so.
_COMPRESSED = (".gz", ".zst")


def format_of(target: Path) -> Format:
    """Return the format of rows that the end of a file's name states; a table for other names.

    `rows.csv.gz` is CSV, compressed.
    """
    name = Path(target.name.lower())
    if name.suffix in _COMPRESSED:
        name = name.with_suffix("")
    return _ENDINGS.get(name.suffix, Format.table)


def emit(
    con: DuckDBPyConnection,
    relation: DuckDBPyRelation | None,
    style: Format = Format.table,
    target: Path | None = None,
    *,
    exact: bool = False,
) -> None:
    """Write a relation to stdout or a file. A statement without rows writes nothing.

    Numbers of tables are `exact` or not as in `table_text`.
    """
    if relation is None:
        return
    if style is Format.table:
        write_text(relation_text(relation, exact=exact), target)
        return
    if style is Format.markdown:
        write_text(markdown_text(relation.columns, relation.fetchall()), target)
        return
    if target is None and style is Format.parquet and sys.stdout.isatty():
        raise UsageError("Parquet is not for the terminal", hint="Name a file: -o FILE")
    if style is Format.safe_csv:
        relation = _without_formulas(relation)
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


def _without_formulas(relation: DuckDBPyRelation) -> DuckDBPyRelation:
    """Return the rows with an apostrophe before text that a spreadsheet would compute."""
    columns = []
    for number, (name, kind) in enumerate(zip(relation.columns, relation.types, strict=True), 1):
        value = f"#{number}"
        if str(kind).split("(")[0] not in _NUMBERS:
            text = f"CAST({value} AS VARCHAR)"
            is_formula = f"regexp_matches({text}, '{_FORMULA}')"
            value = f"CASE WHEN {is_formula} THEN chr(39) ELSE '' END || {text}"
        safe = f"'{name}" if re.match(_FORMULA, name) else name
        quoted = safe.replace('"', '""')
        columns.append(f'{value} AS "{quoted}"')
    return relation.project(", ".join(columns))


@contextmanager
def _stdout_as_path() -> Iterator[str]:
    """Yield a path that leads to stdout.

    Not /dev/stdout itself: opening that again would truncate the file that `>>` appends to.
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
        # DuckDB fails when the reader of stdout has gone, as `head` does; that is not an error.
        os.close(write_end)
        thread.join()
        if broken:
            raise broken[0] from None
        raise
    os.close(write_end)
    thread.join()
    if broken:
        raise broken[0]


def relation_text(relation: DuckDBPyRelation, *, exact: bool = False) -> str:
    """Return the first rows as an aligned table, and note on stderr where there are more."""
    names = relation.columns
    rows = relation.limit(TABLE_ROWS + 1).fetchall()
    text = table_text(names, rows[:TABLE_ROWS], exact=exact)
    if len(rows) > TABLE_ROWS:
        note(f"only the first {TABLE_ROWS:,} rows are shown; --format csv gives all")
    return text


def dicts(relation: DuckDBPyRelation) -> list[Row]:
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
    limits = {name: (widths or {}).get(name, _CELL) for name in names[:-1]}
    columns = table_columns(names, rows, limits, exact=exact)
    cells = list(zip(*columns, strict=True))
    right = [any(isinstance(row[i], int | float) for row in rows) for i in range(len(names))]
    room = [max(map(len, [name, *texts])) for name, texts in zip(names, columns, strict=True)]
    rule = "  ".join("-" * min(width, _CELL) for width in room)
    lines = [_line(names, room, right), rule, *(_line(row, room, right) for row in cells)]
    return "\n".join(lines if rows else [*lines, "(no rows)"])


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


def is_number(value: Any) -> bool:
    """Return whether a value is a number, which true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


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


def markdown_escaped(value: Any) -> str:
    """Return a value escaped for a Markdown table: no markup, mention or column separator in it."""
    text = _MARKUP.sub(lambda found: "\\" + found[0], cell(value, None))
    return "".join(_ENTITIES.get(letter, letter) for letter in text)


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
    return text if limit is None else short_name(text, limit)


def short_name(text: str, limit: int) -> str:
    """Return text shortened in the middle to a number of characters.

    Paths, mangled names and template arguments differ at their ends, so more of the end is kept.
    Of a function with its place in the source, as TAU writes them, the name is kept.
    """
    if len(text) <= limit:
        return text
    start = (limit - 1) // 3
    if place := _PLACE.search(text):
        start = max(start, min(place.start(), limit - _LEAST_PLACE))
    return f"{text[:start]}…{text[start + 1 - limit :]}"


def short_names(texts: Sequence[str], limit: int) -> list[str]:
    """Return texts shortened to a number of characters so that different ones stay different.

    Those that would be equal are shortened where they are alike: before their first difference, or
    behind the last one. Where that does not tell them apart either, they stay whole.
    """
    shown = {text: short_name(text, limit) for text in texts}
    for alike in _alike(shown):
        start = len(os.path.commonprefix(alike))  # noqa: RUF071
        end = len(os.path.commonprefix([text[::-1] for text in alike]))  # noqa: RUF071
        for text in alike:
            # a third of the room for what is before the difference
            left = max(0, min(start - limit // 3, len(text) - end - limit + 2))
            shown[text] = _cut(text, left, limit)
    for alike in _alike(shown):
        shown |= {text: text for text in alike}
    return [shown[text] for text in texts]


def _alike(shown: Mapping[str, str]) -> list[list[str]]:
    """Return the texts that are shown as the same."""
    groups: dict[str, list[str]] = {}
    for text, short in shown.items():
        groups.setdefault(short, []).append(text)
    return [group for group in groups.values() if len(group) > 1]


def _cut(text: str, left: int, limit: int) -> str:
    """Return `limit` characters of a text from a place on, with an ellipsis at ends cut off."""
    before = "…" if left else ""
    rest = text[left:]
    room = limit - len(before)
    return before + (rest if len(rest) <= room else f"{rest[: room - 1]}…")


def sql_command(sql: str) -> str:
    """Return the command that answers a query, as a shell takes it, without its options."""
    is_plain = not set(sql) & set('"$`\\!')
    return f'pwh sql "{sql}"' if is_plain else f"pwh sql {shlex.quote(sql)}"


def rows_command(view: str, run_id: str) -> str:
    """Return the command that shows all rows that a view has of a run."""
    return sql_command(f"FROM {view} WHERE run_id = {sql_text(run_id)}")


def sql_text(value: str) -> str:
    """Return a text as SQL has it."""
    return "'" + value.replace("'", "''") + "'"


def version_text(version: str) -> str:
    """Return a version as text; of a commit the first ten digits."""
    return version[:_DIGITS] if _COMMIT.fullmatch(version) else cell(version, None)


def flags_text(flags: Sequence[str] | None) -> str | None:
    """Return the kind of each flag in words, without its explanation; None where there is none."""
    kinds = [flag.split(":")[0].replace("_", " ") for flag in flags or []]
    return ", ".join(dict.fromkeys(kinds)) or None


def spelled(error: UnicodeError) -> tuple[str, int]:
    """Return what a terminal without UTF-8 shows: u for micro, digits for blocks, else a ?.

    A handler of errors as codecs.register_error takes it.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(_SPELLED.get(letter, "?") for letter in text), error.end


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
    if target.suffix.lower() in _COMPRESSED:
        raise _not_written(target, "only CSV and JSON are compressed")
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


def three_digits(value: float | None) -> float | None:
    """Return a fraction to three significant digits; whole and large numbers stay whole.

    Beyond those that a fraction holds exactly there are no whole numbers, only long ones.
    """
    if value is None or isinstance(value, int) or not math.isfinite(value):
        return value
    is_whole = value == round(value) or abs(value) >= 1000
    return round(value) if is_whole and abs(value) < _EXACT else float(f"{value:.3g}")


def amount(value: float | None, unit: str | None = None) -> str:
    """Return a value to three significant digits with its unit: 13.4 ns; shares have none.

    Unknown is - without a unit.
    """
    return amounts([value], unit)[0]


def amounts(values: Sequence[float | None], unit: str | None = None) -> list[str]:
    """Return values as `amount` does, all with the SI prefix of the largest."""
    size, named = prefixed(values, unit)
    return [_amount(value, size, named) for value in values]


def _amount(value: float | None, size: float, unit: str | None) -> str:
    if value is None:
        return cell(None)
    digits = three_digits(value if size == 1 else value / size)
    number = f"{digits:,}" if isinstance(digits, int) else cell(digits)
    return number if unit in (None, "1") else f"{number} {cell(unit)}"


def prefixed(values: Iterable[float | None], unit: str | None) -> tuple[float, str | None]:
    """Return the size and the name of a unit with an SI prefix, so that the largest is 1 or more.

    That is the unit itself where it takes no prefix.
    """
    unit = _SYMBOLS.get(unit or "", unit)
    sizes = [abs(value) for value in values if value is not None and math.isfinite(value)]
    largest = three_digits(max(sizes, default=0)) or 0
    if unit not in _PREFIXES or largest == 0:
        return 1.0, unit
    prefixes = _PREFIXES[unit]
    size, prefix = next((one for one in prefixes if largest >= one[0]), prefixes[-1])
    return size, f"{prefix}{unit}"


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """Return a number of things: 1 run, 2 runs; `plural` where it is not the singular with an s."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def short_count(number: float) -> str:
    """Return a count to three significant digits, with k, M or G from ten thousand on."""
    for least, size, prefix in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if number >= least:
            return f"{number / size:.3g} {prefix}"
    return f"{number:,}"


@overload
def percent(share: float) -> str: ...
@overload
def percent(share: float | None) -> str | None: ...
def percent(share: float | None) -> str | None:
    """Return a share as per cent with three significant digits: 12.3 %; None where unknown."""
    if share is not None and 0 < abs(share) < _LEAST_SHARE:
        return f"under {amount(100 * _LEAST_SHARE, '%')}"
    return None if share is None else amount(100 * share, "%")


def signed_percent(change: float | None) -> str | None:
    """Return a relative change: +12.3 %; None where it is unknown."""
    if change is None:
        return None
    if abs(change) < _SMALLEST_CHANGE:
        change = 0.0
    return f"{100 * change:+.3g} %" if abs(change) < 10 else f"{amount(1 + change)} times"


def ratio_percent(ratio: float | None) -> str | None:
    """Return a ratio as a relative change: 1.05 is +5 %."""
    return None if ratio is None else signed_percent(ratio - 1)


def interval(low: float | None, high: float | None) -> str | None:
    """Return an interval of ratios as one of relative changes; None where there is none."""
    if low is None and high is None:
        return None
    last = ratio_percent(high) or "?"
    if high is not None and high > _LARGEST_RATIO:
        last = f"over {_LARGEST_RATIO:,} times"
    return f"{ratio_percent(low) or '?'} to {last}"


def exponent_text(exponent: float) -> str:
    """Return how a time depends on the number of processes p: falls as p^-0.70."""
    if round(exponent, 2) == 0:
        return "is constant"
    return f"{'grows' if exponent > 0 else 'falls'} as p^{exponent:.2f}"


def p_value_text(p_value: float | None) -> str:
    """Return the p-value of a change: small ones only as an upper bound."""
    if p_value is None:
        return "p unknown"
    return f"p = {p_value:.2g}" if p_value >= 1e-6 else "p < 1e-6"


def day(row: Mapping[str, Any]) -> str:
    """Return the date on which a row's run started."""
    return f"{row['started_at']:%Y-%m-%d}"
