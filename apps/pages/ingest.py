"""Ingest: what landed, and what was rejected and why."""

from __future__ import annotations

import streamlit as st

from apps.output.numbers import counted
from apps.pages.base import View
from apps.pages.text import plain
from apps.pages.uploads import show_upload


def page(view: View) -> None:
    """Show rejected files, then landed ones by reader and one by one; land files if allowed."""
    show_upload(view)
    readers = view.ask("ingest/readers")
    reader = view.select("Reader", readers["reader"].to_list(), key="reader", every="All")
    text = view.text("File name", key="text", placeholder="part of the path")
    rejected = view.ask("ingest/rejections")
    if readers.is_empty() and rejected.is_empty():
        view.empty("Nothing has landed and nothing was rejected yet.")
        return
    view.verdicts(
        [_verdict(int(readers["files"].sum()), int(readers["rows"].sum()), len(rejected))]
    )
    if not rejected.is_empty():
        st.subheader("Rejected, and not landed later", anchor=False)
        for row in rejected.head(_DETAILED).iter_rows(named=True):
            with st.container(border=True, gap=None):
                place = f", {row['place']}" if row["place"] else ""
                st.markdown(f"**{plain(row['path'])}**{plain(place)}: {plain(row['problem'])}")
                if row["expected"]:
                    st.caption(plain(f"expected {row['expected']}"))
                if row["hint"]:
                    st.caption(plain(row["hint"]))
        if len(rejected) > _DETAILED:
            view.paged("ingest/rejections", {}, key="rejected")
    st.subheader("Landed", anchor=False)
    view.table(readers)
    view.paged(
        "ingest/sources",
        {"reader": reader, "text": text or None},
        key="page",
    )


_DETAILED = 3


def _verdict(files: int, rows: int, rejected: int) -> str:
    landed = counted(files, "file has", "files have")
    refused = counted(rejected, "was", "were") if rejected else "none was"
    return f"{landed} landed with {counted(rows, 'row')}; {refused} rejected."
