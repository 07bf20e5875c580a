"""The page Compare: verdicts, ratios, the waterfall, and why."""

from __future__ import annotations

import polars as pl
import pytest

import warehouse as pwh
from apps.pages.bottleneck_charts import share_chart
from apps.pages.comparison_charts import class_chart, ratio_chart, waterfall_chart
from tests.apps.pages.conftest import address, texts
from tests.helpers.support import given, keep


def test_two_runs_are_compared(open_page, demo_warehouse):
    app = open_page("compare", demo_warehouse, before="stencil-1.22", after="stencil-1.23")
    text = texts(app)
    assert "got worse beyond the noise" in text
    assert "of the loss is in sweep" in text
    assert len(app.get("vega_lite_chart")) >= 2
    assert "Profiles of the two" in text


def test_the_sides_of_the_last_change_are_compared_by_default(open_page, demo_warehouse):
    app = open_page("compare", demo_warehouse)
    assert address(app, "before") == "stencil@1.22"
    assert address(app, "after") == "stencil@1.23"


def test_a_run_alone_is_compared_with_one_before_it(open_page, demo_warehouse):
    app = open_page("compare", demo_warehouse, after="heat-1.4")
    assert address(app, "before") == "heat-1.3"
    assert "From heat-1.3 (1 run) to heat-1.4 (1 run)" in texts(app)


def test_a_class_has_the_colour_that_it_has_on_the_page_bottlenecks():
    frame = pl.DataFrame({"class": ["Mem", "DTB"], "share": [0.7, 0.3], "side": ["a", "a"]})
    places = frame.with_columns(position=1, samples=1).rename({"side": "place"})
    compared, own = (
        chart.to_dict()["encoding"]["color"]["scale"]
        for chart in (class_chart(frame, ("a", "b")), share_chart(places))
    )
    assert compared == own


def test_a_run_is_not_compared_with_itself(open_page, demo_warehouse):
    app = open_page("compare", demo_warehouse, before="heat-1.3", after="heat@1.3")
    assert "are both the run heat-1.3" in texts(app)


def test_runs_without_a_common_metric(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    given(con, "runs", "run_id app\nr1 a\nr2 a")
    con.close()
    app = open_page("compare", new_warehouse, before="r1", after="r2")
    assert "nothing in common to compare" in texts(app)


def test_without_functions_there_are_no_profiles_to_look_at(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    given(con, "runs", "run_id app wall_seconds\nr1 a 1\nr2 a 2")
    con.close()
    text = texts(open_page("compare", new_warehouse, before="r1", after="r2"))
    assert "wall_seconds: " in text and "Profiles of the two" not in text


def test_runs_are_named_in_order_of_time(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    days = [f"r{day} a v{1 + day // 5} 2026-01-0{day}" for day in range(1, 9)]
    given(con, "runs", "\n".join(["run_id app version started_at", *days]))
    times = [f"r{day} f {1 + day // 5 + day / 1000}" for day in range(1, 9)]
    given(con, "fn_timings", "\n".join(["run_id function seconds", *times]))
    keep(con)
    con.close()
    app = open_page("compare", new_warehouse, before="a@v1", after="a@v2")
    assert "in 4 runs, r5 to r8 against 4 runs, r1 to r4" in texts(app)


def test_an_empty_warehouse_shows_what_to_ingest(open_page, empty_warehouse):
    assert "pwh" in texts(open_page("compare", empty_warehouse))


@pytest.mark.parametrize("after", [12.0, 10.0, 0.0])
def test_the_steps_of_the_waterfall_lead_from_one_total_to_the_other(after):
    steps = [("<b>f</b>", 3.0), ("g", after - 13.0)]
    drawn = waterfall_chart(10.0, steps, after, "s").to_dict()
    (rows,) = drawn["datasets"].values()
    assert [row["from"] for row in rows[1:-1]] == [10.0, 13.0]
    assert rows[-2]["to"] == rows[-1]["to"] == after


def test_ratios_beyond_all_others_are_drawn_at_the_edge():
    frame = pl.DataFrame(
        {
            "metric": ["a", "b"],
            "verdict": ["worse", "unknown"],
            "ratio": [1e9, 1e-9],
            "low": [2.0, None],
            "high": [None, None],
            "share": [None, None],
        },
        schema_overrides={"high": pl.Float64, "share": pl.Float64},
    )
    drawn = ratio_chart(frame).to_dict()
    rows = next(rows for rows in drawn["datasets"].values() if len(rows) == 2)
    assert [row["at"] for row in rows] == [10.0, 0.1]


def test_versions_are_compared_at_each_count(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    runs, times = ["run_id app version ranks started_at"], ["run_id function seconds"]
    for version, slower in (("1", 1), ("2", 2)):
        for p in (2, 4, 8):
            runs.append(f"v{version}.{p} a {version} {p} 2024-01-0{version}")
            times.append(f"v{version}.{p} solve {8 / p * (slower if p == 8 else 1)}")
    given(con, "runs", "\n".join(runs))
    given(con, "fn_timings", "\n".join(times))
    keep(con)
    con.close()
    app = open_page("compare", new_warehouse, before="a@1", after="a@2")
    assert "The later version is slower at 8, by 100 %, where solve changed most" in texts(app)
    tables = [frame.value for frame in app.dataframe]
    (by_count,) = [one for one in tables if "functions_changed" in one.columns]
    assert list(by_count["parallelism"]) == [2, 4, 8]
