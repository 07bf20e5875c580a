"""One box that finds runs, applications, versions, commits, metrics and pages by name or day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.navigation.page import Page

from apps.output.text import short_name
from apps.pages.answers import answer_now
from apps.pages.text import plain
from apps.queries.base import ask_dicts
from warehouse.address import Address

_EACH = 6
_NAME = 34
_LABEL = "Find (Ctrl-K)"


def find_box(path: Address, pages: Mapping[str, Page]) -> None:
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
