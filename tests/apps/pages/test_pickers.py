"""Lists of many runs and versions: the newest first, all of them found, by the server."""

from __future__ import annotations

import pytest

from tests.apps.pages.conftest import address, texts
from warehouse.connection import connect

RUNS = 700


@pytest.fixture
def many(new_warehouse):
    """Return a warehouse with many runs, each with a version of its own."""
    with connect(new_warehouse) as con:
        con.execute(
            "INSERT INTO runs (run_id, app, version, started_at, tags) "
            "SELECT 'run-' || i, 'heat', i // 100 || '.' || i % 100, "
            "TIMESTAMPTZ '2026-01-01' + to_hours(CAST(i AS INTEGER)), MAP {} FROM range($1) t (i)",
            [RUNS],
        )
        con.execute(
            "INSERT INTO run_facts BY NAME SELECT run_id, 1 AS source_id, '' AS stated_by, "
            "row_number() OVER (ORDER BY started_at) AS position FROM runs"
        )
        con.execute(
            "INSERT INTO segments BY NAME SELECT run_id, 1 AS source_id, 0 AS segment FROM runs"
        )
    return new_warehouse


def type_in(box, text):
    """Type a text into a list, and press Enter."""
    # Streamlit's test harness knows no other values than those of the list.
    box.options.append(text)
    box.set_value(text).run()


def test_versions_are_listed_from_the_newest_and_all_are_found(open_page, many):
    app = open_page("runs", many, app="heat")
    version = app.selectbox("version")
    assert version.options[:3] == ["All", "6.99", "6.98"] and len(version.options) == 201
    assert version.label == "Version (of 700: type to search)"
    type_in(version, "0.7")
    assert address(app, "version") == "0.7"


def test_a_part_of_a_name_is_searched_and_the_newest_that_has_it_is_chosen(open_page, many):
    app = open_page("throughput", many)
    assert app.selectbox("run").value == "run-699"
    type_in(app.selectbox("run"), "RUN-12")
    assert app.selectbox("run").value == address(app, "run") == "run-129"
    assert "11 of 700 have 'RUN-12' in their name" in texts(app)
    type_in(app.selectbox("run"), "run-12")
    assert address(app, "run") == "run-12" and app.selectbox("run").options[0] == "run-129"
    type_in(app.selectbox("run"), "none of them")
    assert address(app, "run") == "run-12"
    assert "none of 700 has 'none of them' in it" in texts(app)


def test_a_link_to_one_that_is_not_among_the_newest_shows_it(open_page, many):
    app = open_page("throughput", many, run="run-3")
    assert app.selectbox("run").value == "run-3"
    app = open_page("throughput", many, run="run-")
    assert "there is no 'run-' here" in texts(app)


def test_a_run_is_picked_by_a_part_of_its_name(open_page, many):
    app = open_page("run", many)
    assert app.selectbox("run").label == "Run (of 700: type to search)"
    type_in(app.selectbox("run"), "run-12")
    assert app.selectbox("run").value == "run-12"
    type_in(app.selectbox("run"), "-69")
    assert [*app.selectbox("run").options][:3] == ["-69", "run-699", "run-698"]
