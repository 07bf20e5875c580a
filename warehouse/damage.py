"""DuckDB errors that show that the file of a warehouse is damaged."""

from __future__ import annotations

import re

from warehouse.errors import WarehouseDamaged

# DuckDB has no class of its own for damage; these are the words of its storage layer.
_DAMAGE = re.compile(
    r"corrupt|checksum|could not read enough bytes|written with a mode|failed to deserialize|"
    r"invalid (?:block|unsupported)|read out of range|out of range of the file|"
    r"failed to load metadata pointer|database has been invalidated",
    re.IGNORECASE,
)
RESTORE = "Restore the file from a copy, or ingest the recordings again."
_CLASS = re.compile(r"^[A-Z][\w ]+ Error: ")


def damage(error: Exception) -> WarehouseDamaged | None:
    """Return the error that tells of damage, where a DuckDB error shows that the file has some."""
    import duckdb

    match error:
        case duckdb.FatalException() | duckdb.SerializationException():
            pass
        case duckdb.Error() if _DAMAGE.search(str(error)):
            pass
        case _:
            return None
    reason = _CLASS.sub("", str(error).split("\n", 1)[0]).strip()[:200]
    return WarehouseDamaged(
        f"the warehouse cannot be read, its file seems to be damaged ({reason})",
        hint=f"pwh doctor names the tables that cannot be read. {RESTORE}",
    )
