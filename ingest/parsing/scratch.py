"""A database in memory for questions about a file, before anything of it lands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from warehouse.session import Connection


@contextmanager
def scratch() -> Iterator[Connection]:
    """Yield a cursor of a database that all files share: making one takes 10 ms, as a file may.

    After an error of DuckDB, which may have broken the database, the next file gets a new one.
    """
    import duckdb

    try:
        with _database().cursor() as con:
            yield con
    except duckdb.Error:
        _database.cache_clear()
        raise


@cache
def _database() -> Connection:
    import duckdb

    con: Connection = duckdb.connect()
    return con
