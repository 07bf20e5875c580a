"""Boards: saved queries that are shown together, each with its chart or as a table."""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from apps.pages import charts
from apps.pages.base import View
from apps.pages.login import may
from apps.pages.picked_chart import picked
from apps.pages.tables import show_answer
from apps.pages.text import plain
from warehouse.errors import UsageError
from warehouse.saved_queries import save_query
from warehouse.sharing import writing

_WAIT = 10.0


def page(view: View) -> None:
    """Show the answers of the queries of the board that the address names or the user chooses."""
    saved = view.ask("schema/saved")
    boards = saved["board"].drop_nulls().unique().sort().to_list()
    board = view.select("Board", boards, key="board")
    if board is None:
        view.empty(
            "There is no board yet. Save a query on the page SQL, with the name of a board: its "
            "chart, else its table, is on it then.",
            f"{view.pwh} sql 'FROM change_events' --save changes",
        )
        return
    for row in saved.filter(board=board).iter_rows(named=True):
        with st.container(border=True):
            _item(view, row)


def _item(view: View, row: dict[str, Any]) -> None:
    """Show a query of the board."""
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        st.subheader(plain(row["name"]), anchor=False, width="content")
        with st.container(horizontal=True, width="content"):
            chart = {"chart": row["chart"], "x": row["across"], "y": row["up"]}
            view.link(
                "SQL", "sql", icon="terminal", sql=row["query"], **chart, colour=row["colour"]
            )
            st.button(
                "Take off",
                key=f"_off {row['name']}",
                icon=":material/close:",
                type="tertiary",
                disabled=not may("acknowledge"),
                on_click=_take_off,
                args=(view, row),
            )
    try:
        frame = pl.DataFrame(pl.from_arrow(view.guarded(row["query"]).table))
    except UsageError as error:
        st.error(plain(error.problem))
        return
    needed = [row[key] for key in ("across", "up", "colour") if row[key] is not None]
    if row["chart"] is None or frame.is_empty() or not set(needed) <= set(frame.columns):
        show_answer(frame)
        return
    drawn = picked(frame, row["chart"], row["across"], row["up"], row["colour"])
    charts.show(drawn, f"{row['name']}: {row['up']} by {row['across']}")


def _take_off(view: View, row: dict[str, Any]) -> None:
    """Take a query off its board; it stays saved."""
    with writing(view.path, wait=_WAIT) as con:
        save_query(con, row["name"], row["query"])
