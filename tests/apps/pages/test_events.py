"""The page Events: the inbox, with the rows of pwh events."""

from __future__ import annotations

import shutil

from tests.apps.pages.conftest import texts


def test_nothing_has_changed(open_page, empty_warehouse):
    assert "There are no events yet" in texts(open_page("events", empty_warehouse))


def test_an_event_is_triaged_and_withdrawn(open_page, demo_warehouse, tmp_path):
    app = open_page("events", shutil.copy(demo_warehouse, tmp_path / "demo.duckdb"))
    assert app.subheader[0].value == "2 events, 2 open, 2 new since your last visit"
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
