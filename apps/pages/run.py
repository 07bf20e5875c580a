"""A run: what is known of it, the verdicts, a picture, and what each kind of trace of it shows."""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from apps.output.numbers import counted
from apps.pages.base import View
from apps.pages.devices import show_device_timeline
from apps.pages.profile import show_flame_graph
from apps.pages.text import plain
from apps.pages.timeline import Drawing, looked_at, show_timeline
from apps.queries.runs import resolve_run, row_counts, run_facts
from apps.queries.timeline import timeline_span
from apps.reports.runs import facts_line, report_of
from warehouse.session import Connection

_CHOICES = 100
_ROWS = 1000
# Tasks and waits; more take long to draw.
_MOST_PIECES = 300_000
# The page that shows more of what a section of the report is made of, by its view.
_PAGES = {
    "function_shares": "profile",
    "function_totals": "profile",
    "counter_summary": "bottlenecks",
    "gpu_activity": "idle",
    "gpu_kernels": "idle",
    "worker_summary": "idle",
    "launch_summary": "threads",
    "segment_summary": "throughput",
}


def page(view: View) -> None:
    """Show the run that the address names, without one that with the most kinds of trace."""
    newest = view.ask("runs/started_last", number=None)["run_id"].to_list()
    first = view.ask("runs/worth_a_look", runs=newest[:_CHOICES])["run_id"].to_list()
    if not newest and not view.ask("overview/counts")["runs"][0]:
        view.empty()
        return
    named = view.pick(
        "Run",
        newest,
        key="run",
        placeholder="its id, or the beginning of it",
        default=next(iter(first), None),
    )
    if named is None:
        st.caption("Choose a run.")
        return
    run_id = view.value(resolve_run, named)
    facts = view.value(run_facts, run_id)
    view.address.carry("app", facts.get("app") or "")
    st.markdown(f"**{plain(run_id)}**  {plain(facts_line(facts))}")
    with st.container(horizontal=True):
        view.link("Compare with another run", "compare", after=run_id)
        if facts.get("app") and facts.get("started_at"):
            view.link("Trends of the application", "trends", app=facts["app"])
    with st.spinner("Reading its traces ..."):
        sentences, sections = view.value(_report, run_id)
    if sentences:
        view.verdicts(sentences)
    counts = view.value(row_counts, run_id)
    _picture(view, run_id, counts)
    _tabs(view, run_id, sections, counts)


_Shown = tuple[str, list[str], pl.DataFrame, str]


def _report(con: Connection, run_id: str) -> tuple[list[str], list[_Shown]]:
    """Return what `pwh report` says first, and each section: title, sentences, rows, view."""
    report = report_of(con, run_id)
    return report.sentences, [
        (one.title, one.others, one.relation.limit(_ROWS).pl(), one.view) for one in report.sections
    ]


def _picture(view: View, run_id: str, counts: dict[str, int]) -> None:
    """Draw what its devices or workers did when, else the flame graph of its functions."""
    if "tasks" in counts:
        if not view.ask("gpu/devices", run_id=run_id).is_empty():
            show_device_timeline(view, run_id)
            return
        span = view.value(timeline_span, run_id)
        if span is not None and span.pieces <= _MOST_PIECES:
            looked, reading = looked_at(view), ("direct", "union")
            drawn = Drawing(run_id, span, looked, 1, reading, "cause", "", with_path=False)
            show_timeline(view, drawn)
            return
    events = view.ask("profile/events", runs=[run_id]).filter(pl.col("depth") > 1)
    if not events.is_empty():
        show_flame_graph(view, run_id, events.row(0, named=True))


def _tabs(view: View, run_id: str, sections: list[_Shown], counts: dict[str, int]) -> None:
    """Show a tab for each kind of trace, and those of metrics and files."""
    chosen = view.tabs([*(title for title, *_ in sections), "Metrics", "Files"], key="tab")
    for title, sentences, rows, of in sections:
        if title == chosen:
            if (more := _PAGES.get(of)) is not None:
                view.link(f"More: {view.pages[more].title}", more, icon="arrow_forward", run=run_id)
            if sentences:
                view.verdicts(sentences, most=1)
            shown, units = _with_one_unit(rows)
            view.table(shown, units=units)
    if chosen == "Metrics":
        view.table(view.ask("runs/metrics", run_id=run_id).select("metric", "value", "unit"))
    if chosen == "Files":
        view.table(view.ask("runs/sources", run_id=run_id))
        landed = ", ".join(f"{table} {count:,}" for table, count in counts.items())
        st.caption(plain(f"{counted(sum(counts.values()), 'row')}: {landed or 'none'}"))


def _with_one_unit(rows: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return costs without the column unit where all have the same, and that of their columns."""
    costs = [name for name in ("cost", "inclusive") if name in rows.columns]
    if "unit" not in rows.columns or not costs:
        return rows, {}
    if rows["unit"].n_unique() != 1 or rows["unit"][0] is None:
        return rows, {}
    return rows.drop("unit"), dict.fromkeys(costs, rows["unit"][0])
