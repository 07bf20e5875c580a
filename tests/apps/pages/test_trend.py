"""Trends: a metric over time, since when it changed, and why."""

from __future__ import annotations

import json
import re
import shutil
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

import warehouse as pwh
from apps.pages.filters import period_of, period_text
from apps.pages.trend_chart import change_label, history, levels_of, times_of
from apps.pages.trend_choice import Choice
from tests.apps.pages.conftest import address, links, texts
from tests.helpers.support import given, keep


def test_the_planted_change_is_named_and_drawn(open_page, demo_warehouse):
    app = open_page("trends", demo_warehouse, app="stencil", metric="wall_seconds")
    assert "wall_seconds: +17.8" in texts(app)
    assert ", version 1.23, " in texts(app)
    assert "; versions 1.22..1.23." in texts(app)
    assert len(app.get("vega_lite_chart")) == 1


def test_a_noisy_metric_has_not_changed(open_page, demo_warehouse):
    app = open_page("trends", demo_warehouse, app="spmv", metric="wall_seconds")
    assert "no change in " in texts(app) and "or more would be seen" in texts(app)


def test_too_few_runs_are_reported(open_page, demo_warehouse):
    app = open_page("trends", demo_warehouse, app="heat")
    assert "6 runs, of 10 that are needed" in texts(app)


def test_runs_without_a_start_are_in_no_order(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    given(con, "runs", "run_id app wall_seconds\nr1 heat 1.5")
    con.close()
    text = texts(open_page("trends", new_warehouse))
    assert "The start of every run of heat is unknown" in text


def test_values_in_several_units_are_no_series(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    given(con, "runs", "run_id app started_at\nr1 heat 2026-01-01\nr2 heat 2026-01-02")
    given(con, "metrics", "run_id metric value unit\nr1 size 5000 MB\nr2 size 5 GB")
    keep(con)
    con.close()
    text = texts(open_page("trends", new_warehouse))
    assert "metric:size is in several units (GB, MB), the newest since run r2" in text


@pytest.mark.parametrize(
    ("apart", "labels", "title"),
    [
        (timedelta(days=2), "%Y-%m-%d", "Start of the run"),
        (timedelta(minutes=17), "%m-%d %H:%M", "Start of the run"),
        (timedelta(seconds=30), "%H:%M:%S", "Start of the run, 2026-11-29"),
        (timedelta(seconds=1), "%H:%M:%S.%L", "Start of the run, 2026-11-29"),
    ],
)
def test_labels_of_an_axis_are_as_fine_as_its_ticks(apart, labels, title):
    starts = [datetime(2026, 11, 29, 8, 58, tzinfo=UTC) + apart * i for i in range(20)]
    points = pl.DataFrame({"started_at": starts, "version": "1", "run_id": "r"})
    axis = times_of(points, by_version=False).x("at").to_dict()["axis"]
    assert (axis["format"], axis["title"]) == (labels, title)


def test_nothing_landed(open_page, empty_warehouse):
    assert "There is no history yet" in texts(open_page("trends", empty_warehouse))


def points():
    """Return one series of four days whose level changes on the third."""
    return pl.DataFrame(
        {
            "metric": ["seconds:<b>"] * 4,
            "unit": ["s"] * 4,
            "series": ["m"] * 4,
            "run_id": list("abcd"),
            "version": ["1", "1", "2", None],
            "started_at": [datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2, 3, 4)],
            "value": [1.0, 1.0, 2.0, 2.0],
            "before": [None, None, 1.0, None],
            "after": [None, None, 2.0, None],
            "change": [None, None, 1.0, None],
            "direction": [None, None, "worse", None],
            "certainty": [None, None, "provisional", None],
            "acknowledged": [None, None, None, None],
            "disturbed": [False, True, False, False],
        },
        schema_overrides={"acknowledged": pl.String},
    )


def test_levels_lie_between_changes():
    levels = levels_of(points())
    assert [(row[1].day, row[2].day, row[3]) for row in levels.iter_rows()] == [
        (1, 3, 1.0),
        (3, 4, 2.0),
    ]
    # of levels that drift, a change states what they are there
    drifting = points().with_columns(before=pl.col("before") * 1.5)
    assert levels_of(drifting).equals(levels)


@pytest.mark.parametrize("by_version", [False, True])
def test_names_of_traces_are_values_of_the_chart_only(by_version):
    frame = points().with_columns(series=pl.lit("datum.x; alert(1)"), version=pl.lit("alert(2)"))
    chart = history(frame, times_of(frame, by_version=by_version), picked=["b"])
    spec = chart.to_dict()
    datasets = spec.pop("datasets")
    assert "alert" in str(datasets)
    assert "expr" not in str(spec)
    assert not re.search(r"labelExpr': '[^']*alert", str(spec))
    assert spec["height"] == 380


def test_a_change_is_labelled_with_what_is_certain_and_known():
    row = points().row(2, named=True)
    assert change_label(row) == "+100 % worse, provisional"
    assert change_label(row | {"acknowledged": "expected", "change": None}) == (
        "from 0 worse, provisional, expected"
    )


def test_versions_are_ticks_where_they_begin_and_unknown_ones_runs():
    times = times_of(points(), by_version=True)
    labels = [label.split("\u2003")[1] for label in times.versions]
    assert labels == ["1", "1", "2", "d"]
    ticks = times.x("at").to_dict()["axis"]["values"]
    assert [label.split("\u2003")[1] for label in ticks] == ["1", "2", "d"]


@pytest.mark.parametrize("by_version", [False, True])
def test_a_part_that_is_brushed_becomes_the_window(by_version):
    starts = points()["started_at"].to_list()
    times = times_of(points(), by_version=by_version)
    part = times.versions[1:3] if by_version else [one.timestamp() * 1000 for one in starts[1:3]]
    chosen = Choice("app").after(0, {"window": {"at": part}}, times)
    assert chosen.window == (starts[1], starts[2])
    assert chosen.key(0) != Choice("app").key(0), "the chart is drawn anew, without the brush"
    # one run is no window
    assert Choice("app").after(0, {"window": {"at": part[:1]}}, times).window is None


def test_of_points_that_are_clicked_the_last_two_count():
    times = times_of(points(), by_version=False)
    choice = Choice("app")
    for run, runs in (("a", ("a",)), ("b", ("a", "b")), ("c", ("b", "c")), ("b", ("c", "b"))):
        choice = choice.after(0, {"runs": [{"run_id": run}]}, times)
        assert choice.runs == runs
    assert choice.after(0, {"runs": [{"run_id": "b"}]}, times) is choice, "the page ran again"
    assert choice.after(0, {"runs": []}, times).runs == ()


def test_a_link_shows_metrics_in_a_window_with_two_runs(open_page, demo_warehouse):
    link = {
        "app": "stencil",
        "metric": ["wall_seconds", "functions:seconds"],
        "by": "versions",
        "from": "2026-10-25",
        "to": "2026-11-03T12:00:00",
        "runs": ["stencil-1.22", "stencil-1.23"],
    }
    app = open_page("trends", demo_warehouse, **link)
    text = texts(app)
    assert len(app.get("vega_lite_chart")) == 2
    assert "wall_seconds: +17.8" in text and "functions:seconds (" in text
    assert "Compare the two" in text
    (back,) = [button for button in app.button if "show all" in button.label]
    back.click().run()
    assert address(app, "from") == ""
    assert app.query_params["runs"] == ["stencil-1.22", "stencil-1.23"]


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ({"from": "yesterday", "to": "2026-11-03"}, "no window of time from 'yesterday'"),
        ({"from": "2026-11-03", "to": "2026-11-01"}, "no window of time"),
        ({"from": "2020-01-01", "to": "2020-02-01"}, "No run of this history started from"),
        ({"runs": "heat-1.0"}, "there is no 'heat-1.0' here"),
        ({"metric": "nonsense"}, "there is no 'nonsense' here"),
    ],
)
def test_what_a_link_has_wrong_is_told(open_page, demo_warehouse, link, said):
    app = open_page("trends", demo_warehouse, app="stencil", **link)
    assert said in texts(app)
    assert {key: address(app, key) for key in link} == link


def test_a_change_is_acknowledged_and_withdrawn(open_page, demo_warehouse, tmp_path):
    db = shutil.copy(demo_warehouse, tmp_path / "demo.duckdb")
    app = open_page("trends", db, app="stencil")
    app.text_input(key="ack_note stencil-1.23").input("new physics").run()
    app.button(key="ack stencil-1.23").click().run()
    assert "Acknowledged as expected: new physics." in texts(app)
    app.button(key="open stencil-1.23").click().run()
    assert "Acknowledged as" not in texts(app)


def test_the_explanation_begins_with_the_functions(open_page, demo_warehouse):
    app = open_page("trends", demo_warehouse, app="stencil", why="stencil-1.23")
    spec = json.loads(app.get("vega_lite_chart")[1].proto.spec)
    assert spec["encoding"]["x2"]["field"] == "end"
    assert "86.6 % of the loss is in sweep" in texts(app)
    pair = "run=stencil-1.23&against=stencil-1.22"
    assert links(app)["sweep"] == ("profile", f"{pair}&function=sweep")
    assert links(app)["Both profiles"] == ("profile", pair)
    assert "boundary" not in links(app), "it differs by less than 2 % of all"


def test_a_part_that_is_chosen_goes_along_as_a_period(open_page, demo_warehouse):
    app = open_page("runs", demo_warehouse, app="stencil", time="2026-10-25 to 2026-10-27")
    assert len(app.dataframe[0].value) == 3
    app = open_page("inbox", demo_warehouse, time="2026-11-01 to 2026-11-03")
    assert list(app.dataframe[0].value["event_id"]) == [2]
    assert "'soon' is no period" in texts(open_page("inbox", demo_warehouse, time="soon"))


@pytest.mark.parametrize("hours", [1, 48, 24 * 90])
def test_the_text_of_a_period_is_read_as_that_period(hours):
    first = datetime(2026, 11, 1, 22, 30, 5, 250000, tzinfo=UTC)
    last = first + timedelta(hours=hours)
    begin, end = period_of(period_text((first, last)))
    assert begin <= first < last <= end
    assert end - begin < last - first + timedelta(days=2)


def test_a_single_run_is_a_link_and_no_chart(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    given(con, "runs", "run_id app started_at wall_seconds\nr1 heat 2026-04-01 4.319927")
    con.close()
    app = open_page("trends", new_warehouse)
    assert "wall_seconds: 4.32 s in r1" in texts(app)
    assert not app.get("vega_lite_chart") and not app.get("arrow_vega_lite_chart")
    assert "Click a point" not in texts(app)
