"""The database: open it, migrate it, describe it.

import warehouse
con = warehouse.connect("pwh.duckdb", read_only=True)
con.sql("FROM runs")
"""

from typing import TYPE_CHECKING, Any

from warehouse.version import __version__

if TYPE_CHECKING:
    from warehouse.connection import connect

__all__ = ["__version__", "connect"]


def __getattr__(name: str) -> Any:
    # `pwh --help` imports the errors of this package, and opens no warehouse.
    if name == "connect":
        from warehouse.connection import connect

        return connect
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
