"""Fixtures that all tests share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

import warehouse as pwh

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@pytest.fixture
def warehouse() -> Iterator[DuckDBPyConnection]:
    """Give an empty warehouse in memory."""
    con = pwh.connect(":memory:")
    yield con
    con.close()
