"""The page of a run: facts, verdicts, a tab for each kind of trace that it has."""

from __future__ import annotations

import json

import pytest

import warehouse as pwh
from tests.apps.pages.conftest import address, texts
from tests.helpers.support import given, land
from tests.ingest.case import SAMPLES


def tabs(app):
    return app.segmented_control[0].options


def test_a_run_has_its_report(open_page, demo_warehouse):
    app = open_page("run", demo_warehouse, run="heat-1.3")
    assert "of the time" in texts(app)
    assert "version 1.3" in texts(app)
    assert tabs(app) == ["Functions by their own time", "Counters", "Metrics", "Files"]
    assert "function" in app.dataframe[0].value


def test_each_tab_has_rows(open_page, demo_warehouse):
    app = open_page("run", demo_warehouse, run="stencil-1.25")
    assert {"Functions by their own time", "Counters", "Workers"} <= set(tabs(app))
    for tab in tabs(app):
        app.segmented_control[0].set_value(tab).run()
        assert not app.exception
        assert len(app.dataframe[0].value) > 0
        assert address(app, "tab") == tab


def test_a_tab_shows_a_sentence_and_unfolds_the_others(open_page, demo_warehouse):
    app = open_page("run", demo_warehouse, run="stencil-1.25")
    assert texts(app).count("4 workers were busy") == 1
    (more,) = [one for one in app.expander if one.label.endswith(" more")]
    assert "The longest wait" in more.markdown[-1].value


def test_the_beginning_of_an_id_suffices_and_a_wrong_one_is_reported(open_page, demo_warehouse):
    assert "heat_tasks-" in texts(open_page("run", demo_warehouse, run="heat_ta"))
    assert "there is no run 'nope'" in texts(open_page("run", demo_warehouse, run="nope"))


def test_without_a_link_the_run_with_the_most_traces_is_shown(open_page, demo_warehouse):
    assert address(open_page("run", demo_warehouse), "run") == "stencil-1.25"


def test_ids_and_facts_from_files_are_text(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    given(con, "runs", "run_id app\n*r*[x](y)?run=1&a=%41 <b>")
    con.close()
    app = open_page("runs", new_warehouse)
    link = app.dataframe[0].value["run_id"][0]
    assert link == "run?run=%2Ar%2A%5Bx%5D%28y%29%3Frun%3D1%26a%3D%2541"
    app = open_page("run", new_warehouse, run="*r*[x](y)?run=1&a=%41")
    assert "*r*[x](y)?run=1&a=%41" in texts(app)


def test_costs_in_bytes_have_prefixes(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    land(con, SAMPLES / "massif" / "massif.out.4242")
    ((run_id, cost),) = con.execute(
        "SELECT run_id, max(own) FROM function_totals GROUP BY run_id"
    ).fetchall()
    con.close()
    app = open_page("run", new_warehouse, run=run_id)
    shown = app.dataframe[0]
    labels = {name: one.get("label") for name, one in json.loads(shown.proto.columns).items()}
    assert (labels["cost"], labels["inclusive"]) == ("cost (MB)", "inclusive (MB)")
    assert "unit" not in shown.value
    assert shown.value["cost"].max() == pytest.approx(cost / 1e6, rel=0.01)


def test_no_runs(open_page, empty_warehouse):
    assert "No run has landed yet" in texts(open_page("run", empty_warehouse))
