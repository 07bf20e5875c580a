"""Fast empty warehouses, for the tests of ingestion take hundreds; and files that are refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import warehouse as pwh
from tests.ingest.copies import is_empty
from tests.support import land
from warehouse.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give an empty warehouse to copy, which takes a tenth of making one."""
    path = tmp_path_factory.mktemp("template") / "w.duckdb"
    pwh.connect(path).close()
    return path


@pytest.fixture
def another(
    template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], DuckDBPyConnection]]:
    """Give a function that gives an empty warehouse at each call."""
    folder = tmp_path_factory.mktemp("warehouses")
    opened: list[DuckDBPyConnection] = []

    def make() -> DuckDBPyConnection:
        path = folder / f"{len(opened)}.duckdb"
        shutil.copy(template, path)
        opened.append(pwh.connect(path))
        return opened[-1]

    yield make
    for con in opened:
        con.close()
    shutil.rmtree(folder)


@pytest.fixture
def warehouse(another: Callable[[], DuckDBPyConnection]) -> DuckDBPyConnection:
    """Give an empty warehouse."""
    return another()


@pytest.fixture
def refusal(warehouse: DuckDBPyConnection, tmp_path: Path) -> Callable[..., str]:
    """Land a file that must be refused, and give the message without the file's path."""

    def refuse(content: bytes, name: str = "x.csv", **options: Any) -> str:
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(InputError) as error:
            land(warehouse, path, **options)
        assert is_empty(warehouse)
        assert str(error.value).startswith(str(path))
        return str(error.value).removeprefix(str(path)).lstrip(",: ")

    return refuse
