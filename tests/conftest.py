"""Fixtures that all tests share."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import warehouse as pwh

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

if "PYTEST_XDIST_WORKER" in os.environ:
    # Test processes side by side, each with a thread a core, would mostly wait for each other.
    os.environ.setdefault("OMP_NUM_THREADS", "1")


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
