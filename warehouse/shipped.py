"""Rows that come with pwh: metric sets and rules (sql/reference), fitted models (sql/models).

They are ordinary rows, so that users can add to them. A newer pwh updates them: in a table, its
rows replace those that it added before; of a model, it adds another version. Rows added by users
remain.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from warehouse import models, sqlfiles
from warehouse.errors import WarehouseOutdated
from warehouse.messages import migrate_hint
from warehouse.session import Connection
from warehouse.transactions import in_file
from warehouse.version import __version__


def files() -> tuple[Path, ...]:
    """Return the files that ship: first tables of rows, named like their table, then models."""
    tables = sorted((sqlfiles.SQL / "reference").glob("*.csv"))
    return (*tables, *models.shipped_files())


def check(con: Connection, path: str) -> None:
    """Raise where the shipped rows in the database differ from those of this pwh."""
    if _missing(con):
        raise WarehouseOutdated(
            f"{path} lacks metric sets or models of this version of pwh",
            hint=migrate_hint(path),
        )


def are_there(con: Connection) -> bool:
    """Return whether a database has shipped rows, of whatever pwh: they are made last."""
    import duckdb

    try:
        return con.execute("FROM shipped_files LIMIT 1").fetchone() is not None
    except duckdb.CatalogException:
        return False


def refresh(con: Connection) -> bool:
    """Add what the database lacks of the shipped files; return whether it lacked any."""
    missing = _missing(con)
    if not missing:
        return False
    with in_file(con):
        for file, (name, digest) in missing.items():
            if file.suffix == ".csv":
                _replace_rows(con, file)
            else:
                models.land(con, file)
            con.execute("DELETE FROM shipped_files WHERE path = ?", [name])
            con.execute("INSERT INTO shipped_files VALUES (?, ?, ?)", [name, digest, __version__])
    return True


def _missing(con: Connection) -> dict[Path, tuple[str, str]]:
    """Return the files whose content is not in the database, with name and SHA-256."""
    known = dict(con.execute("SELECT path, sha256 FROM shipped_files").fetchall())
    return {
        file: (name, digest)
        for file, (name, digest) in digests().items()
        if known.get(name) != digest
    }


@cache
def digests() -> dict[Path, tuple[str, str]]:
    """Return the name and the SHA-256 of each file that ships."""
    return {
        file: (
            file.relative_to(sqlfiles.SQL).as_posix(),
            hashlib.sha256(file.read_bytes()).hexdigest(),
        )
        for file in files()
    }


def _replace_rows(con: Connection, file: Path) -> None:
    # The name of the table is that of pwh's own file.
    con.execute(f"DELETE FROM {file.stem} WHERE shipped")
    con.execute(
        f"INSERT INTO {file.stem} BY NAME "
        "SELECT *, true AS shipped FROM read_csv(?, header = true, all_varchar = true)",
        [str(file)],
    )
