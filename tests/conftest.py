"""Fixtures that all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

import warehouse as pwh

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

if "PYTEST_XDIST_WORKER" in os.environ:
    # Test processes side by side, each with a thread a core, would mostly wait for each other.
    os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture
def warehouse() -> Iterator[DuckDBPyConnection]:
    """Give an empty warehouse in memory."""
    con = pwh.connect(":memory:")
    yield con
    con.close()
