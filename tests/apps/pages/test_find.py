"""The box that finds: each kind of thing, and the page that its link leads to."""

from __future__ import annotations

import pytest

from tests.apps.pages.conftest import texts


def found(app, text):
    app.text_input("_find").set_value(text).run()
    assert not app.exception
    return {
        link.proto.label.replace("\\", "").replace("\u2060", ""): (
            link.proto.page.rsplit("/", 1)[-1],
            link.proto.query_string,
        )
        for link in app.sidebar.get("page_link")
    }


@pytest.mark.parametrize(
    ("text", "label", "page", "query"),
    [
        ("1.23", "stencil 1.23", "runs", "app=stencil&version=1.23"),
        ("SWEEP", "seconds:sweep (stencil)", "trends", "app=stencil&metric=seconds%3Asweep"),
        ("2026-11-04", "stencil-1.25", "run", "run=stencil-1.25"),
        ("sten", "stencil", "trends", "app=stencil"),
        ("scal", "Scaling", "scaling", ""),
    ],
)
def test_what_has_the_text_is_a_link_to_its_page(
    open_page, demo_warehouse, text, label, page, query
):
    links = found(open_page("sql", demo_warehouse), text)
    assert links[label] == (page, query)


def test_nothing_found_is_said(open_page, demo_warehouse):
    app = open_page("sql", demo_warehouse)
    assert found(app, "no such <b>thing</b>") == {}
    assert "Nothing has this in its name." in texts(app)
