"""What the overview watches."""

from __future__ import annotations

from apps.queries.base import ask
from tests.helpers.support import given, keep


def test_the_size_of_a_trace_is_watched_where_there_is_nothing_else(warehouse):
    given(warehouse, "runs", """
        run_id  app  machine  threads  started_at
        x1      x    m        NULL     2026-01-01
        x2      x    m        2        2026-01-02
        y1      y    m        NULL     2026-01-03
    """)  # fmt: skip
    given(warehouse, "segments", "run_id segment instructions\nx1 0 9\ny1 0 9")
    given(warehouse, "pmu_samples", "run_id event value\nx2 widgets 100")
    keep(warehouse)
    found = (
        ask(warehouse, "overview/watched", number=9, most=1, app=None)
        .select("app, metric")
        .fetchall()
    )
    assert found == [("y", "segments:count"), ("x", "counter:widgets")]
