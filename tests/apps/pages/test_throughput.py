"""The page Throughput: predicted beside measured, limits, threads, segments."""

from __future__ import annotations

import polars as pl
import pytest

from apps.output.tables import dicts
from apps.pages import throughput_charts as charts
from apps.queries.throughput import plotted_segments, streamed_runs
from tests.apps.pages.conftest import texts
from tests.helpers.support import given

# The view's columns, without the model behind it.
PREDICTIONS = """
    CREATE OR REPLACE TEMP VIEW throughput_predictions AS
    SELECT
      'r1' AS run_id, 0 AS thread, i AS segment, 2.0 AS predicted, 1.5 AS low, 2.5 AS high,
      CASE i % 4 WHEN 0 THEN 2.0 ELSE 4.0 END AS width_bound,
      CASE i % 4 WHEN 1 THEN 2.0 ELSE 4.0 END AS critical_path_bound,
      CASE i % 4 WHEN 2 THEN 2.0 ELSE 4.0 END AS unit_bound,
      CASE i % 4 WHEN 3 THEN 2.0 ELSE 4.0 END AS serialising_bound,
      CASE WHEN i < 6 THEN 1.0 END AS measured, 100.0 AS predicted_cycles, 'throughput/1' AS model,
      [] AS flags
    FROM range(8) AS t (i)
"""


def test_segments_that_were_measured_are_drawn_with_their_tightest_bound(warehouse):
    warehouse.execute(PREDICTIONS)
    found = dicts(plotted_segments(warehouse, "r1"))
    assert [(row["segment"], row["tightest"]) for row in found[:4]] == [
        (0, "front end"),
        (1, "critical path"),
        (2, "functional units"),
        (3, "serialising instructions"),
    ]
    assert {row["segments"] for row in found} == {6}


def test_of_many_segments_some_are_drawn_evenly(warehouse):
    warehouse.execute(PREDICTIONS)
    assert [row["segment"] for row in dicts(plotted_segments(warehouse, "r1", 3))] == [1, 3, 5]


def test_runs_with_segments_are_offered(warehouse):
    given(warehouse, "runs", "run_id app\nr1 a\nr2 a")
    given(warehouse, "segments", "run_id thread segment instructions\nr2 0 0 100")
    assert [row["run_id"] for row in dicts(streamed_runs(warehouse))] == ["r2"]


def test_the_diagonal_reaches_the_largest_value():
    frame = pl.DataFrame(
        {"thread": [0], "segment": [0], "measured": [1.0], "predicted": [2.0], "low": [1.5],
         "high": [4.0], "width_bound": [4.0], "critical_path_bound": [2.0], "unit_bound": [3.0],
         "serialising_bound": [4.0],
         "tightest": ["critical path"]}
    )  # fmt: skip
    drawn = charts.scatter(frame).to_dict()
    ends = drawn["layer"][0]["data"]["name"]
    assert drawn["datasets"][ends][-1] == {"measured": 4.0, "predicted": 4.0}


def test_an_empty_warehouse_shows_what_to_ingest(open_page, empty_warehouse):
    text = texts(open_page("throughput", empty_warehouse))
    assert "No run has segments of instruction streams yet" in text
    assert "pwh ingest blocks.csv --app program" in text


def test_the_demo_has_a_verdict_or_the_reason_why_not(open_page, demo_warehouse):
    app = open_page("throughput", demo_warehouse)
    assert "could sustain" in texts(app) or "nothing can be predicted" in texts(app)
    headings = [heading.value for heading in app.subheader]
    assert headings[-2:] == ["Threads", "Segments, those with most cycles to gain first"]


@pytest.mark.parametrize("low", [1.0, None])
def test_threads_without_a_band_are_drawn_too(low):
    frame = pl.DataFrame(
        {"thread": ["0"], "predicted": [2.0], "low": [low], "high": [3.0], "measured": [1.5]},
        schema_overrides={"low": pl.Float64},
    )
    assert len(charts.by_thread(frame).to_dict()["layer"]) == 3


def test_factors_are_drawn_from_one_on_both_sides():
    frame = pl.DataFrame(
        {"feature_group": ["memory", "dependence chains"], "factor": [2.2, 0.5],
         "largest_in": [3, 0], "segments": [3, 3]}
    )  # fmt: skip
    encoding = charts.effects(frame).to_dict()["encoding"]
    assert encoding["x"]["scale"] == {
        "type": "log",
        "domain": [pytest.approx(0.5 / 1.1), pytest.approx(2.42)],
    }
    assert encoding["x2"]["field"] == "as_typical"


def test_what_the_model_holds_against_the_demo_is_shown(open_page, demo_warehouse):
    app = open_page("throughput", demo_warehouse)
    if "could sustain" in texts(app):
        heading = "Feature contributions (Shapley values) relative to a typical segment"
        assert heading in [h.value for h in app.subheader]
        assert "The model predicts" in texts(app)
