"""Changes are looked for when files land: whoever reads them searches nothing."""

from __future__ import annotations

import pytest

import udfs.changes
import warehouse
from apps.queries.explanations import explained_against


@pytest.fixture
def searched(monkeypatch):
    """Return a list of how many series each call of series_findings searches."""
    found, search = [], udfs.changes.series_findings

    def counted(values, significance):
        found.append(len(values))
        return search(values, significance)

    monkeypatch.setattr(udfs.changes, "series_findings", counted)
    return found


@pytest.fixture
def con(demo_warehouse):
    with warehouse.connect(demo_warehouse, read_only=True) as con:
        yield con


def test_an_explanation_searches_nothing(con, searched):
    which = explained_against(con, "stencil-1.23")
    assert which.changed is not None
    assert searched == []


@pytest.mark.parametrize("style", ["table", "csv"])
def test_trend_searches_nothing(searched, run, demo_warehouse, style):
    code, out, _ = run("--db", str(demo_warehouse), "trend", "stencil", "--format", style)
    assert code == 0 and out
    assert searched == []
