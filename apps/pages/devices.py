"""What limits the devices of a run: how busy they were, who was late, and what they executed."""

from __future__ import annotations

import streamlit as st

from apps.pages.base import View
from apps.queries.base import ask
from apps.reports.gpu import gpu_sentences

_BY = ("step", "device", "stream")
_UNITS = {"seconds": "s", "mean_seconds": "s", "window_seconds": "s", "idle_seconds": "s"}


def show_devices(view: View, run: str) -> bool:
    """Show what the devices of a run did; return whether it has any, and they are wanted."""
    if view.rows(ask, "gpu/devices", run_id=run).is_empty():
        return False
    if view.select("Reading", ("devices", "tasks"), key="reading", help=_HELP) == "tasks":
        return False
    view.verdicts(view.value(gpu_sentences, run))
    st.subheader("Where the time of devices went", anchor=False)
    by = view.select("By", _BY, key="of") or _BY[0]
    parts = view.rows(ask, "gpu/by", run_id=run, by=by)
    if parts.is_empty():
        st.caption(f"The trace marks no {by}s." if by == "step" else "A device has one stream.")
    else:
        view.table(parts, units=_UNITS)
    st.subheader("Who was late", anchor=False)
    view.table(view.rows(ask, "gpu/late", run_id=run), units=_UNITS, percent=("share",))
    st.subheader("What devices executed", anchor=False)
    view.table(view.rows(ask, "runs/kernels", run_id=run), units=_UNITS, percent=("share",))
    return True


_HELP = (
    "devices: what limits the GPUs. tasks: waits of streams and threads as those of workers of a "
    "runtime of tasks."
)
