"""The app: shows the page named in the URL for the warehouse in PWH_DB."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import streamlit as st
from streamlit.navigation.page import Page

from apps.output.colours import BLUE, DARK_SOFT_TEXT, GREEN, GREY, SOFT_TEXT
from apps.output.text import short_name
from apps.pages import PAGES, Entry
from apps.pages.answers import answer_now, file_state
from apps.pages.base import View
from apps.pages.components import component
from apps.pages.failures import show_errors
from apps.pages.login import let_in, show_user
from apps.pages.news import counts_now, show_news
from apps.pages.text import plain
from apps.queries.base import ask_dicts
from apps.reports.freshness import not_fresh
from warehouse.address import Address, parse_address
from warehouse.errors import PwhError

_ICON = Path(__file__).parent / "icon.svg"
_ROOT = "home"  # what Streamlit calls the page at the bare address, which nobody sees
_SIDEBAR = 220  # pixels
# Of the box that finds: rows of a kind, and the letters of a name.
_EACH, _NAME = 6, 34
_LABEL = "Find (Ctrl-K)"
_STYLE = "\n" + Path(__file__).with_suffix(".css").read_text("utf-8")
# Parts of highlighted code: Streamlit's own colours are too pale for text.
_CODE = "\n".join(
    f'[data-testid="stCode"] .token:is({parts}) '
    f"{{ color: color-mix(in srgb, currentColor 50%, {colour}) !important; }}"
    for parts, colour in (
        (".keyword, .function", BLUE),
        (".string, .number, .boolean, .variable", GREEN),
        (".comment, .operator, .punctuation", GREY),
    )
)
# Charts are drawn once, with the text of the light theme; the browser may change the theme later.
_CHARTS = "\n".join(
    f'[data-testid="stVegaLiteChart"] [{part}="{SOFT_TEXT}"] '
    f"{{ {part}: light-dark({SOFT_TEXT}, {DARK_SOFT_TEXT}); }}"
    for part in ("fill", "stroke")
)
_drawn: set[str] = set()  # pages that this process has drawn


def main() -> None:
    """Show the page that the URL names."""
    # Otherwise Streamlit makes the browser fetch the icons of pages from the network.
    st.set_page_config(page_icon=str(_ICON), layout="wide", initial_sidebar_state=_SIDEBAR)
    st.html(f"<style>{_STYLE}{_CODE}{_CHARTS}</style>")
    if not let_in():
        return
    path = parse_address(os.environ.get("PWH_DB", "pwh.duckdb"))
    pages: dict[str, Page] = {}
    for entry in PAGES:
        is_first = entry is PAGES[0]
        pages[entry.path] = st.Page(
            _runner(entry, path, pages),
            title=entry.title,
            icon=f":material/{entry.icon}:" if entry.icon else None,
            url_path=_ROOT if is_first else entry.path,
            default=is_first,
            visibility="visible" if entry.icon else "hidden",
        )
    chosen = st.navigation([*pages.values(), _by_name(pages[PAGES[0].path])], expanded=True)
    with st.sidebar:
        component("address")(key="address", data={"isLogin": False})
        _find_box(path, pages)
        st.caption(plain(f"Warehouse {path.name}"))
        show_user()
    chosen.run()


def _by_name(first: Page) -> Page:
    """Return the page that leads from the name of the first page to the bare address, its own."""
    return st.Page(
        lambda: st.switch_page(first, query_params=st.query_params.to_dict()),
        title=first.title,
        url_path=PAGES[0].path,
        visibility="hidden",
    )


def _runner(entry: Entry, path: Address, pages: dict[str, Page]) -> Callable[[], None]:
    def run() -> None:
        # In the page rather than in the sidebar, which narrow windows fold away.
        with st.container(
            horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
        ):
            st.title(entry.title, anchor=False, width="content")
            news = st.container(width="content")
        freshness = st.container()
        shown = file_state(path)
        view = View(path, pages, entry.path)
        try:
            with show_errors(view):
                import_module(entry.module).page(view)
                view.is_complete = True
            view.sql_expander()
            view.finish()
            # What keeps it from an answer, the page has shown.
            with freshness, suppress(PwhError, duckdb.Error):
                for sentence in [] if view.is_waiting else view.value(not_fresh):
                    st.warning(plain(sentence))
            # After the page, whose first picture it must not delay, but while its file is open.
            with news:
                show_news(path, shown, counts_now(path), is_waiting=view.is_waiting)
        finally:
            view.close()
        if entry.path not in _drawn:
            # Streamlit collects garbage after each run of a page and each look for news. Over all
            # modules that takes longer than the queries of most pages.
            _drawn.add(entry.path)
            gc.collect()
            gc.freeze()

    return run


def _find_box(path: Address, pages: Mapping[str, Page]) -> None:
    """Show the box, and links to what has its text in its name."""
    text = st.text_input(_LABEL, key="_find", placeholder="part of a name, or day")
    text = text.strip()
    if not text:
        return
    titled = [page for page in pages.values() if text.lower() in page.title.lower()]
    for page in titled:
        st.page_link(page, label=plain(page.title))
    rows = _found(path, text)
    for kind in dict.fromkeys(row["kind"] for row in rows):
        found = [row for row in rows if row["kind"] == kind]
        few = f": the first {_EACH}, type more of the name" if found[_EACH:] else ""
        st.caption(f"{kind.capitalize()}s{few}")
        for row in found[:_EACH]:
            _link(row, pages)
    if not rows and not titled:
        st.caption("Nothing has this in its name.")


def _found(path: Address, text: str) -> list[dict[str, Any]]:
    params = {"text": text, "number": _EACH + 1}
    found = answer_now(path, "find", text, lambda con: ask_dicts(con, "overview/find", **params))
    return found or []


def _link(row: Mapping[str, Any], pages: Mapping[str, Page]) -> None:
    where, params = _place(row)
    name = short_name(row["name"], _NAME)
    label = f"{name} ({row['app']})" if row["kind"] == "metric" else name
    known = {key: value for key, value in params.items() if value is not None}
    st.page_link(pages[where], label=plain(label), query_params=known)


def _place(row: Mapping[str, Any]) -> tuple[str, dict[str, str | None]]:
    """Return the page of what was found, and what its address sets."""
    if row["kind"] == "metric":
        return "trends", {"app": row["app"], "metric": row["metric"]}
    if row["run_id"] is not None:
        return "run", {"run": row["run_id"]}
    if row["version"] is not None:
        return "runs", {"app": row["app"], "version": row["version"]}
    return "trends", {"app": row["app"]}
