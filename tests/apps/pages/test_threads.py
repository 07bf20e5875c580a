"""The page Threads: verdict, control flow, likeness, groups."""

from __future__ import annotations

import warehouse as pwh
from apps.queries.base import ask_dicts
from tests.apps.pages.conftest import texts
from tests.helpers.support import given


def test_an_empty_warehouse_shows_what_to_ingest(open_page, empty_warehouse):
    text = texts(open_page("threads", empty_warehouse))
    assert "No run has traces of basic blocks yet" in text
    assert "valgrind --tool=exp-bbv" in text


def test_the_demo_gets_a_verdict_and_its_control_flow(open_page, demo_warehouse):
    app = open_page("threads", demo_warehouse)
    text = texts(app)
    assert "launch 0" in text and "different basic-block vectors among" in text
    (graph,) = app.get("graphviz_chart")
    assert "stencil.cu:13" in graph.proto.spec


def test_without_edges_blocks_are_a_table(open_page, demo_warehouse):
    text = texts(open_page("threads", demo_warehouse, run="heat-ac919fe8"))
    assert "The trace has no edges, so no control flow can be drawn." in text
    assert "Groups of similar threads" in text


def test_edges_make_a_graph(open_page, tmp_path):
    path = tmp_path / "w.duckdb"
    with pwh.connect(path) as con:
        given(con, "runs", "run_id app\nr1 a")
        given(con, "bb_visits", "launch kernel thread bb visits\n0 k 0 0 1\n0 k 0 1 4")
        given(con, "bb_edges", "launch kernel src dst count\n0 k 0 1 1\n0 k 1 1 3")
    app = open_page("threads", path)
    (graph,) = app.get("graphviz_chart")
    assert graph.proto.spec.startswith("digraph cfg {")
    assert 'block 1\\n4 visits"' in graph.proto.spec
    assert "edges show their probability" in texts(app)


def test_cpu_threads_without_blocks_have_an_imbalance(open_page, tmp_path):
    path = tmp_path / "w.duckdb"
    with pwh.connect(path) as con:
        given(con, "runs", "run_id app\nr1 a")
        given(con, "pmu_samples", "thread region event value\n1 work Ir 1\n2 work Ir 3")
    text = texts(open_page("threads", path))
    assert "an imbalance of 50 %" in text and "What each thread spent" in text
    assert "Functions by the excess of the busiest thread" in text


def test_threads_that_differ_get_a_picture(open_page, demo_warehouse):
    app = open_page("threads", demo_warehouse, run="heat-ac919fe8", metric="manhattan")
    text = texts(app)
    assert "visits are not known, only instructions" in text
    assert len(app.get("image")) == 1
    assert "3 threads by 3: black is equal" in text and "manhattan distance" in text


def test_threads_that_are_all_alike_get_none(open_page, demo_warehouse):
    app = open_page("threads", demo_warehouse, run="stencil-1.25")
    assert not app.get("image")
    assert "threads have the same vector: there is no picture to draw" in texts(app)


def test_a_link_reproduces_launch_and_distance(open_page, demo_warehouse):
    app = open_page("threads", demo_warehouse, launch="0", metric="manhattan")
    assert [box.value for box in app.selectbox][1:3] == ["0", "manhattan"]


def test_runs_that_count_visits_come_first(warehouse):
    given(warehouse, "runs", "run_id started_at\nr1 2026-01-02\nr2 2026-01-01\nr3 2026-01-03")
    given(
        warehouse,
        "bb_visits",
        """
        run_id  launch  thread  bb  visits  instructions
        r1      0       0       0   NULL    4
        r2      0       0       0   1       4
        """,
    )
    assert [row["run_id"] for row in ask_dicts(warehouse, "threads/runs")] == ["r2", "r1"]


def test_barriers_and_another_program(open_page, tmp_path):
    path = tmp_path / "w.duckdb"
    with pwh.connect(path) as con:
        given(con, "runs", "run_id app\nr1 a\nr2 a")
        for run, times in (("r1", 1), ("r2", 5)):
            rows = [f"{run} 0 k 0 {t} 0 {times if t else 1}" for t in range(2)]
            given(
                con, "bb_visits", "\n".join(["run_id launch kernel block thread bb visits", *rows])
            )
            given(con, "bb_blocks", f"run_id kernel bb size barriers\n{run} k 0 2 1")
    app = open_page("threads", path, run="r2", vectors="barriers", other="r1")
    text = texts(app)
    assert len(app.get("image")) == 1 and "distance of their vectors of barriers" in text
    assert "r2: what its instructions do is not recorded; r1: what its" in text
