"""Files that were rejected: remembered until they land."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.compressed import path_text
from warehouse.transactions import transaction
from warehouse.version import __version__

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from warehouse.errors import InputError


def remember_rejection(
    con: DuckDBPyConnection, path: Path, reader: str | None, error: InputError
) -> None:
    """Write down why a file was rejected, in place of an earlier reason."""
    file = path_text(path.resolve())
    with transaction(con):
        con.execute("DELETE FROM rejections WHERE path = ?", [file])
        con.execute(
            "INSERT INTO rejections VALUES (?, now(), ?, ?, ?, ?, ?, ?)",
            [
                file,
                reader,
                error.problem,
                error.where,
                error.expected,
                error.hint,
                __version__,
            ],
        )


def forget_rejections(con: DuckDBPyConnection, paths: Iterable[Path]) -> None:
    """Remove the rejections of files that have landed now."""
    files = [path_text(path.resolve()) for path in paths]
    con.execute("DELETE FROM rejections WHERE path IN (SELECT unnest(?))", [files])
