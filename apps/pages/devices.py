"""Limits of the devices of a run: how busy they were, who was late, and what they executed."""

from __future__ import annotations

import altair as alt
import polars as pl
import streamlit as st

from apps.output.colours import DEVICE_CAUSES
from apps.pages.base import View
from apps.pages.charts import axis, legend
from apps.pages.components import component
from apps.pages.timeline import drawn_pieces, looked_at, nothing
from apps.queries.timeline import LANES, Span
from apps.reports.gpu import gpu_sentences

_BY = ("step", "device", "stream")


def show_devices(view: View, run: str) -> bool:
    """Show what the devices of a run did; return whether it has any, and they are wanted."""
    if view.ask("gpu/devices", run_id=run).is_empty():
        return False
    if view.select("Reading", ("devices", "tasks"), key="reading", help=_HELP) == "tasks":
        return False
    view.verdicts(view.value(gpu_sentences, run))
    show_device_timeline(view, run)
    st.subheader("Where the time of devices went", anchor=False)
    by = view.select("By", _BY, key="of") or _BY[0]
    parts = view.ask("gpu/by", run_id=run, by=by)
    if parts.is_empty():
        st.caption(f"The trace marks no {by}s." if by == "step" else "A device has one stream.")
    else:
        view.table(parts)
    st.subheader("Who was late", anchor=False)
    view.table(view.ask("gpu/late", run_id=run))
    st.subheader("What devices executed", anchor=False)
    view.table(view.ask("runs/kernels", run_id=run))
    memory = view.ask("gpu/memory_over_time", run_id=run)
    if not memory.is_empty():
        st.subheader("Memory over time", anchor=False)
        view.chart(_memory_chart(memory), f"Memory in use and reserved over the time of {run}")
    return True


def _memory_chart(rows: pl.DataFrame) -> alt.Chart:
    chart: alt.Chart = (
        alt.Chart(rows)
        .mark_line(interpolate="step-after")
        .encode(
            x=alt.X("seconds:Q", axis=axis("Time", "s")),
            y=alt.Y("bytes:Q", axis=axis("Memory", "bytes", format="~s")),
            color=alt.Color("memory:N", legend=legend()),
            tooltip=["memory:N", "seconds:Q", "bytes:Q"],
        )
    )
    return chart


def show_device_timeline(view: View, run: str) -> None:
    """Show devices, streams and the threads that launch by time, of all of it or of a step."""
    spans = view.ask("gpu/spans", run_id=run)
    steps = [f"step {step}" for step in spans["step"].drop_nulls()]
    chosen = view.select("Step", steps, key="step", every="all steps") if steps else None
    row = spans.row(0 if chosen is None else 1 + steps.index(chosen), named=True)
    span = Span(row["t_begin"], max(row["t_end"], row["t_begin"] + 1), 0, 0)
    st.subheader("Devices and threads by time", anchor=False)
    looked = looked_at(view)
    t0, t1 = looked.window(span) or (span.t_begin, span.t_end)
    where = {"run_id": run, "origin": span.t_begin, "t0": t0, "t1": t1, "lanes": LANES}
    pieces = view.ask("gpu/pieces", **where, most=_MOST_PIECES, bins=_BINS)
    gaps = view.ask("gpu/gaps", **where, most=_MOST_PIECES)
    none = [0] * len(gaps)
    binned = bool(pieces["is_binned"].any())
    view.behind("Workers by time", "gpu/pieces")
    component("timeline")(
        key="timeline",
        data={
            **looked.data(span),
            "lanes": view.ask("gpu/rows", run_id=run, most=LANES)["worker"].to_list(),
            "pieces": drawn_pieces(pieces),
            "binned": binned,
            "waits": gaps.to_dict(as_series=False)
            | dict.fromkeys(("starvation", "latency", "overhead"), none),
            "path": {},
            "found": None,
            "total": 0,
            "query": "",
            "colours": DEVICE_CAUSES,
            "by": "cause",
        },
        on_window_change=nothing,
    )
    notes = (
        "Wheel: zoom. Drag: pan. Over a gap of a device: who was late; a click leads to that call."
    )
    st.caption(f"{notes} There is much here, so it is summed in bins." if binned else notes)


_MOST_PIECES = 4000
_BINS = 200
_HELP = (
    "devices: what limits the GPUs. tasks: waits of streams and threads as those of workers of a "
    "runtime of tasks."
)
