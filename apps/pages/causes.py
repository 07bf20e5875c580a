"""Why a run is slower than those before: what changed with it in the other kinds of trace."""

from __future__ import annotations

import streamlit as st

from apps.pages.base import View
from apps.pages.text import plain
from apps.queries.explanations import (
    compared_runs,
    explained_against,
    explanation,
    explanation_coverage,
)
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
    "share",
    "certain",
)


def show(view: View, run_id: str) -> None:
    """Show what changed between a run and those before it, the best founded first."""
    st.subheader(f"What changed with {plain(run_id)}", anchor=False)
    which = view.value(explained_against, run_id)
    if which is None:
        st.caption("There are no runs before it to compare it with.")
        return
    with st.spinner("Looking through its traces ..."):
        rows = view.rows(explanation, which)
        runs = view.rows(compared_runs, which)
        coverage = view.rows(explanation_coverage, which)
    said = explanation_sentences(which, runs.to_dicts(), rows.to_dicts(), coverage.to_dicts())
    with st.container(border=True):
        for one in said:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(plain(one.words))
                if one.query is not None:
                    view.link("SQL", "sql", icon="terminal", sql=one.query)
    with st.expander("Figures"):
        view.table(rows.select(_FIGURES), percent=("change", "share"))
