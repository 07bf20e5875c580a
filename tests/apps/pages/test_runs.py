"""Runs: filtered and paged in SQL."""

from __future__ import annotations

import warehouse as pwh
from tests.apps.pages.conftest import run_ids, sql_behind, texts
from tests.helpers.support import given


def shown(app):
    return run_ids(app.dataframe[0].value)


def test_filters_narrow_the_list(open_page, demo_warehouse):
    app = open_page("runs", demo_warehouse, app="heat")
    assert set(app.dataframe[0].value["app"]) == {"heat"}
    app.selectbox("version").select("1.3").run()
    assert shown(app) == ["heat-1.3"]


def test_a_link_reproduces_the_filters(open_page, demo_warehouse):
    app = open_page("runs", demo_warehouse, app="heat", version="1.3")
    assert app.selectbox("app").value == "heat"
    assert shown(app) == ["heat-1.3"]


def test_tags_and_text_are_searched(open_page, demo_warehouse):
    app = open_page("runs", demo_warehouse, tag="generated=true", text="SPMV")
    assert set(app.dataframe[0].value["app"]) == {"spmv"}


def test_quotes_in_a_filter_are_text(open_page, demo_warehouse):
    app = open_page("runs", demo_warehouse, text="' OR 1=1 --")
    assert not app.error
    assert shown(app) == []


def test_long_lists_are_paged_in_sql(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    con.execute(
        "INSERT INTO runs (run_id, app) SELECT 'r' || lpad(CAST(i AS VARCHAR), 4, '0'), 'a' "
        "FROM range(1050) AS t(i)"
    )
    con.close()
    app = open_page("runs", new_warehouse, page="11")
    assert shown(app)[0] == "r1000"
    assert len(shown(app)) == 50
    assert "LIMIT 100 OFFSET 1000" in sql_behind(app)
    assert "1,050 rows" in texts(app)


def test_no_runs(open_page, empty_warehouse):
    assert "No run has landed yet" in texts(open_page("runs", empty_warehouse))


def test_runs_without_application_are_a_choice_of_their_own(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    given(con, "runs", "run_id app\nr1 a\nr2 -")
    con.execute("UPDATE runs SET app = NULL WHERE run_id = 'r2'")
    con.close()
    app = open_page("runs", new_warehouse, app="(no application)")
    assert shown(app) == ["r2"]
    assert app.selectbox("app").options == ["All", "a", "(no application)"]
