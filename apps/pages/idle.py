"""Idle time: what GPUs or workers did when, why they waited, and what could be gained."""

from __future__ import annotations

import polars as pl
import streamlit as st

from apps.output.numbers import amount
from apps.pages import timeline_chart as charts
from apps.pages.base import View
from apps.pages.devices import show_devices
from apps.pages.text import plain
from apps.pages.timeline import Drawing, looked_at, show_timeline
from apps.queries.idle import LATENCY_MEANINGS, MODE_MEANINGS, Reading, Window, in_reading, within
from apps.queries.timeline import LANES, timeline_lanes, timeline_span
from apps.reports.idle import MOST_AT_ONCE, idle_sentences

_MODES = ("direct", "propagated", "transitive")
_RULES = ("union", "last_arrival")
_MOST_WORKERS = 32


def page(view: View) -> None:
    """Show where the time of a run's workers went."""
    runs = view.ask("timeline/runs")["run_id"].to_list()
    run = view.select("Run", runs, key="run")
    if run is None:
        view.empty(
            "No run of a task runtime has landed yet. Such traces come from Dask, StarPU, or the "
            "neutral task tables.",
            "pwh ingest trace.rec prof_files/ --app program",
        )
        return
    if show_devices(view, run):
        return
    mode = view.select("Waits followed back", _MODES, key="mode", help=MODE_MEANINGS) or _MODES[0]
    rule = view.select("Latency counts", _RULES, key="rule", help=LATENCY_MEANINGS) or _RULES[0]
    span = view.value(timeline_span, run)
    if span is None:
        st.info("The run's workers have no recorded time: no task has a start and an end.")
        return
    by = view.select("Colour by", ("cause", "type"), key="by") or "cause"
    text = view.text("Find tasks", key="task", placeholder="part of name or type").strip()
    first = 1
    if span.workers > LANES:
        first = view.number(
            "First worker", key="worker", value=1, low=1, high=span.workers, step=LANES
        )
    looked = looked_at(view)
    lanes = view.rows(timeline_lanes, run, first)["worker"].to_list()
    worker = view.pick("Worker", lanes, key="of", placeholder="all, or click a bar")
    reading = part = Reading(mode, rule, looked.window(span))
    if worker is not None and reading.window is None:
        part = reading._replace(window=(span.t_begin, span.t_end))
    st.subheader("Workers by time", anchor=False)
    place = st.container()
    detailed = view.confirmed(
        "Critical path, sentences and charts",
        key="details",
        rows=span.pieces,
        most=MOST_AT_ONCE,
    )
    with place:
        show_timeline(
            view,
            Drawing(
                run, span, looked, first, (mode, rule), by, text, with_path=detailed, worker=worker
            ),
        )
    if not detailed:
        st.caption("The run is large, so they are found when you switch them on.")
        return
    # Below the timeline, which would move under the cursor where the sentences get longer.
    view.verdicts(view.value(idle_sentences, run, reading))
    if reading.window is not None:
        st.caption("All but what could be gained is of the window.")
    if worker is not None:
        st.caption(plain(f"Waits and critical path are those of {worker}."))
    left, right = st.columns(2)
    with left:
        _sums(view, run, reading)
    with right:
        _blame(view, run, part, worker)
    left, right = st.columns(2)
    with left:
        _path(view, run, part.window, worker)
    with right:
        _gains(view, run)


def _sums(view: View, run: str, reading: Reading) -> None:
    st.subheader("Where the time went", anchor=False)
    sums = view.rows(in_reading, "idle/workers", reading, run_id=run, most=_MOST_WORKERS)
    view.chart(
        charts.sums_chart(sums), "Share of each worker's time by cause", choose=("worker", "of")
    )
    if sums["worker"].n_unique() == _MOST_WORKERS:
        st.caption(f"The {_MOST_WORKERS} workers that idled most.")


def _blame(view: View, run: str, reading: Reading, worker: str | None) -> None:
    st.subheader("What workers waited for", anchor=False)
    blame = view.rows(in_reading, "idle/blame", reading, run_id=run, most=12, worker=worker)
    if blame.is_empty():
        st.caption("No wait for another task's data is known.")
        return
    for by, title, key in (
        ("type", "waits for tasks of the type", "task"),
        ("worker", "waits for the worker", "of"),
    ):
        part = blame.filter(pl.col("waits_by") == by)
        _bars(view, part, title, f"Seconds of {title}, by cause", key)


def _bars(view: View, rows: pl.DataFrame, title: str, description: str, key: str) -> None:
    """Show seconds by what and cause as bars, which set a filter; of one thing in words.

    `description` is what the chart shows, and `key` that of the filter.
    """
    if rows["what"].n_unique() > 1:
        view.chart(charts.bars_by_cause(rows, title), description, choose=("what", key))
        return
    parts = ", ".join(
        f"{row['cause']} {amount(row['seconds'], 's')}"
        for row in rows.sort("seconds", descending=True).iter_rows(named=True)
    )
    st.markdown(plain(f"{rows['what'][0]}, {title}: {parts}."))


def _path(view: View, run: str, window: Window | None, worker: str | None) -> None:
    st.subheader("Critical path", anchor=False)
    path = view.rows(within, "idle/path_parts", window, run_id=run, most=12, worker=worker)
    if path.is_empty():
        st.caption("No task is on it here: the run has no dependent tasks, or the window none.")
        return
    _bars(view, path, "on the critical path", "Critical path by type and cause", "task")
    st.caption("The chain of tasks and waits that determines the end of the run.")


def _gains(view: View, run: str) -> None:
    st.subheader("What could be gained", anchor=False)
    gains = view.ask("idle/what_if", run_id=run)
    if gains.is_empty():
        st.caption("Unknown: too many tasks, or none, or nothing tells what they wait for.")
        return
    view.chart(charts.gain_chart(gains), "How much shorter the run could be")
    if not gains["is_recorded"].any():
        st.caption(
            "One more worker: at most, if no task needs another; nothing tells which tasks do."
        )
    elif gains["is_assumed"].any():
        st.caption("One more worker and other placement: if tasks need no more than is recorded.")
