"""Maintenance of a warehouse: what makes it smaller and faster, and changes no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warehouse import lake
from warehouse.lake import Maintained

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def maintain(con: DuckDBPyConnection, keep_days: float) -> Maintained | None:
    """Write small files of a lake together and forget its past; write the log of a file into it.

    Of the past of a lake, `keep_days` days remain. Returns what was done in a lake.
    """
    if lake.is_lake(con):
        return lake.maintain(con, keep_days)
    con.execute("CHECKPOINT")
    return None
