"""What is known of a change: written on the page of the history, stored in the warehouse."""

from __future__ import annotations

import streamlit as st

from apps.pages.base import View
from apps.pages.text import plain
from ingest.acknowledge import acknowledge, withdraw
from warehouse.series import REASONS, Acknowledgement
from warehouse.sharing import writing

_WAIT = 10.0
_MEANINGS = {
    "expected": "an intended change",
    "noise": "no change of the program",
    "invalid run": "the run was measured wrongly: it leaves all series",
    "fixed": "a later version undoes it",
}


def acknowledging(view: View, run_id: str, named: str, *, known: str | None) -> None:
    """Offer to acknowledge the change at a run, as `pwh ack` does, or to withdraw what is known."""
    label = "Acknowledge" if known is None else f"Acknowledged as {known}"
    with st.popover(plain(label), icon=":material/task_alt:"):
        st.markdown(f"An acknowledged change, here at {plain(named)}, leaves gate and overview.")
        reason = st.radio(
            "It is",
            REASONS,
            key=f"ack_reason {run_id}",
            captions=[_MEANINGS[one] for one in REASONS],
        )
        fixed_in = None
        if reason == "fixed":
            fixed_in = st.text_input("In version", key=f"ack_version {run_id}").strip()
        note = st.text_input("Note", key=f"ack_note {run_id}").strip()
        said_by = st.text_input("Your name", key=f"ack_by {run_id}").strip()
        if st.button("Acknowledge", key=f"ack {run_id}", type="primary", disabled=fixed_in == ""):
            stated = Acknowledgement(reason, "*", fixed_in, note or None, said_by or None)
            _write(view, run_id, stated)
        if known is not None and st.button("Withdraw", key=f"open {run_id}"):
            _write(view, run_id, None)


def _write(view: View, run_id: str, stated: Acknowledgement | None) -> None:
    view.close()  # of the readers, none may have the file open while it is written
    with writing(view.path, wait=_WAIT) as con:
        if stated is None:
            withdraw(con, run_id)
        else:
            acknowledge(con, run_id, stated)
    st.rerun()
