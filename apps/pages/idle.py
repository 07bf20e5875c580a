"""Idle time: what workers did when, why they waited, for what, and what could be gained."""

from __future__ import annotations

import polars as pl
import streamlit as st

from apps.pages import timeline_chart as charts
from apps.pages.base import View
from apps.pages.charts import show
from apps.queries.idle import MOST_WORKERS, idle_blame, idle_what_if, idle_workers, path_parts
from apps.queries.timeline import LANES, Span, timeline, timeline_runs, timeline_span
from apps.reports.idle import idle_sentences

_MODES = ("direct", "propagated", "transitive")
_RULES = ("union", "last_arrival")


def page(view: View) -> None:
    """Show where the time of a run's workers went."""
    runs = view.rows(timeline_runs)["run_id"].to_list()
    run = view.select("Run", runs, key="run")
    if run is None:
        view.empty(
            "No run of a task runtime has landed yet. Such traces come from Dask, StarPU, or the "
            "neutral task tables.",
            "pwh ingest trace.rec prof_files/ --app program",
        )
        return
    mode = view.select("Waits followed back", _MODES, key="mode", help=_MODE_HELP) or _MODES[0]
    rule = view.select("Latency counts", _RULES, key="rule", help=_RULE_HELP) or _RULES[0]
    span = view.value(timeline_span, run)
    if span is None:
        st.info("The run's workers have no recorded time: no task has a start and an end.")
        return
    begin = view.number("From (%)", key="from", value=0.0, low=0.0, high=100.0, step=5.0)
    end = view.number("To (%)", key="to", value=100.0, low=0.0, high=100.0, step=5.0)
    first = 1
    if span.workers > LANES:
        first = view.number("First worker", key="worker", value=1, low=1, step=LANES)
    window = _window(span, begin, end)
    whole = window == (span.t_begin, span.t_end)
    view.verdicts(view.value(idle_sentences, run, mode, rule, None if whole else window))
    _timeline(view, run, span, window, first, mode, rule)
    if not whole:
        st.caption("The charts below are of the whole run.")
    left, right = st.columns(2)
    with left:
        _sums(view, run, mode, rule)
    with right:
        _blame(view, run, mode, rule)
    left, right = st.columns(2)
    with left:
        _path(view, run)
    with right:
        _gains(view, run)


def _window(span: Span, begin: float, end: float) -> tuple[int, int]:
    """Return the window in ns for per cent of the span; where it is empty, the whole span."""
    length = span.t_end - span.t_begin
    t0, t1 = (span.t_begin + round(length * share / 100) for share in (begin, end))
    return (t0, t1) if t0 < t1 else (span.t_begin, span.t_end)


def _timeline(
    view: View, run: str, span: Span, window: tuple[int, int], first: int, mode: str, rule: str
) -> None:
    st.subheader("Workers by time", anchor=False)
    rows = view.rows(timeline, run, span, window, first, mode, rule)
    if rows.is_empty():
        st.caption("No worker was active in this window.")
        return
    show(charts.timeline_chart(rows), "What each worker did when, coloured by cause")
    notes = []
    if span.workers > LANES:
        last = min(first + LANES - 1, span.workers)
        notes.append(f"Workers {first} to {last} of {span.workers}.")
    if rows["is_binned"][0]:
        notes.append("There are many tasks and waits, so they are summed in bins of time.")
    if notes:
        st.caption(" ".join(notes))


def _sums(view: View, run: str, mode: str, rule: str) -> None:
    st.subheader("Where the time went", anchor=False)
    sums = view.rows(idle_workers, run, mode, rule)
    show(charts.sums_chart(sums), "Share of each worker's time by cause")
    if sums["worker"].n_unique() == MOST_WORKERS:
        st.caption(f"The {MOST_WORKERS} workers that idled most.")


def _blame(view: View, run: str, mode: str, rule: str) -> None:
    st.subheader("What workers waited for", anchor=False)
    blame = view.rows(idle_blame, run, mode, rule)
    if blame.is_empty():
        st.caption("No wait for another task's data is known.")
        return
    for by, title in (("type", "waits for tasks of the type"), ("worker", "waits for the worker")):
        part = blame.filter(pl.col("waits_by") == by)
        show(charts.bars_by_cause(part, title), f"Seconds of {title}, by cause")


def _path(view: View, run: str) -> None:
    st.subheader("Critical path", anchor=False)
    path = view.rows(path_parts, run)
    if path.is_empty():
        st.caption("The run has no dependent tasks.")
        return
    show(charts.bars_by_cause(path, "on the critical path"), "Critical path by type and cause")
    st.caption("The chain of tasks and waits that determines the end of the run.")


def _gains(view: View, run: str) -> None:
    st.subheader("What could be gained", anchor=False)
    gains = view.rows(idle_what_if, run).filter(pl.col("percent").is_not_null())
    if gains.is_empty():
        st.caption("Unknown: the run has no workers with recorded time.")
        return
    show(charts.gain_chart(gains), "How much shorter the run could be")


_MODE_HELP = (
    "direct: each wait by itself. propagated: with the overhead in the waits of the worker that "
    "was awaited. transitive: with its latency, too, back to the root cause."
)
_RULE_HELP = (
    "union: time in which any input was in transit. last_arrival: until the last one arrived, for "
    "traces without times of sending."
)
