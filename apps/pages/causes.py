"""Why a run is slower than those before: what changed in the other kinds of trace."""

from __future__ import annotations

import polars as pl
import streamlit as st

from apps.output.tables import Row
from apps.pages.base import View
from apps.pages.charts import show as show_chart
from apps.pages.comparison_charts import waterfall_chart, waterfall_steps
from apps.pages.text import plain
from apps.queries.explanations import Comparison, explained_against, explanation, run_in_history
from apps.reports.explanations import explanation_sentences

_FIGURES = (
    "topic",
    "subject",
    "metric",
    "before",
    "after",
    "before_label",
    "after_label",
    "unit",
    "change",
    "change_low",
    "change_high",
    "share",
    "certain",
    "noise",
)
_TREE = (
    "callpath",
    "own_before",
    "own_after",
    "inclusive_before",
    "inclusive_after",
    "own_share",
    "inclusive_share",
    "unit",
)


def show_for_run(view: View, run_id: str) -> None:
    """Show what changed between a run and those before it, the strongest evidence first."""
    st.subheader(f"What changed with {plain(run_id)}", anchor=False)
    which = view.value(explained_against, run_id)
    if which is None:
        st.caption("There are no earlier runs to compare it with.")
        return
    history = view.value(run_in_history, which)
    with st.spinner("Comparing its traces ..."):
        rows = view.rows(explanation, which)
    _waterfall(rows)
    show(view, which, history)


def show(view: View, which: Comparison, history: Row | None = None) -> None:
    """Show what changed between two sets of runs: sentences, figures, call tree."""
    with st.spinner("Comparing its traces ..."):
        rows = view.rows(explanation, which)
        runs = view.ask("explanations/runs", **which.sides)
        coverage = view.ask("explanations/coverage", **which.sides)
    sentences = explanation_sentences(
        which, runs.to_dicts(), rows.to_dicts(), coverage.to_dicts(), history
    )
    with st.container(border=True):
        for sentence in sentences:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(plain(sentence.text))
                if sentence.query is not None:
                    view.link("SQL", "sql", icon="terminal", sql=sentence.query)
    with st.expander("Figures"):
        view.table(rows.select(_FIGURES), percent=("change", "change_low", "change_high", "share"))
    tree = view.ask("explanations/call_tree", smallest_share=0.05, most=25, **which.sides)
    if not tree.is_empty():
        with st.expander("Call tree"):
            view.table(tree.select(_TREE), percent=("own_share", "inclusive_share"))


def _waterfall(rows: pl.DataFrame) -> None:
    """Show how the functions lead from the time before to that after, the biggest part first."""
    functions = rows.filter(topic="function")
    totals = functions.filter(
        pl.col("subject").is_null(), pl.col("before").is_finite(), pl.col("after").is_finite()
    ).sort(pl.col("unit") != "s", maintain_order=True)
    if totals.is_empty():
        return
    total = totals.row(0, named=True)
    parts = functions.drop_nulls("subject").filter(unit=total["unit"])
    parts = parts.select(
        step="subject", change=pl.col("after").fill_null(0) - pl.col("before").fill_null(0)
    )
    # A step for all others alone would say no more than the sentences.
    if parts.is_empty():
        return
    steps = waterfall_steps(parts, total["after"] - total["before"])
    show_chart(
        waterfall_chart(total["before"], steps, total["after"], total["unit"]),
        "How each function changes the total",
    )
