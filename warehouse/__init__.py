"""The database: open it, migrate it, describe it.

import warehouse
con = warehouse.connect("pwh.duckdb", read_only=True)
con.sql("FROM runs")
"""

from warehouse.connection import connect
from warehouse.version import __version__

__all__ = ["__version__", "connect"]
