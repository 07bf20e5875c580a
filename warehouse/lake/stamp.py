"""The stamp of a lake: a digest of all that a pwh makes in a warehouse, in a view of the lake.

Each table that opening asks takes a lake some ten milliseconds, and several times that once its
schema has changed. Views come with the schema, which is read anyway.
"""

from __future__ import annotations

import hashlib
from functools import cache

from warehouse import migrations, revision, shipped
from warehouse.errors import WarehouseOutdated
from warehouse.lake.attach import is_lake
from warehouse.session import Connection
from warehouse.sqlfiles import literal


@cache
def _current() -> str:
    """Return the digest of the tables, views, rows and stored scalars of this pwh."""
    rows = (f"{name} {digest}" for name, digest in shipped.digests().values())
    text = "\0".join((*migrations.names(), revision.current(), *rows))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_current(con: Connection) -> bool:
    """Return whether a database is a lake in which everything was made by this pwh."""
    import duckdb

    if not is_lake(con):
        return False
    try:
        row: object = con.execute("FROM _stamp").fetchone()
    except (duckdb.BinderException, duckdb.CatalogException):
        # No such view, or that of another program.
        return False
    return row == (_current(), True)


def write(con: Connection, *, is_whole: bool) -> None:
    """Note in a lake that its tables, views and rows are of this pwh.

    `is_whole` is whether the stored scalars are, too.
    """
    if is_lake(con) and not is_current(con):
        digest = literal(_current())
        con.execute(
            f"CREATE OR REPLACE VIEW _stamp AS SELECT {digest} AS digest, {is_whole} AS is_whole"
        )


def check_unchanged(con: Connection) -> None:
    """Raise where another pwh migrated the lake since a connection opened it."""
    if is_lake(con) and con.execute("SELECT digest FROM _stamp").fetchone() != (_current(),):
        raise WarehouseOutdated(
            "another version of pwh has migrated the warehouse meanwhile",
            hint="Start again, with that version of pwh.",
        )
