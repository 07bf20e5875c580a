"""Maintenance of a warehouse: what makes it smaller and faster, and changes no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warehouse.errors import UsageError
from warehouse.lake.attach import is_lake
from warehouse.lake.maintenance import Maintained, maintain_lake
from warehouse.transactions import write_error

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def maintain(con: DuckDBPyConnection, keep_days: float) -> Maintained | None:
    """Write small files of a lake together and forget its past; write the log of a file into it.

    Of the past of a lake, `keep_days` days remain. Returns what was done in a lake.
    Raises `UsageError` over a server, whose statements have no checkpoint among them, and
    `WarehouseError` where the warehouse cannot be written.
    """
    import duckdb

    from warehouse.quack.client import Remote

    if isinstance(con, Remote):
        raise UsageError(
            "a served warehouse is maintained where pwh serve runs",
            hint="Stop the server there, and run pwh maintain.",
        )
    try:
        if is_lake(con):
            return maintain_lake(con, keep_days)
        con.execute("CHECKPOINT")
    except duckdb.Error as error:
        told = write_error(error)
        told.hint = "No rows are lost. Try again: what is done already is not done twice."
        raise told from error
    return None
