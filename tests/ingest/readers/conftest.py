"""Tests of readers look at what lands; those that request `analyses` at what is computed of it."""

from __future__ import annotations

import pytest


@pytest.fixture
def analyses() -> None:
    """Store answers about what lands, too."""


@pytest.fixture(autouse=True)
def _land_only(request: pytest.FixtureRequest) -> None:
    if "analyses" not in request.fixturenames:
        request.getfixturevalue("without_analyses")
