"""Memory shared between DuckDB and arrays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@contextmanager
def modest(con: DuckDBPyConnection, most: str) -> Iterator[None]:
    """Let DuckDB have `most` ("4GB") for a while and go to disk beyond, where it may have more.

    For steps in which arrays need memory too. Over a connection of its own, because a failed
    transaction takes no more settings.
    """
    import duckdb

    with con.cursor() as other:
        before, is_more = other.execute(
            "SELECT value, parse_formatted_bytes(value) > parse_formatted_bytes($most) "
            "FROM (SELECT current_setting('memory_limit') AS value)",
            {"most": most},
        ).fetchall()[0]
        with suppress(duckdb.Error):
            other.execute(f"SET memory_limit = '{most if is_more else before}'")
        try:
            yield
        finally:
            other.execute(f"SET memory_limit = '{before}'")
