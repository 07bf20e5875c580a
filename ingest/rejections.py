"""Files that were rejected: remembered until they land."""

import os
from collections.abc import Iterable
from pathlib import Path

from ingest.compressed import path_text
from warehouse.errors import InputError
from warehouse.session import Connection
from warehouse.transactions import transaction
from warehouse.version import __version__


def remember_rejection(con: Connection, path: Path, reader: str | None, error: InputError) -> None:
    """Write down why a file was rejected, in place of an earlier reason."""
    file = _name(path)
    with transaction(con):
        con.execute("DELETE FROM rejections WHERE path = ?", [file])
        con.execute(
            "INSERT INTO rejections VALUES (?, now(), ?, ?, ?, ?, ?, ?)",
            [
                *(file, reader, error.problem, error.where, error.expected),
                *(error.hint, __version__),
            ],
        )


def forget_rejections(con: Connection, paths: Iterable[Path]) -> None:
    """Remove the rejections of files that have landed now."""
    files = [_name(path) for path in paths]
    con.execute("DELETE FROM rejections WHERE path IN (SELECT unnest(?))", [files])


def _name(path: Path) -> str:
    # `Path.resolve` raises RuntimeError for symbolic links that lead to each other.
    return path_text(Path(os.path.realpath(path)))
