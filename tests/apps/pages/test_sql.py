"""The SQL page: answers, charts, downloads. What it refuses: tests/warehouse/test_guarded.py."""

from __future__ import annotations

import polars as pl

from apps.pages.picked_chart import KINDS, picked
from tests.apps.pages.conftest import address, sent, texts


def test_a_query_is_answered(open_page, demo_warehouse):
    app = open_page("sql", demo_warehouse, sql="SELECT 40 + 2 AS answer")
    assert app.dataframe[-1].value.to_numpy().tolist() == [[42]]
    assert "1 row" in texts(app)


def ask(app, sql):
    """Run another query, as a link does."""
    app.query_params["sql"] = sql
    app.run()


def test_the_editor_has_the_query_and_the_names_that_it_completes(open_page, demo_warehouse):
    app = open_page("sql", demo_warehouse, sql="SELECT 1")
    first = sent(app, "editor")
    assert first["sql"] == "SELECT 1"
    assert first["tables"]["runs"][:2] == ["run_id", "app"]
    assert first["tables"]["explain_run"] == []
    assert "detect_changes" in first["functions"]
    assert not [name for name in first["tables"] if name.startswith("_")]
    ask(app, "SELECT 2")
    again = sent(app, "editor")
    assert (again["sql"], again["arrival"]) == ("SELECT 2", first["arrival"] + 1)


def test_a_query_is_saved_and_chosen_again(open_page, new_warehouse):
    app = open_page("sql", new_warehouse, sql="SELECT 1 AS first")
    app.text_input("saved_name").set_value("one").run()
    next(button for button in app.button if button.label == "Save the query").click().run()
    ask(app, "SELECT 2 AS second")
    assert app.dataframe[-1].value.columns.to_list() == ["second"]
    app.button("Saved queries one").click().run()
    assert app.dataframe[-1].value.columns.to_list() == ["first"]
    assert sent(app, "editor")["sql"] == address(app, "sql") == "SELECT 1 AS first"
    app.button("History SELECT 2 AS second").click().run()
    assert app.dataframe[-1].value.columns.to_list() == ["second"]


def test_it_opens_with_an_answer_even_where_there_is_nothing(open_page, empty_warehouse):
    app = open_page("sql", empty_warehouse)
    assert "0 rows" in texts(app)


def test_mistakes_are_shown_as_messages(open_page, demo_warehouse):
    app = open_page("sql", demo_warehouse, sql="SELECT vresion FROM runs")
    assert 'Referenced column "vresion" not found' in app.error[0].value.replace("\\", "")
    app = open_page("sql", demo_warehouse, sql="DELETE FROM runs")
    assert "the warehouse is only read" in app.error[0].value.replace("\\", "")


def test_the_schema_is_shown_with_its_comments(open_page, demo_warehouse):
    app = open_page("sql", demo_warehouse, object="change_points")
    assert "changed permanently" in texts(app)
    assert "direction" in app.dataframe[0].value["column"].to_list()


def test_long_answers_are_cut_and_that_is_stated(open_page, demo_warehouse):
    app = open_page("sql", demo_warehouse, sql="FROM range(10001)")
    assert len(app.dataframe[-1].value) == 10_000
    assert "The first 10,000 rows" in texts(app)


def test_every_kind_of_value_can_be_shown(open_page, demo_warehouse):
    app = open_page("sql", demo_warehouse, sql="FROM test_all_types()")
    assert not app.error
    assert [button.label for button in app.get("download_button")] == ["CSV", "Parquet"]


def test_an_answer_can_be_drawn(open_page, demo_warehouse):
    params = {"chart": "Bars", "x": "version", "y": "runs", "colour": "app"}
    app = open_page("sql", demo_warehouse, **params)
    assert len(app.get("vega_lite_chart")) == 1


def test_names_of_columns_mean_nothing_to_vega():
    frame = pl.DataFrame({"a.b[0]": [1, 2], "count(*)": [3, 4], "datum": ["x", "y"]})
    for kind in KINDS:
        spec = picked(frame, kind, "a.b[0]", "count(*)", "datum").to_dict()
        assert {spec["encoding"][name]["field"] for name in ("x", "y", "color")} == {
            "x",
            "y",
            "colour",
        }
        assert spec["encoding"]["x"]["axis"]["title"] == "a.b[0]"
