"""Boards: saved queries that are shown together, each with its chart or as a table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import polars as pl
import streamlit as st

from apps.pages.base import View
from apps.pages.login import may
from apps.pages.picked_chart import picked
from apps.pages.tables import show_answer
from apps.pages.text import plain
from apps.reports.board import board_page, is_drawable
from warehouse.errors import UsageError
from warehouse.saved_queries import arrange, save_query
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
            "chart, else its table, is on it then. The query of a chart of another page comes "
            "there by Pictures of the charts.",
            f"{view.pwh} sql 'FROM change_events' --save changes",
        )
        return
    items = view.ask("schema/board", board=board).to_dicts()
    view.download("HTML", lambda: board_page(view.path, board, items), f"{board}.html", "text/html")
    for row in _rows(items):
        places = st.columns(2) if items[row[0]]["is_half"] else [st.container()]
        for place, number in zip(places, row, strict=False):
            with place, st.container(border=True):
                _item(view, items, number)


def _rows(items: Sequence[dict[str, Any]]) -> list[list[int]]:
    """Return the places of items that are beside each other: two halves that follow each other."""
    rows: list[list[int]] = []
    for number, item in enumerate(items):
        if item["is_half"] and rows and len(rows[-1]) == 1 and items[rows[-1][0]]["is_half"]:
            rows[-1].append(number)
        else:
            rows.append([number])
    return rows


def _item(view: View, items: Sequence[dict[str, Any]], number: int) -> None:
    row = items[number]
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        st.subheader(plain(row["name"]), anchor=False, width="content")
        with st.container(horizontal=True, width="content"):
            chart = {"chart": row["chart"], "x": row["across"], "y": row["up"]}
            view.link("SQL", "sql", sql=row["query"], **chart, colour=row["colour"])
            with st.popover("Arrange", icon=":material/dashboard_customize:", type="tertiary"):
                _arranging(view, items, number)
    try:
        frame = pl.DataFrame(pl.from_arrow(view.guarded(row["query"]).table))
    except UsageError as error:
        st.error(plain(error.problem))
        return
    if frame.is_empty() or not is_drawable(row, frame.columns):
        show_answer(frame)
        return
    drawn = picked(frame, row["chart"], row["across"], row["up"], row["colour"])
    view.chart(drawn, f"{row['name']}: {row['up']} by {row['across']}", row["query"])


def _arranging(view: View, items: Sequence[dict[str, Any]], number: int) -> None:
    """Offer to move a query on the board, to change its width, and to take it off."""
    name, is_half = items[number]["name"], items[number]["is_half"]
    names = [item["name"] for item in items]
    halves = {item["name"] for item in items if item["is_half"]}

    def moved(by: int) -> list[str]:
        others = [one for one in names if one != name]
        return [*others[: max(0, number + by)], name, *others[max(0, number + by) :]]

    width = ("Full width", "width_full") if is_half else ("Half width", "width_normal")
    for label, icon, action, args in (
        ("Earlier", "arrow_upward", _arrange, (moved(-1), halves)),
        ("Later", "arrow_downward", _arrange, (moved(1), halves)),
        (*width, _arrange, (names, halves ^ {name})),
        ("Take off", "close", _take_off, (items[number],)),
    ):
        st.button(
            label,
            key=f"_{label} {name}",
            icon=f":material/{icon}:",
            type="tertiary",
            disabled=not may("acknowledge"),
            on_click=action,
            args=(view, *args),
        )


def _arrange(view: View, names: Sequence[str], halves: Collection[str]) -> None:
    """Store the order and the widths of a board."""
    with writing(view.path, wait=_WAIT) as con:
        arrange(con, names, halves)


def _take_off(view: View, row: dict[str, Any]) -> None:
    """Take a query off its board; it stays saved."""
    with writing(view.path, wait=_WAIT) as con:
        save_query(con, row["name"], row["query"])
