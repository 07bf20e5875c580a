"""Form for the state of a change, as `pwh events` stores it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from apps.pages.base import View
from apps.pages.login import may, user
from apps.pages.text import plain
from apps.queries.events import MEANINGS
from ingest.acknowledge import acknowledge, withdraw
from warehouse.series import REASONS, Acknowledgement
from warehouse.sharing import writing

_WAIT = 10.0


def triaging(
    view: View, run_id: str, named: str, *, known: str | None, event: dict[str, Any] | None = None
) -> None:
    """Offer to say what the change at a run is, as `pwh events` does, or to withdraw what was said.

    `known` is the state that it has; `event` its row, where more than that is shown.
    """
    event = event or {}
    key = f"{run_id} {event['event_id']}" if event else run_id
    label = plain(known or "Acknowledge")
    with st.popover(label, icon=":material/task_alt:", disabled=not may("acknowledge")):
        st.markdown(
            f"A change that is expected, noise or fixed, here at {plain(named)}, leaves the "
            "gate and the open events."
        )
        now = event.get("state")
        reason = st.radio(
            "It is",
            REASONS,
            index=REASONS.index(now) if now in REASONS else 1,
            key=f"ack_reason {key}",
            captions=[MEANINGS[one] for one in REASONS],
        )
        fixed_in = None
        if reason == "fixed":
            was = event.get("fixed_in") or ""
            fixed_in = st.text_input("In version or commit", was, key=f"ack_version {key}").strip()
        owner, ticket, note = (
            st.text_input(label, event.get(name) or "", key=f"ack_{name} {key}").strip() or None
            for name, label in (
                ("owner", "Owner"),
                ("ticket", "Address of the ticket"),
                ("note", "Note"),
            )
        )
        said_by = user() or st.text_input("Your name", key=f"ack_by {key}").strip() or None
        if st.button("Store", key=f"ack {key}", type="primary", disabled=fixed_in == ""):
            stated = Acknowledgement(reason, "*", fixed_in, owner, ticket, note, said_by)
            _write(view, run_id, event.get("event_id"), stated)
        if known is not None and st.button("Withdraw", key=f"open {key}"):
            _write(view, run_id, event.get("event_id"), None)


def _write(view: View, run_id: str, event_id: int | None, stated: Acknowledgement | None) -> None:
    view.close()  # of the readers, none may have the file open while it is written
    with writing(view.path, wait=_WAIT) as con:
        if stated is None:
            withdraw(con, run_id, event_id)
        else:
            acknowledge(con, run_id, stated, event_id)
    st.rerun()
