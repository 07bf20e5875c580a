"""Regressions and provisional changes are the same from findings that they share."""

from __future__ import annotations

import pytest

from apps.queries.base import narrowed
from apps.queries.overview import findings_of_series, latest_provisional, latest_regressions
from warehouse import connect


@pytest.mark.parametrize("metrics", [["wall_seconds", "functions:seconds"], None])
def test_shared_findings_give_the_same_changes(demo_warehouse, metrics):
    def changes(con):
        return [
            question(con, 50, metrics).fetchall()
            for question in (latest_regressions, latest_provisional)
        ]

    with connect(demo_warehouse, read_only=True) as con:
        plain = changes(con)
        with narrowed(con, findings_of_series(metrics)) as own:
            assert changes(own) == plain
    assert plain[0]
