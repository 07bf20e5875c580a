"""Throughput: what the core could sustain on a run's instruction streams, and what limits it."""

from __future__ import annotations

import polars as pl
import streamlit as st

from apps.pages import throughput_charts as charts
from apps.pages.base import View
from apps.reports.throughput import effects_sentence, throughput_sentences
from warehouse.errors import NothingToAnalyse


def page(view: View) -> None:
    """Show predicted and measured instructions per cycle of a run, by segment and by thread."""
    runs = view.ask("throughput/runs")["run_id"].to_list()
    run = view.select("Run", runs, key="run")
    if run is None:
        view.empty(
            "No run has segments of instruction streams yet: machine code of basic blocks, "
            "traces of instructions, or tables of segments.",
            "pwh ingest blocks.csv --app program",
        )
        return
    _run(view, run)


def _run(view: View, run: str) -> None:
    try:
        view.verdicts(view.value(throughput_sentences, run))
    except NothingToAnalyse as error:
        view.verdicts([f"{error.problem[:1].upper()}{error.problem[1:]}."])
    else:
        _limits(view, run)
        _effects(view, run)
        _segments(view, run)
    _threads(view, run)
    st.subheader("Segments, those with most cycles to gain first", anchor=False)
    st.caption(
        "Rates are instructions per cycle; cycles are those of one pass, and to gain those of all "
        "executions. Segments that were not measured come last, those with most cycles first."
    )
    view.paged("throughput/segments", {"run_id": run}, key="page")


def _limits(view: View, run: str) -> None:
    limits = view.ask("throughput/limits", run_id=run)
    # A single limit is in the sentences.
    if len(limits) > 1:
        st.subheader("What limits the cycles", anchor=False)
        view.chart(charts.limits(limits), "Share of the predicted cycles by what limits them")


def _effects(view: View, run: str) -> None:
    effects = view.ask("throughput/effects", run_id=run)
    if effects.is_empty():
        return
    st.subheader(
        "Feature contributions (Shapley values) relative to a typical segment", anchor=False
    )
    view.chart(
        charts.effects(effects), "Factors on the cycles of an instruction by group of features"
    )
    text = effects_sentence(effects.to_dicts()) or ""
    st.caption(f"{text} The typical segment is that of the training data.")


def _segments(view: View, run: str) -> None:
    st.subheader("Predicted and measured", anchor=False)
    segments = view.ask("throughput/plotted_segments", run_id=run, most=2000)
    if segments.is_empty():
        st.caption(
            "No segment is both measured and predicted, so that there is nothing to compare."
        )
        return
    view.chart(charts.scatter(segments), "Predicted and measured instructions per cycle")
    text = "On the dashed line a prediction is exact; below it the core did better than predicted."
    if len(segments) < segments["segments"][0]:
        text += f" {len(segments)} of {segments['segments'][0]} segments are drawn, spread evenly."
    st.caption(text)


def _threads(view: View, run: str) -> None:
    st.subheader("Threads", anchor=False)
    threads = view.ask("throughput/threads", run_id=run).head(24).drop_nulls("predicted")
    if len(threads) > 1:
        named = threads.with_columns(pl.col("thread").cast(pl.String).fill_null("all"))
        view.chart(
            charts.by_thread(named), "Predicted and measured instructions per cycle by thread"
        )
    view.paged("throughput/threads", {"run_id": run}, key="threads")
