"""The app: shows the page named in the URL for the warehouse in PWH_DB."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import duckdb
import streamlit as st
from streamlit.navigation.page import Page

from apps.output.colours import BLUE, GREEN, GREY
from apps.pages import PAGES, Entry
from apps.pages.answers import file_state
from apps.pages.base import View
from apps.pages.components import component
from apps.pages.failures import show_errors
from apps.pages.find import find_box
from apps.pages.login import let_in, show_user
from apps.pages.news import counts_now, show_news
from apps.pages.text import plain
from apps.reports.freshness import not_fresh
from warehouse.address import Address, parse_address
from warehouse.errors import PwhError

_ICON = Path(__file__).parent / "icon.svg"
_ROOT = "home"  # what Streamlit calls the page at the bare address, which nobody sees
_SIDEBAR = 220  # pixels
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
_drawn: set[str] = set()  # pages that this process has drawn


def main() -> None:
    """Show the page that the URL names."""
    # Otherwise Streamlit makes the browser fetch the icons of pages from the network.
    st.set_page_config(page_icon=str(_ICON), layout="wide", initial_sidebar_state=_SIDEBAR)
    st.html(f"<style>{_STYLE}{_CODE}</style>")
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
        find_box(path, pages)
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
        _keep_imports(entry)

    return run


def _keep_imports(entry: Entry) -> None:
    """Leave what the first view of a page has imported out of garbage collection, once.

    Streamlit collects after each run of a page and each look for news. Over all modules that takes
    longer than the queries of most pages.
    """
    if entry.path not in _drawn:
        _drawn.add(entry.path)
        gc.collect()
        gc.freeze()
