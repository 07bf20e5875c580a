"""What the overview watches."""

from __future__ import annotations

from apps.queries.base import ask, ask_column
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


def test_the_last_two_runs_of_a_reader_are_two_whatever_states_them(warehouse):
    known = {"sha256": "0", "bytes": 1, "reader": "plain", "rows": 1, "pwh_version": "0"}
    given(warehouse, "sources", "source_id path ingested_at\n1 f 2026-01-01", **known)
    given(warehouse, "runs", "run_id app started_at\nr1 a 2026-01-01\nr2 a 2026-01-02")
    facts = "run_id stated_by\nr1 file\nr2 file\nr2 option"
    given(warehouse, "run_facts", facts, source_id="1", position="0")
    assert ask_column(warehouse, "overview/last_runs") == ["r2", "r1"]
