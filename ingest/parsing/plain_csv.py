"""CSV files with a header of known columns: their names, and how DuckDB is to read them."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from ingest.parsing.dates import written_date
from ingest.parsing.lines import first_line, split
from ingest.parsing.scratch import scratch
from warehouse.errors import InputError

# Of an index that pandas wrote, or where lines end with a separator.
_UNNAMED = "unnamed column "
_COMMENTS = re.compile(rb"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))*")
_DELIMITERS = ",;\t|"
_PROBED_ROWS = 200_000
_WHOLE = ("INTEGER", "BIGINT", "INTEGER[]", "BIGINT[]")
# A list is refused for any point in it.
_FRACTION = (
    "((contains(\"{0}\", '.') OR contains(\"{0}\", 'e-')) AND (contains(\"{0}\", '[') "
    'OR TRY_CAST("{0}" AS DOUBLE) <> trunc(TRY_CAST("{0}" AS DOUBLE))))'
)
_POINTS = (
    "SELECT 1 FROM (SELECT concat_ws(' ', {names}) AS cells {read}) "
    "WHERE contains(cells, '.') OR contains(cells, 'e-') LIMIT 1"
)
_LONGEST_LAST_LINE = 2 << 20
# DuckDB reads a file in pieces of a buffer and stores the rows of each apart, in row groups. Of
# pieces of one or two row groups and a few rows it stores most rows twice.
_ROWS_OF_PIECE = 4 * 122_880
_SMALLEST_BUFFER, _LARGEST_BUFFER = 8 << 20, 64 << 20
_READ = (
    "FROM read_csv($path, columns = $columns, delim = $delimiter, header = $header, "
    "auto_detect = false, quote = '\"', escape = '\"', buffer_size = $buffer, skip = $skip, "
    "decimal_separator = $decimal, nullstr = $nulls)"
)
_WITH_COMMA = re.compile(r"[-+]?\d+,\d+(?:[eE][-+]?\d+)?")
_MAY_BE_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")


def column_names(head: bytes) -> tuple[str, ...]:
    """Return the column names of the first line, in lower case; raises `InputError`.

    Columns without a name have one that `named` leaves out. Lines before it that begin with # are
    comments.
    """
    head = _without_comments(head)[0]
    try:
        names = next(csv.reader(io.StringIO(first_line(head)), delimiter=_delimiter(head)), [])
    except csv.Error as error:
        raise InputError(f"the header cannot be read ({error})", where="line 1") from None
    if not names:
        raise InputError("there are no column names", expected="a table with a header")
    stripped = [name.strip().lower() for name in names]
    return tuple(name or f"{_UNNAMED}{place}" for place, name in enumerate(stripped, 1))


def named(names: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that have a name."""
    return tuple(name for name in names if not name.startswith(_UNNAMED))


def check_unique(names: Iterable[str]) -> None:
    """Raise `InputError` where two columns have one name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"the column {name!r} is a duplicate", where="line 1")
        seen.add(name)


def source(
    head: bytes,
    path: Path,
    columns: tuple[str, ...],
    types: Mapping[str, str],
    *,
    left_out: bool,
    header: bool = True,
    nulls: tuple[str, ...] = ("",),
) -> tuple[str, dict[str, Any]]:
    """Return the FROM clause over the file, and its parameters.

    `types` are SQL types by column name; `left_out` is whether some statement does not read
    all columns; cells that are one of `nulls` are NULL. Decimal commas are taken where another
    character parts the columns, no number of the file's beginning has a point, and not all could
    be thousands. Raises `InputError` where the last line is too long, and where a column of
    whole numbers contains fractions, which DuckDB would round in silence.
    """
    dates = [name for name in columns if types[name].startswith("TIMESTAMP")]
    head, comments = _without_comments(head)
    delimiter = _delimiter(head)
    fractions = [place for place, name in enumerate(columns) if types[name].startswith("DOUBLE")]
    params = {
        "path": str(path),
        "delimiter": delimiter,
        "header": header,
        "nulls": list(nulls),
        "decimal": _decimal_mark(head, delimiter, fractions),
        "columns": {name: "VARCHAR" if name in dates else types[name] for name in columns},
        "buffer": buffer_bytes(path),
        "skip": comments,
    }
    if left_out:
        check_text(path)
    _refuse_fractions(params)
    if not dates:
        return _READ, params
    _note_zones(head, delimiter, [place for place, name in enumerate(columns) if name in dates])
    # read_csv itself makes NULL of a date with time zone that it does not understand.
    casts = ", ".join(f"CAST({name} AS {types[name]}) AS {name}" for name in dates)
    return f"FROM (SELECT * REPLACE ({casts}) {_READ})", params


def _note_zones(head: bytes, delimiter: str, dates: Collection[int]) -> None:
    """Note whether dates in these columns of the first lines have a zone."""
    for row in csv.reader(_whole_lines(head), delimiter=delimiter):
        for place in dates:
            if place < len(row):
                written_date(row[place])


def _without_comments(head: bytes) -> tuple[bytes, int]:
    """Return the beginning of a file behind blank lines and comments, and how many these are."""
    found = _COMMENTS.match(head)
    lead = found[0] if found else b""
    return head[len(lead) :], len(lead.splitlines())


def _delimiter(head: bytes) -> str:
    return max(_DELIMITERS, key=first_line(head).count)


def _whole_lines(head: bytes) -> list[str]:
    """Return the lines of a file's beginning that are whole."""
    whole = head[: max(head.rfind(b"\n"), head.rfind(b"\r"), 0)]
    return whole.decode("utf-8", "replace").splitlines()


def _decimal_mark(head: bytes, delimiter: str, fractions: Collection[int]) -> str:
    """Return the comma where numbers in these columns of the first lines are written with it."""
    if delimiter == ",":
        return "."
    lines = _whole_lines(head)[1:]
    try:
        found = [
            row[place].strip()
            for row in csv.reader(lines, delimiter=delimiter)
            for place in fractions
            if place < len(row)
        ]
    except csv.Error:
        return "."
    with_comma = [value for value in found if _WITH_COMMA.fullmatch(value)]
    is_sure = not all(map(_MAY_BE_THOUSANDS.fullmatch, with_comma))
    return "," if is_sure and not any("." in value for value in found) else "."


def check_text(path: Path) -> None:
    """Raise `InputError`, with the line, unless the file is UTF-8.

    DuckDB looks itself, but breaks the whole database over other bytes in a column that it was
    not read ("Attempted to access index 11 within vector of size 8").
    """
    with path.open("rb") as file:
        for chunk in split(file):
            chunk.check_text()


def buffer_bytes(path: Path) -> int:
    """Return the `buffer_size` of read_csv for a file.

    Raises `InputError` where the file's last line is longer than 2 MiB: DuckDB leaves out one that
    does not fit into a buffer.
    """
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _LONGEST_LAST_LINE))
        tail = file.read()
    lines = max(tail.count(b"\n"), tail.count(b"\r")) + (not tail.endswith((b"\n", b"\r")))
    if size > len(tail) and lines == 1:
        raise InputError("the last line is too long", expected="lines of at most 2 MB")
    return min(max(_ROWS_OF_PIECE * len(tail) // lines, _SMALLEST_BUFFER), _LARGEST_BUFFER)


def _refuse_fractions(params: Mapping[str, Any]) -> None:
    """Look for values such as 2.5 in columns of whole numbers, in the first 200 000 rows.

    Looking at all rows of a long file would take half as long as landing them, and a column of
    fractions shows within so many. Most files have no point in such a column: that is looked for
    first, as to plan the question for each column takes longer than to read a small file.
    """
    import duckdb

    whole = [name for name, kind in params["columns"].items() if kind in _WHOLE]
    if not whole:
        return
    text = {**params, "columns": dict.fromkeys(params["columns"], "VARCHAR")}
    names = ", ".join(f'"{name}"' for name in whole)
    points = _POINTS.format(names=names, read=f"{_READ} LIMIT {_PROBED_ROWS}")
    fractions = " OR ".join(_FRACTION.format(name) for name in whole)
    problem = " ".join(
        f"WHEN {_FRACTION.format(name)} THEN \"{name}\" || ' in the column {name}'"
        for name in whole
    )
    sql = (
        f"SELECT row_number, CASE {problem} END FROM (SELECT row_number() OVER () AS row_number, "
        f"{names} {_READ} LIMIT {_PROBED_ROWS}) WHERE {fractions} LIMIT 1"
    )
    try:
        with scratch() as con:
            if con.execute(points, text).fetchone() is None:
                return
            found = con.execute(sql, text).fetchone()
    except duckdb.Error:
        # Damage of another kind: whoever lands the file finds it, and the line.
        return
    if found is not None:
        raise InputError(found[1], where=f"row {found[0]}", expected="a whole number")
