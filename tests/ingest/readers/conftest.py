"""Tests of readers look at what lands."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _land_only(without_analyses: None) -> None:
    """Store no answers about what lands."""
