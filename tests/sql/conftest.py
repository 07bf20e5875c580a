"""The warehouse that tests of views write rows into."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import warehouse as pwh
from tests.helpers import support
from tests.helpers.reused import reused_warehouse

if TYPE_CHECKING:
    from warehouse.session import Connection


@pytest.fixture
def warehouse(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """Yield an empty warehouse."""

    def new() -> Connection:
        return pwh.connect(shutil.copy(template, tmp_path_factory.mktemp("reused") / "w.duckdb"))

    yield from reused_warehouse(new)


@pytest.fixture(autouse=True)
def _settles(monkeypatch):
    """Compute those answers that tests read before they do, where these write or land rows.

    That what is computed while rows land is the same is what tests/ingest/test_analyses.py is of.
    """
    monkeypatch.setattr(support, "SETTLES", True)
    for module in ("load", "forget"):
        monkeypatch.setattr(f"ingest.{module}.analyse", support.analyse_when_read)
