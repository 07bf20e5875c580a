"""Files that are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import warehouse as pwh
from tests.helpers.support import land, rows
from tests.ingest.copies import is_empty
from warehouse.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


_IDLE: list[tuple[DuckDBPyConnection, tuple[str, ...]]] = []


@pytest.fixture
def warehouse() -> Iterator[DuckDBPyConnection]:
    """Yield an empty warehouse in memory, which another test of this process may have used.

    Opening one takes longer than emptying it. One that cannot be emptied is not used again.
    """
    con, tables = _IDLE.pop() if _IDLE else _new()
    yield con
    counts = (f"SELECT '{table}' WHERE EXISTS (FROM {table})" for table in tables)
    for (table,) in rows(con, " UNION ALL ".join(counts)):
        con.execute(f"DELETE FROM {table}")
    _IDLE.append((con, tables))


def _new() -> tuple[DuckDBPyConnection, tuple[str, ...]]:
    """Return a warehouse and the names of its empty tables: the others have rows of pwh's own."""
    con = pwh.connect(":memory:")
    found = rows(
        con, "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND estimated_size = 0"
    )
    return con, tuple(name for (name,) in found)


@pytest.fixture
def refusal(warehouse: DuckDBPyConnection, tmp_path: Path) -> Callable[..., str]:
    """Land a file that must be refused, and return the message without the file's path."""

    def refuse(content: bytes, name: str = "x.csv", **options: Any) -> str:
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(InputError) as error:
            land(warehouse, path, **options)
        assert is_empty(warehouse)
        assert str(error.value).startswith(str(path))
        return str(error.value).removeprefix(str(path)).lstrip(",: ")

    return refuse
