"""Overview: applications and their histories, the latest runs, what the latest traces show."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from apps.output.numbers import amount, short_count
from apps.output.text import short_names, version_text
from apps.pages.base import View
from apps.pages.failures import show_errors
from apps.pages.tables import linked
from apps.pages.text import plain
from apps.queries.runs import rows_by_run
from apps.reports.changes import series_state
from apps.reports.runs import trace_sentences
from apps.reports.sparklines import sparkline

_RUNS = 8
_SERIES = 100
_VALUES = 40
_CELL = 28
_PICTURE = 140  # px
# Of more rows a trace is analysed when the user requests it.
_ROWS_AT_ONCE = 300_000
_SENTENCES = 2
_CARDS_OF_LEFT = 3
_TOPICS = (
    ("pmu_samples", "Counters", "bottlenecks"),
    ("fn_timings", "Functions", "profile"),
    ("tasks", "Idle time", "idle"),
    ("bb_launches", "Threads", "threads"),
    ("segments", "Throughput", "throughput"),
)


def page(view: View) -> None:
    """Show the applications, what landed last, and at the foot how much there is."""
    counts = view.ask("overview/counts").row(0, named=True)
    if not counts["runs"]:
        view.empty()
        return
    _watch_list(view)
    left, right = st.columns(2, gap="large")
    with right:
        st.subheader("Latest runs", anchor=False)
        latest = view.ask("overview/latest", number=_RUNS)
        view.table(latest.select("run_id", "app", "started_at", "wall_seconds"))
        view.link("All runs", "runs")
    with left:
        st.subheader("What the latest traces show", anchor=False)
        with st.spinner("Analysing the latest traces ..."):
            _verdicts(view, left, right)
    _counts(counts)


def _counts(counts: dict[str, Any]) -> None:
    shown = (
        ("Runs", counts["runs"]),
        ("Applications", counts["apps"]),
        ("Machines", counts["machines"]),
        ("Files", counts["files"]),
        ("Rows", counts["rows"]),
    )
    for place, (label, number) in zip(st.columns(len(shown)), shown, strict=True):
        place.metric(label, short_count(number), help=f"{number:,}", border=True)


def _watch_list(view: View) -> None:
    """Show a line for each setting of an application: last values, last run, state."""
    found = view.ask("overview/watched", number=_SERIES, most=_VALUES, app=None)
    if found.is_empty():
        return
    st.subheader("Applications", anchor=False)
    rows = list(found.iter_rows(named=True))
    links = [
        f"trends?metric={quote(r['metric'], safe='')}&app={quote(r['app'], safe='')}" for r in rows
    ]
    settings = short_names(found["setting"].fill_null("").to_list(), _CELL)
    shown = found.select(
        "machine",
        "last_at",
        "run_id",
    ).with_columns(
        pl.Series("app", links),
        pl.Series(
            "history", [sparkline(row["history"], row["change_at"]) for row in rows], pl.String
        ),
        pl.Series("setting", [one or None for one in settings], pl.String),
        pl.Series("metric", short_names(found["metric"].to_list(), _CELL)),
        pl.Series("last", [amount(row["last"], row["unit"]) for row in rows]),
        pl.Series("state", [series_state(row) for row in rows]),
    )
    columns = shown.select(
        *("app", "machine", "setting", "metric", "history", "last", "state", "last_at", "run_id")
    )
    st.dataframe(
        linked(columns.select(one for one in columns if one.null_count() < len(one))),
        hide_index=True,
        placeholder="",
        column_config={
            "app": st.column_config.LinkColumn("app", display_text=r"&app=(.*)$"),
            "history": st.column_config.ImageColumn("history", width=_PICTURE),
            "state": st.column_config.TextColumn("state", width="medium"),
            "last_at": st.column_config.DatetimeColumn("last run", format="distance"),
            "run_id": st.column_config.LinkColumn("run", display_text=r"\?run=(.*)$"),
        },
    )
    few = f"The first {_SERIES} series. " if len(rows) == _SERIES else ""
    st.caption(
        f"{few}Wall time of the last runs, else the time or cost of their functions, or cycles, "
        "else the result of a benchmark or the counter that changed last. State: the latest change."
    )


def _verdicts(view: View, left: DeltaGenerator, right: DeltaGenerator) -> None:
    """Show the verdicts on the newest trace of each kind, in the shorter of two columns."""
    last = view.ask("overview/last_runs").to_dicts()
    tables = view.value(rows_by_run, [run["run_id"] for run in last])
    latest = {table: run for run in reversed(last) for table in tables[run["run_id"]]}
    known = [topic for topic in _TOPICS if topic[0] in latest]
    if not known:
        with left:
            st.caption(
                "The latest runs have no counters, profiles or traces, only metrics: their "
                "histories are on the page Trends."
            )
    for place, (kind, title, page_path) in enumerate(known):
        row = latest[kind]
        column = left if place < _CARDS_OF_LEFT else right
        sentences: list[str] | None = None
        card = column.empty()
        with card.container(border=True, gap="small"):
            version = row["version"] and version_text(row["version"])
            name = " ".join(part for part in (row["app"], version) if part)
            st.markdown(f"**{title}** of {plain(name or row['run_id'])}")
            rows = tables[row["run_id"]][kind]
            label = f"Analyse {short_count(rows)} rows"
            if view.confirmed(label, key=kind, rows=rows, most=_ROWS_AT_ONCE):
                # One analysis that fails must not stop the others.
                with show_errors(view):
                    sentences = view.value(trace_sentences, row["run_id"], kind)[:_SENTENCES]
                    for sentence in sentences:
                        st.markdown(plain(sentence))
            view.link(f"{title} of {row['run_id']}", page_path, run=row["run_id"])
        # as of the samples of a profile, which its functions tell
        if sentences == []:
            card.empty()
