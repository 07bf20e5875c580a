"""Rows to stdout and to files, in any format."""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from apps.output.formats import Format
from apps.output.streams import not_written, write_text
from apps.output.tables import markdown_text, relation_text
from warehouse.errors import UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_NUMBERS = {
    *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT"),
    *("UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL"),
}
_FORMULA = r"^\s*[-=+@\t\r]"


_COPY = {
    Format.csv: "(FORMAT csv, HEADER true)",
    Format.safe_csv: "(FORMAT csv, HEADER true)",
    Format.json: "(FORMAT json, ARRAY true)",
    Format.jsonl: "(FORMAT json)",
    Format.parquet: "(FORMAT parquet)",
}


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
            raise not_written(target, reason) from None
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
        yield f"/dev/fd/{write_end}"
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
