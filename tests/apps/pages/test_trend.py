"""Trends: a metric over time, since when it changed, and why."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl

import warehouse as pwh
from apps.pages.trend_chart import history, levels_of
from tests.apps.pages.conftest import texts
from tests.helpers.support import given


def test_the_planted_change_is_named_and_drawn(open_page, demo_warehouse):
    app = open_page("trends", demo_warehouse, app="stencil", metric="wall_seconds")
    assert "wall_seconds: +18" in texts(app)
    assert ", version 1.23, " in texts(app)
    assert "; versions 1.22..1.23." in texts(app)
    assert len(app.get("vega_lite_chart")) == 1


def test_a_noisy_metric_has_not_changed(open_page, demo_warehouse):
    app = open_page("trends", demo_warehouse, app="spmv", metric="wall_seconds")
    assert "no change in " in texts(app) and "or more would be seen" in texts(app)


def test_too_few_runs_are_reported(open_page, demo_warehouse):
    app = open_page("trends", demo_warehouse, app="heat")
    assert "6 runs, of 10 that are needed" in texts(app)


def test_runs_without_a_start_are_in_no_order(open_page, empty_warehouse):
    con = pwh.connect(empty_warehouse)
    given(con, "runs", "run_id app wall_seconds\nr1 heat 1.5")
    con.close()
    text = texts(open_page("trends", empty_warehouse))
    assert "The start of every run of heat is unknown" in text


def test_nothing_landed(open_page, empty_warehouse):
    assert "There is no history yet" in texts(open_page("trends", empty_warehouse))


def points():
    """Return one series of four days whose level changes on the third."""
    return pl.DataFrame(
        {
            "series": ["m"] * 4,
            "run_id": list("abcd"),
            "version": ["1", "1", "2", "2"],
            "started_at": [datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2, 3, 4)],
            "value": [1.0, 1.0, 2.0, 2.0],
            "before": [None, None, 1.0, None],
            "after": [None, None, 2.0, None],
            "change": [None, None, 1.0, None],
            "direction": ["changed", "changed", "worse", "changed"],
            "certainty": [None, None, "confirmed", None],
            "disturbed": [False, True, False, False],
        }
    )


def test_levels_lie_between_changes():
    levels = levels_of(points())
    assert [(row[1].day, row[2].day, row[3]) for row in levels.iter_rows()] == [
        (1, 3, 1.0),
        (3, 4, 2.0),
    ]


def test_names_of_traces_are_values_of_the_chart_only():
    frame = points().with_columns(series=pl.lit("datum.x; alert(1)"))
    spec = history(frame, "seconds:<b>", "s").to_dict()
    datasets = spec.pop("datasets")
    assert "alert" in str(datasets)
    assert "expr" not in str(spec)
    assert spec["height"] == 380
