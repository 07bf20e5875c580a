"""Rows to stdout and to files, in any format."""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from apps.output.files import not_written, replacing
from apps.output.formats import Format
from apps.output.streams import write_text
from apps.output.tables import markdown_text, relation_text
from warehouse.errors import UsageError
from warehouse.session import Connection, Relation

_NUMBERS = {
    *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT"),
    *("UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL"),
}
_ROWS = "_rows_to_write"
_FORMULA = r"^\s*[-=+@\t\r]"


_COPY = {
    "csv": "FORMAT csv, HEADER true",
    "safe-csv": "FORMAT csv, HEADER true",
    "json": "FORMAT json, ARRAY true",
    "jsonl": "FORMAT json",
    "parquet": "FORMAT parquet",
}


def emit(
    con: Connection,
    rows: Relation | Callable[[], Relation] | None,
    style: Format = "table",
    target: Path | None = None,
    text: Callable[[], str] | None = None,
    *,
    exact: bool = False,
) -> None:
    """Write rows, or those that a function returns, to stdout or a file; nothing without any.

    Numbers of tables are `exact` or not as in `table_text`. Where there is a `text` that answers
    in words, that is written in place of a table, and the rows are not asked for.
    """
    if style == "table" and text is not None:
        write_text(text(), target)
        return
    relation = rows() if callable(rows) else rows
    if relation is None:
        return
    if style == "table":
        write_text(relation_text(relation, exact=exact), target)
        return
    if style == "markdown":
        write_text(markdown_text(relation.columns, relation.fetchall()), target)
        return
    if target is None and style == "parquet" and sys.stdout.isatty():
        raise UsageError("Parquet is not for the terminal", hint="Name a file: -o FILE")
    if style == "safe-csv":
        relation = _without_formulas(relation)
    # This makes a temporary view of the relation. SQL finds no variable of Python by its name where
    # it may not read files, and what `query` itself runs, Ctrl-C does not stop.
    relation.query(_ROWS, f"FROM {_ROWS}")
    # DuckDB's own writers stream the rows. A draft of DuckDB's would replace links in /dev.
    statement = f"COPY (FROM {_ROWS}) TO ? ({_COPY[style]}, USE_TMP_FILE false)"
    with _stdout_as_path() if target is None else replacing(target) as path:
        con.execute(statement, [str(path)])


def emit_columns(style: Format, target: Path | None, **columns: Sequence[Any]) -> None:
    """Write rows of no warehouse, given by their columns, to stdout or a file."""
    import duckdb

    values = ", ".join(f'unnest(${name}) AS "{name}"' for name in columns)
    con = duckdb.connect()
    emit(con, con.sql(f"SELECT {values}", params=columns), style, target)


def _without_formulas(relation: Relation) -> Relation:
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
def _stdout_as_path() -> Iterator[Path]:
    """Yield a path that leads to stdout.

    Not /dev/stdout itself: opening that again would truncate the file that `>>` appends to.
    """
    sys.stdout.flush()
    read_end, write_end = os.pipe()
    broken: list[OSError] = []

    def pump() -> None:
        with os.fdopen(read_end, "rb") as data:
            try:
                shutil.copyfileobj(data, sys.stdout.buffer)
                sys.stdout.buffer.flush()
            except OSError as error:
                broken.append(error)

    thread = threading.Thread(target=pump)
    thread.start()
    try:
        yield Path(f"/dev/fd/{write_end}")
    except Exception:
        # DuckDB fails when the reader of stdout has gone, as `head` does; that is not an error.
        os.close(write_end)
        thread.join()
        _check(broken)
        raise
    os.close(write_end)
    thread.join()
    _check(broken)


def _check(broken: list[OSError]) -> None:
    for error in broken:
        if isinstance(error, BrokenPipeError):
            raise error from None
        raise not_written(Path("stdout"), error.strerror or str(error)) from None
