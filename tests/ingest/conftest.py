"""Files that are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.helpers.reused import reused_warehouse
from tests.helpers.support import land
from tests.ingest.copies import is_empty
from warehouse.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@pytest.fixture
def warehouse(in_memory: Callable[[], DuckDBPyConnection]) -> Iterator[DuckDBPyConnection]:
    """Yield an empty warehouse in memory."""
    yield from reused_warehouse(in_memory, only_lands=True)


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
