"""Why a run is slower than those before: what changed in the other kinds of trace."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import streamlit as st

from apps.output.tables import Row
from apps.output.text import short_names
from apps.pages.base import View
from apps.pages.comparison_charts import waterfall_chart
from apps.pages.text import plain
from apps.queries.explanations import Comparison, explained_against, explanation, run_in_history
from apps.reports.explanations import explanation_sentences
from apps.reports.ledger import ledger_rows, part_name

_FIGURES = (
    *("topic", "subject", "metric", "before", "after", "before_label", "after_label", "unit"),
    *("change", "change_low", "change_high", "share", "certain", "noise"),
)
_LEDGER = ("part", "before", "after", "difference", "unit", "share", "certain")
# Functions that have a link, and the runs on either side whose profiles are looked for.
_LINKED, _NEAR, _LEAST = 4, 5, 0.02
_NAME = 40
_TREE = (
    *("callpath", "own_before", "own_after", "inclusive_before", "inclusive_after", "own_share"),
    *("inclusive_share", "unit"),
)


def show_for_run(view: View, run_id: str) -> None:
    """Show what changed between a run and those before it, the strongest evidence first."""
    st.subheader(f"What changed with {plain(run_id)}", anchor=False)
    which = view.value(explained_against, run_id)
    if which is None:
        st.caption("There are no earlier runs to compare it with.")
        return
    history = view.value(run_in_history, which)
    show(view, which, history)


def show(view: View, which: Comparison, history: Row | None = None) -> None:
    """Show what changed between two sets of runs: sentences, figures, call tree."""
    with st.spinner("Comparing its traces ..."):
        found = view.rows(explanation, which)
        runs = view.ask("explanations/runs", **which.sides)
        coverage = view.ask("explanations/coverage", **which.sides)
    rows = found.to_dicts()
    sentences = explanation_sentences(which, runs.to_dicts(), rows, coverage.to_dicts(), history)
    with st.container(border=True):
        for place, sentence in enumerate(sentences):
            with st.container(horizontal=True, key=f"_cause_{place}"):
                st.markdown(plain(sentence.text), width="stretch" if sentence.query else "content")
                if sentence.query is not None:
                    view.link("SQL", "sql", sql=sentence.query)
    _profiles(view, which, rows)
    _ledger(view, rows)
    with st.expander("Figures"):
        figures = found.filter(pl.col("topic") != "ledger").select(_FIGURES)
        view.table(figures, percent=("change", "change_low", "change_high"))
    tree = view.ask("explanations/call_tree", smallest_share=0.05, most=25, **which.sides)
    if not tree.is_empty():
        with st.expander("Call tree"):
            view.table(tree.select(_TREE))


def _profiles(view: View, which: Comparison, rows: Sequence[Row]) -> None:
    """Show the ways to the functions that differ, in the profiles of the two runs at the change."""
    pair = view.ask("profile/pair", runs=which.runs[:_NEAR], against=which.against[-_NEAR:])
    if pair.is_empty():
        return
    before, after = pair.row(0)
    differ = sorted(
        (
            row
            for row in rows
            if "function" in (row["topic"], row["metric"]) and abs(row["share"] or 0) >= _LEAST
        ),
        key=lambda row: -abs(row["share"]),
    )
    names = list(dict.fromkeys(row["subject"] for row in differ))[:_LINKED]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("In the profiles before and after:", width="content")
        for name, short in zip(names, short_names(names, _NAME), strict=True):
            view.link(short, "profile", run=after, against=before, function=name)
        view.link("Both profiles", "profile", icon="compare", run=after, against=before)


def _ledger(view: View, rows: Sequence[Row]) -> None:
    """Show what the difference consists of, as steps from before to after and as a table."""
    ledger = ledger_rows(rows)
    if not ledger:
        return
    total, *parts = ledger
    steps = [(part_name(row), row["after"] - row["before"]) for row in parts]
    view.chart(
        waterfall_chart(total["before"], steps, total["after"], total["unit"]),
        "What the difference consists of",
        ("explanations/findings", "explanations/stored"),
    )
    frame = pl.DataFrame([*parts, total], infer_schema_length=None).with_columns(
        part=pl.Series([part_name(row) for row in [*parts, total]]),
        difference=pl.col("after") - pl.col("before"),
    )
    with st.expander("Ledger"):
        view.table(frame.select(_LEDGER))
