"""Memory shared between DuckDB and arrays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.session import Connection


class _Borrowed:
    """Rows that DuckDB reads as often as it likes, until they are let go."""

    def __init__(self, rows: pa.Table) -> None:
        self.rows: pa.Table | None = rows

    def __arrow_c_schema__(self) -> object:
        return self._present().schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._present().__arrow_c_stream__(requested_schema)

    def _present(self) -> pa.Table:
        if self.rows is None:
            raise ValueError("these rows were let go")
        return self.rows


@contextmanager
def registered(con: Connection, **tables: pa.Table) -> Iterator[None]:
    """Let SQL see tables of Arrow for a while.

    What was registered in a transaction DuckDB keeps until that ends, where it was unregistered,
    too. So that is only a reference.
    """
    borrowed = {name: _Borrowed(rows) for name, rows in tables.items()}
    tables.clear()
    try:
        for name, rows in borrowed.items():
            con.register(name, rows)
        yield
    finally:
        # A failed transaction takes no more statements, and ends with its views.
        with suppress(duckdb.Error):
            for name in borrowed:
                con.unregister(name)
        for one in borrowed.values():
            one.rows = None


@contextmanager
def modest(con: Connection, most: str) -> Iterator[None]:
    """Let DuckDB have `most` ("4GB") for a while and go to disk beyond, where it may have more.

    For steps in which arrays need memory too. Over a connection of its own, because a failed
    transaction takes no more settings.
    """
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
