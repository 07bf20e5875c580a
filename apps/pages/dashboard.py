"""The app: shows the page named in the URL for the warehouse in PWH_DB."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from apps.pages import PAGES, Entry
from apps.pages.base import View
from apps.pages.components import component
from apps.pages.failures import show_errors
from apps.pages.text import plain
from warehouse.address import Address, parse_address

if TYPE_CHECKING:
    from streamlit.navigation.page import Page

_ICON = Path(__file__).parent / "icon.svg"
_SIDEBAR = 220  # pixels
_STYLE = """
[data-testid="stHeader"] { background: transparent; }
[data-testid="stMainBlockContainer"] { padding: 40px 2rem 2rem; }
@media (max-width: 900px) { [data-testid="stMainBlockContainer"] { padding: 64px 1rem 1rem; } }
[data-testid="stMainBlockContainer"] h1 { padding-top: 0; font-size: 1.9rem; }
[data-testid="stMainBlockContainer"] h3 { font-size: 1.25rem; }
"""


def main() -> None:
    """Show the page that the URL names."""
    # Otherwise Streamlit makes the browser fetch the icons of pages from the network.
    st.set_page_config(page_icon=str(_ICON), layout="wide", initial_sidebar_state=_SIDEBAR)
    path = parse_address(os.environ.get("PWH_DB", "pwh.duckdb"))
    pages: dict[str, Page] = {}
    for entry in PAGES:
        pages[entry.path] = st.Page(
            _runner(entry, path, pages),
            title=entry.title,
            icon=f":material/{entry.icon}:" if entry.icon else None,
            url_path=entry.path,
            default=entry is PAGES[0],
            visibility="visible" if entry.icon else "hidden",
        )
    chosen = st.navigation(list(pages.values()), expanded=True)
    st.html(f"<style>{_STYLE}</style>")
    with st.sidebar:
        component("address")(key="address")
        st.caption(plain(f"Warehouse {path.name}"))
        st.button(
            "Refresh", icon=":material/refresh:", help="Show what has landed in the meantime."
        )
    chosen.run()


def _runner(entry: Entry, path: Address, pages: dict[str, Page]) -> Callable[[], None]:
    def run() -> None:
        st.title(entry.title, anchor=False)
        view = View(path, pages, entry.path)
        try:
            with show_errors(view):
                import_module(entry.module).page(view)
                view.is_complete = True
            view.sql_expander()
            view.finish()
        finally:
            view.close()

    return run
