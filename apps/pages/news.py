"""News since a page was drawn: a note that leads to it, never a page that moves.

A session looks at the times of the warehouse's files every few seconds, and opens the file only
where these have changed.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from apps.output.numbers import counted
from apps.pages.answers import FileState, answer_now, file_state
from apps.queries.base import ask_dicts
from warehouse.address import Address
from warehouse.errors import WarehouseBusy, WarehouseError
from warehouse.sharing import shared_reading

EVERY_SECONDS = 4.0
Counts = dict[str, Any]


def counts_now(path: Address) -> Counts | None:
    """Return how many runs, files and rejected files there are; None where the file is not open."""
    counts: Counts | None = answer_now(
        path, "news", (), lambda con: ask_dicts(con, "overview/counts")[0], wait=0
    )
    return counts


def change(before: Counts | None, after: Counts | None) -> str | None:
    """Return what changed between two states of a warehouse; None for nothing, or what is unknown.

    Saved queries and labels change the file and no counts: that is no news.
    """
    if after is None or before == after:
        return None
    if before is not None:
        for key, noun in (
            ("runs", "new run"),
            ("files", "new file"),
            ("rejected", "rejected file"),
        ):
            if after[key] > before[key]:
                return counted(after[key] - before[key], noun)
    return "Changes"


@st.fragment(run_every=EVERY_SECONDS)
def show_news(path: Address, shown: FileState, counts: Counts | None, *, is_waiting: bool) -> None:
    """Show what the warehouse has that a page, drawn in the state `shown` with `counts`, has not.

    A page that waits for the file (`is_waiting`) is drawn again once the file is free.
    """
    if is_waiting and _is_free(path):
        st.rerun()
    news = None if file_state(path) == shown else change(counts, counts_now(path))
    pressed = st.button(
        "Refresh" if news is None else f"{news}: show",
        key="_refresh",
        icon=f":material/{'refresh' if news is None else 'fiber_new'}:",
        type="secondary" if news is None else "primary",
    )
    if pressed:
        st.rerun()


def _is_free(path: Address) -> bool:
    try:
        with shared_reading(path, wait=0):
            return True
    except WarehouseBusy:
        return False
    except WarehouseError:
        return True
