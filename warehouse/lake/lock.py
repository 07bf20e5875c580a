"""The lock of those that write a lake: one of PostgreSQL, which a killed process lets go."""

from __future__ import annotations

import random
import time

from warehouse.errors import WarehouseBusy
from warehouse.session import Connection

# Any number of 64 bits that no other program uses: "pwh" and a one.
_LOCK = 0x70776801
_LOCK_SECONDS = 300.0


def lock(own: Connection, database: str) -> None:
    """Take the lock of writers for the transaction of a cursor in an attached PostgreSQL.

    Raises `WarehouseBusy` after some minutes.
    """
    deadline = time.monotonic() + _LOCK_SECONDS
    sql = f"SELECT * FROM postgres_query('{database}', 'SELECT pg_try_advisory_xact_lock({_LOCK})')"
    while own.execute(sql).fetchone() != (True,):
        if time.monotonic() > deadline:
            raise WarehouseBusy(
                f"another process has been writing the warehouse for {_LOCK_SECONDS:g} s",
                hint="Try again when it is done.",
            )
        time.sleep(random.uniform(0.01, 0.05))  # noqa: S311
