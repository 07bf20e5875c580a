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
from apps.pages.failures import show_errors
from apps.pages.text import plain

if TYPE_CHECKING:
    from streamlit.navigation.page import Page

_ICON = Path(__file__).parent / "icon.svg"
_SIDEBAR = 220  # pixels


def main() -> None:
    """Show the page that the URL names."""
    # Otherwise Streamlit makes the browser fetch the icons of pages from the network.
    st.set_page_config(page_icon=str(_ICON), layout="wide", initial_sidebar_state=_SIDEBAR)
    path = Path(os.environ.get("PWH_DB", "pwh.duckdb"))
    pages: dict[str, Page] = {}
    for entry in PAGES:
        pages[entry.path] = st.Page(
            _runner(entry, path, pages),
            title=entry.title,
            icon=f":material/{entry.icon}:",
            url_path=entry.path,
            default=entry is PAGES[0],
        )
    chosen = st.navigation(list(pages.values()), expanded=True)
    with st.sidebar:
        st.caption(plain(f"Warehouse {path.name}"))
        st.button(
            "Refresh", icon=":material/refresh:", help="Show what has landed in the meantime."
        )
    chosen.run()


def _runner(entry: Entry, path: Path, pages: dict[str, Page]) -> Callable[[], None]:
    def run() -> None:
        st.title(entry.title, anchor=False)
        view = View(path, pages)
        try:
            with show_errors(view):
                import_module(entry.module).page(view)
            view.sql_expander()
            view.share()
        finally:
            view.close()

    return run
