"""Runs: what was run, when and where; the report of one, two compared."""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from apps.output import cell, counted, ratio_percent
from apps.pages.base import View
from apps.pages.text import plain
from apps.queries.comparison import run_comparison
from apps.queries.overview import warehouse_counts
from apps.queries.runs import resolve_run, row_counts, run_choices, run_facts, run_list, run_metrics
from apps.reports.runs import trace_sentences

_UNITS = {"wall_seconds": "s"}
_VERDICTS = ("worse", "better", "changed")
_COLUMNS = (
    "metric",
    "verdict",
    "before",
    "after",
    "unit",
    "ratio",
    "low",
    "high",
    "p_value",
    "noise",
)
_LEVEL = 0.95
_NAMED = 4


def page(view: View) -> None:
    """Show the runs that the filters leave, a page at a time."""
    every = view.rows(run_choices, None).filter(kind="app")
    if every.is_empty() and not view.rows(warehouse_counts)["runs"][0]:
        view.empty("No run has landed yet.", f"{view.pwh} ingest FILES")
        return
    app = view.select("Application", every["choice"].to_list(), key="app", every="All")
    choices = view.rows(run_choices, app)
    given: dict[str, Any] = {
        kind: view.select(
            label, choices.filter(kind=kind)["choice"].to_list(), key=kind, every="All"
        )
        for kind, label in (("version", "Version"), ("machine", "Machine"), ("tag", "Tag"))
    }
    text = view.text("Search", key="text", placeholder="in names and tags")
    shown = view.paged(run_list(app, **given, text=text.strip() or None), key="page", units=_UNITS)
    st.subheader("Details", anchor=False)
    _details(view, shown["run_id"].to_list())


def _details(view: View, runs: list[str]) -> None:
    with st.container(horizontal=True):
        run = view.pick("Run", runs, key="run", placeholder="its id, or the beginning of it")
        other = view.pick("Compare with", runs, key="other", placeholder="another run")
    if run is None:
        st.caption("Choose a run to see its report, and a second one to compare it with.")
        return
    run_id = view.value(resolve_run, run)
    if other is None:
        _one(view, run_id)
    else:
        _two(view, run_id, view.value(resolve_run, other))


def _one(view: View, run_id: str) -> None:
    """Show what is known of a run, kind of trace by kind of trace."""
    facts = view.value(run_facts, run_id)
    known = [f"{name} {cell(value, None)}" for name, value in facts.items() if name != "run_id"]
    st.markdown(f"**{plain(run_id)}**  {plain(', '.join(known))}")
    counts = view.value(row_counts, run_id)
    with st.spinner("Reading its traces ..."):
        sentences = [one for table in counts for one in view.value(trace_sentences, run_id, table)]
    if sentences:
        view.verdicts(sentences)
    landed = ", ".join(f"{table} {count:,}" for table, count in counts.items())
    st.caption(plain(f"Rows: {landed or 'none'}"))
    view.table(view.rows(run_metrics, run_id).select("metric", "value", "unit"))


def _two(view: View, run_id: str, other: str) -> None:
    """Compare two runs metric by metric, beyond the noise where that is known."""
    rows = view.rows(run_comparison, [run_id], [other], _LEVEL)
    if rows.is_empty():
        st.caption("The two have no metric in common.")
        return
    sentences = [
        f"{len(found)} of {counted(len(rows), 'metric')} {verdict}: {_named(found)}."
        for verdict in _VERDICTS
        if len(found := rows.filter(verdict=verdict))
    ]
    unknown = len(rows.filter(verdict="unknown"))
    if unknown:
        metrics = counted(unknown, "metric")
        sentences.append(
            f"The noise between runs of {metrics} is unknown: measure 4 more runs of each."
        )
    view.verdicts(
        [f"From {run_id} to {other}:", *(sentences or ["Nothing changed beyond the noise."])]
    )
    view.table(rows.select(_COLUMNS))


def _named(rows: pl.DataFrame) -> str:
    first = [
        f"{metric} {ratio_percent(ratio) or ''}".strip()
        for metric, ratio in rows.select("metric", "ratio").head(_NAMED).iter_rows()
    ]
    return ", ".join(first) + (f" and {len(rows) - _NAMED} more" if len(rows) > _NAMED else "")
