"""The revision of stored scalars: the SQL by which pwh adds them up, views included."""

from __future__ import annotations

import hashlib
from functools import cache

from warehouse import modules, sqlfiles
from warehouse.errors import WarehouseOutdated
from warehouse.messages import migrate_hint
from warehouse.session import Connection

_STATEMENTS = (*sqlfiles.files("derived/scalars"), *sqlfiles.files("derived/names"))


@cache
def current() -> str:
    """Return a digest of the views and statements by which this pwh adds up scalars."""
    texts = [*modules.digests().values(), *(path.read_text("utf-8") for path in _STATEMENTS)]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def check(con: Connection, path: str) -> None:
    """Raise where another pwh added up scalars that are stored."""
    # those of rows that are gone stay as they were
    sql = (
        "SELECT 1 FROM kept_runs WHERE revision IS DISTINCT FROM ? "
        "AND run_id NOT IN (SELECT run_id FROM forgotten_rows) LIMIT 1"
    )
    if con.execute(sql, [current()]).fetchall():
        raise WarehouseOutdated(
            f"another version of pwh added up scalars of {path}",
            hint=migrate_hint(path),
        )
