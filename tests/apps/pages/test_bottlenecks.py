"""The page Bottlenecks: metrics, issue slots, class shares, costs, clusters, tuning history."""

from __future__ import annotations

import json

import polars as pl
import pytest

import warehouse as pwh
from apps.fitting.labels import add_label
from apps.output.colours import CLASSES
from apps.pages import bottleneck_charts as charts
from apps.pages.metric_heatmap import metric_heatmap
from apps.pages.slot_charts import roofline_chart, short_regions, tree_boxes, tree_chart
from apps.queries.base import ask_dicts
from apps.reports.star_glyphs import Star, Stars
from tests.apps.pages.conftest import address, texts
from tests.helpers.support import given, land, rows, shared

COUNTERS = """
    run_id  rank  sample  event         value
    r1      0     0       cycles        1000
    r1      0     0       instructions  500
    r1      1     0       cycles        1000
    r1      1     0       instructions  900
    r1      1     1       cycles        1000
    r1      1     1       instructions  800
    r2      0     0       cycles        1000
    r2      0     0       instructions  100
"""


@pytest.fixture
def counters(warehouse):
    given(
        warehouse,
        "runs",
        """
        run_id  app      version
        r1      stencil  1.0
        r2      stencil  1.1
        r3      heat     1.0
        """,
    )
    given(warehouse, "pmu_samples", COUNTERS)
    return warehouse


def test_an_empty_warehouse_shows_what_to_ingest(open_page, empty_warehouse):
    text = texts(open_page("bottlenecks", empty_warehouse))
    assert "No run has hardware counters yet" in text
    assert "pwh ingest counters.csv --app program --version 1.0" in text


def test_the_demo_gets_a_verdict_a_heatmap_shares_and_a_history(open_page, demo_warehouse):
    app = open_page("bottlenecks", demo_warehouse)
    text = texts(app)
    assert "Balance (" in text and "What a cure could save at most" in text
    assert [heading.value for heading in app.subheader] == [
        "Metrics",
        "Classes of processes",
        "What a cure could save at most",
        "Classes, what drove them, what helps",
        "Clusters of the model in use",
        "Tuning history",
    ]
    assert "A ray is log10" not in text, "a star is of one place, which nobody chose"


def test_a_link_reproduces_the_view(open_page, demo_warehouse):
    con = pwh.connect(demo_warehouse, read_only=True)
    run, app_name = rows(
        con,
        "SELECT run_id, app FROM runs JOIN pmu_samples USING (run_id) "
        "WHERE app = 'stencil' AND region = 'sweep' ORDER BY ALL LIMIT 1",
    )[0]
    con.close()
    star = "sweep, rank 0, sample 0"
    app = open_page("bottlenecks", demo_warehouse, app=app_name, run=run, by="sample", star=star)
    chosen = [box.value for box in app.selectbox if box.key != "rank"]
    assert chosen == [app_name, run, "sample", star]
    assert "A ray is log10 of a metric over its smallest value here" in texts(app)


def test_counters_without_cycles_get_the_reason_and_no_stars(open_page, demo_warehouse):
    text = texts(open_page("bottlenecks", demo_warehouse, app="heat"))
    assert "the tool could not count cycles, instructions; in a virtual machine " in text
    assert "there are no stars to draw" in text


def metrics(*values):
    """Return stars of places, with the values of one metric."""
    places = [Star(f"place {i}", "Mem", 1, (v,), (None,)) for i, v in enumerate(values)]
    return Stars(("IPC",), ("instructions per cycle (IPC)",), 1.0, len(places), tuple(places))


@pytest.mark.parametrize(
    ("values", "over"),
    [
        ((1.0, 2.0, 8.0), [0.5, 1.0, 4.0]),
        ((0.0, 0.0, 3.0), [1.0, 1.0, 4.0]),  # the usual is 0: any other is much more
        ((None, 2.0, 2.0), [1.0, 1.0]),
        ((None, None), []),
    ],
)
def test_a_value_is_coloured_by_the_median_of_its_row(values, over):
    drawn = metric_heatmap(metrics(*values)).to_dict()
    data = [rows for rows in drawn["datasets"].values() if rows and "over" in rows[0]]
    assert [row["over"] for rows in data[:1] for row in rows] == over


SLOTS = {
    "retiring": 0.3,
    "smt_contention": None,
    "bad_speculation": 0.1,
    "frontend_bound": 0.1,
    "backend_bound": 0.5,
    **dict.fromkeys(("light_operations", "heavy_operations"), None),
    **dict.fromkeys(("branch_mispredict", "machine_clears"), 0.05),
    "frontend_latency": 0.1,
    "frontend_bandwidth": 0.0,
    "memory_bound": 0.4,
    "core_bound": 0.1,
}


def test_the_top_down_tree_has_parts_below_their_category():
    boxes, adds_up = tree_boxes(SLOTS)
    assert adds_up
    found = {row["name"]: (row["begin"], row["end"]) for row in boxes.to_dicts()}
    assert found["backend bound"] == pytest.approx((0.5, 1.0))
    assert found["memory bound"] == pytest.approx((0.5, 0.9))
    assert found["core bound"] == pytest.approx((0.9, 1.0))
    assert "light operations" not in found, "not counted"
    assert tree_chart(boxes).to_dict()


def test_parts_in_other_units_keep_their_numbers_and_fit_below_their_category():
    boxes, adds_up = tree_boxes(SLOTS | {"memory_bound": 0.6, "core_bound": 0.2})
    found = {row["name"]: row for row in boxes.to_dicts()}
    assert not adds_up
    assert found["memory bound"]["share"] == 0.6
    assert found["core bound"]["end"] == pytest.approx(1.0)


def test_regions_are_named_by_the_end_of_their_path_where_that_tells_them_apart():
    assert short_regions(["a->x", "a->y", None]) == ["x", "y", "outside of regions"]
    assert short_regions(["a->x", "b->x"]) == ["a->x", "b->x"]


def test_real_top_down_counters_have_a_tree_and_a_roofline(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    land(con, shared("pmu/rajaperf_topdown/clang_1406_BaseSeq_O3_8388608_01.cali"))
    con.close()
    app = open_page("bottlenecks", new_warehouse)
    text = texts(app)
    assert "Where the issue slots went: top-down" in text
    assert "The 30 of 68 regions that lose most slots." in text
    assert "The roof is unknown: pwh knows no peaks of quartz." in text
    con = pwh.connect(new_warehouse)
    given(con, "machine_settings", "machine peak_flops peak_bytes_per_second\nquartz 4e10 1.5e10")
    con.close()
    app.run()
    assert "The roof is unknown" not in texts(app)


@pytest.mark.parametrize("peaks", [(None, None), (4.0, 2.0)])
def test_the_roof_is_drawn_where_both_peaks_are_known(peaks):
    frame = pl.DataFrame(
        {
            "region": ["f"],
            "intensity": [1.0],
            "flops_per_second": [1.5],
            "seconds": [1.0],
            "reached": [None],
            "bound": [None],
            "peak_flops": [peaks[0]],
            "peak_bytes_per_second": [peaks[1]],
        },
        schema_overrides={"bound": pl.String, "reached": pl.Float64},
    )
    drawn = roofline_chart(frame).to_dict()
    roof = [rows for rows in drawn["datasets"].values() if "name" not in rows[0]]
    expected = [{"intensity": x, "flops_per_second": y} for x, y in ((0.5, 1), (2, 4), (8, 4))]
    assert roof == ([expected] if peaks[0] else [])


def test_the_application_with_most_runs_comes_first(counters):
    given(counters, "pmu_samples", "run_id event value\nr3 cycles 10")
    assert [row["run_id"] for row in ask_dicts(counters, "bottlenecks/counted_runs")] == [
        "r1",
        "r2",
        "r3",
    ]


def test_class_shares_are_of_processes(counters):
    add_label(counters, "r1", "Mem", "Ada", {"rank": 1, "sample": 1})
    found = ask_dicts(counters, "bottlenecks/class_shares", runs=["r1"], most=24)
    assert [(row["place"], row["class"], row["samples"], row["share"]) for row in found] == [
        ("rank 0", "Unknown", 1, 1.0),
        ("rank 1", "Mem", 1, 0.5),
        ("rank 1", "Unknown", 1, 0.5),
    ]


def test_classes_are_of_the_rank_that_is_chosen(counters):
    add_label(counters, "r1", "Mem", "Ada", {"rank": 1, "sample": 1})
    found = {
        rank: {
            row["class"]: row["samples"]
            for row in ask_dicts(counters, "bottlenecks/classes", runs=["r1"], rank=rank)
        }
        for rank in (None, 0, 1)
    }
    assert found == {
        None: {"Mem": 1, "Unknown": 2},
        0: {"Unknown": 1},
        1: {"Mem": 1, "Unknown": 1},
    }


def test_a_link_narrows_classes_and_costs_to_a_rank(open_page, demo_warehouse):
    asked = {"app": "stencil", "run": "stencil-1.25"}
    app = open_page("bottlenecks", demo_warehouse, **asked, rank="1")
    assert "Classes, what drove them, what helps, of rank 1" in texts(app)
    assert "there is no 'one' here" in texts(
        open_page("bottlenecks", demo_warehouse, **asked, rank="one")
    )


def test_versions_name_the_runs_that_they_tell_apart(counters):
    found = ask_dicts(counters, "bottlenecks/class_shares", runs=["r1", "r2"], most=24)
    assert [row["place"] for row in found] == [
        "version 1.0, rank 0",
        "version 1.0, rank 1",
        "version 1.1, rank 0",
    ]


def test_of_many_processes_some_are_given_evenly(counters):
    found = ask_dicts(counters, "bottlenecks/class_shares", runs=["r1", "r2"], most=2)
    assert [(row["position"], row["places"]) for row in found] == [(2, 3), (3, 3)]


def test_runs_without_a_model_have_no_clusters(counters):
    assert ask_dicts(counters, "bottlenecks/clusters", runs=["r1"]) == []


def test_a_cluster_is_its_medoid_in_deviations_from_the_mean(warehouse):
    warehouse.execute(
        """
        CREATE OR REPLACE TEMP VIEW bottlenecks AS SELECT 'r1' AS run_id, 'bottlenecks/9' AS model;
        INSERT INTO models VALUES (
          'bottlenecks', 9, 'mine', 'x', ['IPC', 'MEMAPC'], 'd', 1, now(), false, '1'
        );
        INSERT INTO model_arrays VALUES
          ('bottlenecks', 9, 'medoids', [2, 2], [1, 2, 3, 4]),
          ('bottlenecks', 9, 'medoid_classes', [2], [1, 6]),
          ('bottlenecks', 9, 'medoid_sizes', [2], [30, 20]),
          ('bottlenecks', 9, 'mean', [2], [1, 1]),
          ('bottlenecks', 9, 'deviation', [2], [1, 2]);
        """
    )
    found = ask_dicts(warehouse, "bottlenecks/clusters", runs=["r1"])
    assert [
        (row["cluster"], row["class"], row["samples"], row["metric"], row["deviations"])
        for row in found
    ] == [
        (1, "Mem", 30, "IPC", 0.0),
        (1, "Mem", 30, "MEMAPC", 0.5),
        (2, "Unknown", 20, "IPC", 2.0),
        (2, "Unknown", 20, "MEMAPC", 1.5),
    ]


def test_a_star_is_a_closed_line_around_its_rays():
    star = Star("rank 0", "Mem", 3, (0.5, None), (1.0, None))
    drawn = json.loads(
        charts.star_chart(Stars(("IPC", "MEMAPC"), ("IPC", "MEMAPC"), 1.0, 1, (star,))).to_json()
    )
    data = [rows for rows in drawn["datasets"].values() if "values" in rows[0]]
    assert data[0][0]["values"] == "IPC 0.5, MEMAPC -"
    marks = [layer["mark"] for layer in drawn["layer"]]
    assert {"interpolate": "linear-closed"}.items() <= marks[2].items()


def test_classes_keep_their_colours_whatever_else_is_drawn():
    frame = pl.DataFrame(
        {
            "place": ["a", "a"],
            "position": [1, 1],
            "class": ["DTB", "Mem"],
            "samples": [1, 3],
            "share": [0.25, 0.75],
        }
    )
    colours = charts.share_chart(frame).to_dict()["encoding"]["color"]["scale"]
    assert colours == {"domain": ["Mem", "DTB"], "range": [CLASSES["Mem"], CLASSES["DTB"]]}


def test_a_link_to_a_run_chooses_its_application(open_page, demo_warehouse):
    app = open_page("bottlenecks", demo_warehouse, run="heat-1.3")
    assert app.selectbox("app").value == "heat"
    assert not app.error


def test_the_applications_are_those_of_the_warehouse_after_a_comparison(open_page, demo_warehouse):
    # Both pages ask which runs have counters; the comparison, only of its two runs.
    open_page("compare", demo_warehouse, before="heat-1.3", after="heat-1.4")
    app = open_page("bottlenecks", demo_warehouse)
    assert app.selectbox("app").value == "stencil"
    assert {"heat", "stencil"} <= set(app.selectbox("app").options)


def test_the_tree_is_of_any_run_with_issue_slots(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    given(con, "runs", "run_id app started_at\nold a 2026-04-01\nnew a 2026-04-02")
    parts = ("retiring", "bad_speculation", "frontend_bound", "backend_bound")
    shares = {"old": (10, 20, 30, 40), "new": (70, 10, 10, 10)}
    lines = [
        f"{run} tma_{part} {share}"
        for run, of_run in shares.items()
        for part, share in zip(parts, of_run, strict=True)
    ]
    given(con, "pmu_samples", "\n".join(["run_id event value", *lines]), sample=0)
    con.close()
    app = open_page("bottlenecks", new_warehouse)
    assert app.selectbox("drawn").value == "new"
    app.selectbox("drawn").select("old").run()
    assert not app.error
    assert address(app, "drawn") == "old"
    assert "Top-down shares by region of old" in [one.label for one in app.expander]
