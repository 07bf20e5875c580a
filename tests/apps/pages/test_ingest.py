"""Ingest: what landed, what was rejected and why."""

from __future__ import annotations

import pytest

from tests.apps.pages.conftest import texts

BROKEN = "run_id,event,value\nr1,cycles,many\n"


def test_what_landed_is_listed_by_reader_and_file(open_page, demo_warehouse):
    app = open_page("ingest", demo_warehouse, reader="perf-stat")
    assert "perf-stat" in app.dataframe[0].value["reader"].to_list()
    assert set(app.dataframe[1].value["reader"]) == {"perf-stat"}


def test_a_part_of_the_path_is_searched(open_page, demo_warehouse):
    app = open_page("ingest", demo_warehouse, text="HEAT-1.3.PERF")
    assert len(app.dataframe[1].value) == 1


@pytest.fixture
def rejected(run, tmp_path, new_warehouse):
    """Ingest a file that is rejected; return it."""
    file = tmp_path / "broken.csv"
    file.write_text(BROKEN)
    code, _, _ = run("--db", new_warehouse, "ingest", file)
    assert code == 3
    return file


def test_a_rejected_file_is_shown_with_the_reason(open_page, new_warehouse, rejected):
    text = texts(open_page("ingest", new_warehouse))
    assert "broken.csv" in text
    assert "many" in text
    assert "1 was rejected" in text
    assert "1 file was rejected" in texts(open_page("inbox", new_warehouse))


def test_it_is_forgotten_when_it_lands(open_page, new_warehouse, rejected, run):
    rejected.write_text(BROKEN.replace("many", "7"))
    code, _, _ = run("--db", new_warehouse, "ingest", rejected)
    assert code == 0
    assert "none was rejected" in texts(open_page("ingest", new_warehouse))


def test_nothing_landed(open_page, empty_warehouse):
    assert "Nothing has landed and nothing was rejected" in texts(
        open_page("ingest", empty_warehouse)
    )
