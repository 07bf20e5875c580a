"""Runs: what was run, when and where; leads to one of them, or to a comparison of two."""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from apps.pages.base import View


def page(view: View) -> None:
    """Show the runs that the filters leave, a page at a time."""
    every = view.ask("runs/choices", app=None).filter(pl.col("kind").is_in(["app", "none"]))
    if every.is_empty() and not view.ask("overview/counts")["runs"][0]:
        view.empty()
        return
    app = view.select("Application", every["choice"].to_list(), key="app", every="All")
    choices = view.ask("runs/choices", app=app)
    given: dict[str, Any] = {
        kind: view.select(
            label, choices.filter(kind=kind)["choice"].to_list(), key=kind, every="All"
        )
        for kind, label in (("version", "Version"), ("machine", "Machine"), ("tag", "Tag"))
    }
    first, last = view.period() or (None, None)
    text = view.text("Search", key="text", placeholder="in names and tags")
    marked = view.paged(
        "runs/page",
        {"app": app, **given, "text": text.strip() or None, "since": first, "until": last},
        key="page",
        choose=True,
    )
    _next_links(view, marked)


def _next_links(view: View, marked: pl.DataFrame) -> None:
    """Lead on to the run that is marked, or to the comparison of two, the earlier one first."""
    runs = marked.sort("started_at", nulls_last=True, maintain_order=True)["run_id"].to_list()
    match runs:
        case []:
            st.caption(
                "Click a row to see the run; mark two rows at their beginning to compare them."
            )
        case [run]:
            view.link(f"See {run}", "run", icon="arrow_forward", run=run)
            st.caption("Mark a second row to compare the two.")
        case [before, after]:
            view.link(f"Compare {before} with {after}", "compare", before=before, after=after)
        case _:
            st.caption(f"{len(runs)} rows are marked; two are compared.")
