"""DuckDB errors that show that a warehouse is damaged or out of reach, or that memory ran out."""

from __future__ import annotations

from warehouse.duckdb_texts import CONFLICT, DAMAGE, FILE_OF_LAKE, LOST, SERVER_ANSWERED
from warehouse.errors import WarehouseDamaged, WarehouseError
from warehouse.memory import out_of_memory
from warehouse.messages import without_class

RESTORE = "Restore the file from a copy, or ingest the recordings again."


def is_out_of_reach(error: Exception) -> bool:
    """Return whether PostgreSQL, which has the catalogue of a lake, does not answer."""
    message = str(error)
    return bool(LOST.search(message)) and not SERVER_ANSWERED.search(message)


def damage(error: Exception) -> WarehouseError | None:
    """Return the error that reports it, where a DuckDB error shows that the warehouse is damaged.

    Or that the catalogue of a lake is out of reach, or that memory ran out.
    """
    import duckdb

    if (ran_out := out_of_memory(error)) is not None:
        return ran_out
    message = str(error)
    match error:
        case duckdb.Error() if CONFLICT in message or SERVER_ANSWERED.search(message):
            return None
        case duckdb.Error() if is_out_of_reach(error):
            return WarehouseError(
                "the catalogue of the warehouse is out of reach: PostgreSQL does not answer",
                hint="Nothing landed that was not reported so. Try again when it is back.",
            )
        case duckdb.Error() if file := FILE_OF_LAKE.search(message):
            return WarehouseDamaged(
                f"the file {file[0]} of the warehouse cannot be read",
                hint=f"pwh doctor names the tables that cannot be read. {RESTORE}",
            )
        case duckdb.FatalException() | duckdb.SerializationException():
            pass
        case duckdb.Error() if DAMAGE.search(message):
            pass
        case _:
            return None
    reason = without_class(message.split("\n", 1)[0]).strip()[:200]
    return WarehouseDamaged(
        f"the warehouse cannot be read, its file seems to be damaged ({reason})",
        hint=f"pwh doctor names the tables that cannot be read. {RESTORE}",
    )
