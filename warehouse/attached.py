"""Table macros of an attached warehouse, which would answer from the current one.

DuckDB resolves the names in a macro where it is called, so `other.scaling_predict(64)` reads the
tables of the current database. Views resolve theirs where they are defined.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from warehouse.errors import UsageError

if TYPE_CHECKING:
    from warehouse.session import Connection

_QUALIFIED = re.compile(r'(?:"([^"]+)"|\b(\w+))\s*\.\s*(?:main\s*\.\s*)?"?(\w+)"?\s*\(')
_MACROS = """
    SELECT current_database(), list(DISTINCT function_name)
    FROM duckdb_functions()
    WHERE function_type = 'table_macro' AND NOT internal
"""


def check_macros(con: Connection, sql: str) -> None:
    """Raise where SQL attaches a warehouse and calls a macro by its name without USE before."""
    if "attach" not in sql.lower():
        return
    ((current, macros),) = con.execute(_MACROS).fetchall()
    for found in _QUALIFIED.finditer(sql):
        name, macro = found[1] or found[2], found[3]
        used = re.search(rf'\bUSE\s+"?{re.escape(name)}\b', sql[: found.start()], re.IGNORECASE)
        if macro.lower() in macros and name.lower() not in {current.lower(), "main"} and not used:
            raise UsageError(
                f"{name}.{macro}(...) would read the warehouse that is open, not {name}",
                hint=f"Make {name} the current one first: USE {name}; FROM {macro}(...)",
            )
