"""The inbox, with the rows of pwh events."""

from __future__ import annotations

import shutil

import warehouse as pwh
from tests.apps.pages.conftest import links, sql_behind, texts
from tests.helpers.support import given, keep


def test_an_empty_warehouse_shows_how_to_fill_it(open_page, empty_warehouse):
    text = texts(open_page("inbox", empty_warehouse))
    assert "Nothing has landed yet" in text and "ingest FILES" in text


def test_of_a_single_run_there_is_no_event(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    given(con, "runs", "run_id app\nr1 heat")
    con.close()
    app = open_page("inbox", new_warehouse)
    assert "No change is certain yet" in texts(app)
    assert links(app)["What has landed"][0].endswith("overview")


def test_the_gate_is_asked_on_a_click(open_page, demo_warehouse):
    app = open_page("inbox", demo_warehouse)
    assert "gate/" not in sql_behind(app) and "The gate fails" not in texts(app)
    app.session_state["_gate_2"] = True
    assert "The gate fails" in texts(app.run())


def test_the_planted_regression_leads_to_its_cause(open_page, demo_warehouse):
    app = open_page("inbox", demo_warehouse)
    assert "stencil" in texts(app)
    (query,) = (
        link.proto.query_string
        for link in app.get("page_link")
        if link.proto.page.endswith("trends") and "app=stencil" in link.proto.query_string
    )
    params = dict(part.split("=") for part in query.split("&"))
    assert "of the loss is in sweep" in texts(open_page("trends", demo_warehouse, **params))


def test_an_event_is_triaged_and_withdrawn(open_page, demo_warehouse, tmp_path):
    app = open_page("inbox", shutil.copy(demo_warehouse, tmp_path / "demo.duckdb"))
    assert app.subheader[0].value == "2 events, 2 open, 2 new to you"
    assert "And 19 more changes (6 worse, 13 of unknown direction)." in texts(app)
    assert "sweep takes 25.5 % longer, 86.6 % of the loss" in texts(app)
    app.radio(key="ack_reason stencil-1.23 2").set_value("investigating").run()
    app.text_input(key="ack_owner stencil-1.23 2").input("ada").run()
    app.button(key="ack stencil-1.23 2").click().run()
    assert "State investigating; owner ada; said on" in texts(app)
    assert app.subheader[0].value.startswith("2 events, 2 open, ")
    app.selectbox(key="owner").set_value("ada").run()
    assert list(app.dataframe[0].value["state"]) == ["investigating"]
    app.button(key="open stencil-1.23 2").click().run()
    assert "State investigating" not in texts(app)


def test_what_is_not_certain_yet_is_beside_the_events(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    con.execute(
        "INSERT INTO runs (run_id, app, version, machine, started_at, wall_seconds) SELECT 'r' || "
        "i, '<b>heat</b>', 'v' || i, 'm', TIMESTAMPTZ '2026-01-01' + to_days(CAST(i AS INTEGER)), "
        "if(i < 18, 10, 12) + hash(i) % 10 / 100 FROM range(20) t (i)"
    )
    keep(con)
    con.close()
    text = texts(open_page("inbox", new_warehouse))
    assert "No change is certain yet" in text and "Provisional" in text
    assert "<b>heat</b>** on m: wall_seconds +19.6 % since version v18" in text
