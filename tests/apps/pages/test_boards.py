"""Boards: what is saved with a chart is shown with it, and can be taken off."""

from __future__ import annotations

from tests.apps.pages.conftest import address, texts
from tests.helpers.support import rows
from warehouse.connection import connect

SERIES = "SELECT i AS run, i * 2 AS seconds FROM range(4) t (i)"


def save(app, name, board):
    app.text_input("saved_name").set_value(name)
    app.text_input("saved_board").set_value(board).run()
    next(button for button in app.button if button.label == "Save the query").click().run()
    assert not app.exception


def test_a_chart_goes_on_a_board_and_off_again(open_page, new_warehouse):
    app = open_page("sql", new_warehouse, sql=SERIES, chart="Line", x="run", y="seconds")
    save(app, "growth", "release")
    board = open_page("boards", new_warehouse)
    assert address(board, "board") == "release" and "growth" in texts(board)
    (chart,) = board.get("vega_lite_chart")
    assert '"mark": {"type": "line"' in chart.proto.spec
    (link,) = [one for one in board.get("page_link") if one.proto.label == "SQL"]
    assert "chart=Line&x=run&y=seconds" in link.proto.query_string
    board.button("_Take off growth").click().run()
    assert "There is no board yet" in texts(board)


def test_without_a_chart_it_is_a_table_and_a_query_that_fails_says_why(open_page, new_warehouse):
    save(open_page("sql", new_warehouse, sql="SELECT 1 AS one"), "table", "b")
    save(open_page("sql", new_warehouse, sql="SELECT no_such FROM runs"), "wrong", "b")
    board = open_page("boards", new_warehouse, board="b")
    assert board.dataframe[0].value.columns.to_list() == ["one"]
    assert "no_such" in texts(board)


def test_a_saved_query_comes_back_with_its_chart(open_page, new_warehouse):
    app = open_page("sql", new_warehouse, sql=SERIES, chart="Bars", x="run", y="seconds")
    save(app, "bars", "")
    app = open_page("sql", new_warehouse, sql="SELECT 2 AS second")
    app.button("Saved queries bars").click().run()
    assert address(app, "chart") == "Bars" and len(app.get("vega_lite_chart")) == 1


def test_a_board_that_is_not_there_is_reported(open_page, new_warehouse):
    save(open_page("sql", new_warehouse, sql="SELECT 1 AS one"), "table", "b")
    assert "there is no 'c' here" in texts(open_page("boards", new_warehouse, board="c"))


def test_a_board_is_arranged(open_page, new_warehouse):
    for name in ("a", "b", "c"):
        save(open_page("sql", new_warehouse, sql=f"SELECT '{name}' AS one"), name, "board")
    board = open_page("boards", new_warehouse)
    board.button("_Earlier c").click().run()
    for _ in range(2):
        board.button("_Later a").click().run()
    for name in ("c", "b"):
        board.button(f"_Half width {name}").click().run()
    assert [heading.value for heading in board.subheader] == ["c", "b", "a"]
    # Two halves are beside each other.
    assert len(board.columns) == 2
    with connect(new_warehouse, read_only=True) as con:
        kept = rows(con, "SELECT name, is_half FROM saved_queries ORDER BY place")
    assert kept == [("c", True), ("b", True), ("a", False)]
