"""Answers of the views that call pwh's functions, as tables for clients that do not have these."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from apps.output.formats import Format
from apps.output.numbers import counted
from apps.output.writing import emit
from warehouse.connection import cursor
from warehouse.errors import UsageError
from warehouse.modules import calling_functions

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_DATABASES = (".duckdb", ".db")


def export_views(con: DuckDBPyConnection, path: Path) -> Iterator[tuple[float, str]]:
    """Write each view as a Parquet file of a folder, or as a table of a new DuckDB file.

    Yields the share of the views that is written, and a line on the last. Views that build on each
    other are computed once. Raises `UsageError` where a file cannot be written.
    """
    if path.suffix not in _DATABASES:
        _make(path)
        yield from _write(con, path)
        return
    if path.exists():
        raise UsageError(
            f"{path} is there already", hint="Delete it first, or name another file: --views FILE"
        )
    _make(path.parent)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".pwh-views-") as folder:
        yield from _write(con, Path(folder))
        _gather(Path(folder), path)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder {folder}: {error.strerror}") from None


def _write(con: DuckDBPyConnection, folder: Path) -> Iterator[tuple[float, str]]:
    views, _ = calling_functions(con)
    own = cursor(con)
    try:
        for done, name in enumerate(views, 1):
            # What builds on this view reads the table, which shadows it. Names are those of views.
            own.execute(f"CREATE TEMP TABLE {name} AS FROM {name}")
            relation = own.table(f"temp.{name}")
            emit(own, relation, Format.parquet, folder / f"{name}.parquet")
            rows = (relation.count("*").fetchone() or (0,))[0]
            yield done / len(views), f"{name}: {counted(rows, 'row')}"
    finally:
        own.close()


def _gather(folder: Path, path: Path) -> None:
    """Make a DuckDB file of Parquet files; one that is not whole is deleted."""
    import duckdb

    draft = folder / "views.duckdb"
    try:
        with duckdb.connect(str(draft)) as plain:
            for file in sorted(folder.glob("*.parquet")):
                plain.execute(f"CREATE TABLE {file.stem} AS FROM read_parquet(?)", [str(file)])
        draft.rename(path)
    except (OSError, duckdb.Error) as error:
        first = str(error).split("\n", 1)[0]
        raise UsageError(f"cannot write {path}: {first}") from None
