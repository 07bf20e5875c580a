"""A run: what is known of it, the verdicts, and what each kind of trace that it has shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import streamlit as st

from apps.output.numbers import counted
from apps.pages.base import View
from apps.pages.text import plain
from apps.queries.runs import resolve_run, row_counts, run_facts
from apps.reports.explanations import change_headline
from apps.reports.runs import facts_line, trace_sentences

_UNITS = {"seconds": "s", "mean_seconds": "s", "inclusive_seconds": "s", "longest": "s"}
_CHOICES = 100


@dataclass(frozen=True, slots=True)
class Trace:
    """A kind of trace: tab, landing table, question in runs/, and the page that shows more.

    `measured` are the columns that are in the unit of the column unit.
    """

    title: str
    table: str
    question: str
    page: str | None
    percent: tuple[str, ...] = ()
    measured: tuple[str, ...] = ()


_TRACES = (
    Trace("Functions", "fn_timings", "functions", "profile", ("share",)),
    Trace(
        *("Functions by cost", "pmu_samples", "costs", "profile", ("share",)),
        measured=("cost", "inclusive"),
    ),
    Trace("Counters", "pmu_samples", "counters", "bottlenecks"),
    Trace("Work of devices", "gpu_gaps", "kernels", "idle", ("share",)),
    Trace("Workers", "tasks", "workers", "idle"),
    Trace("Launches", "bb_launches", "launches", "threads"),
    Trace("Instruction streams", "segments", "segments", "throughput"),
    Trace("Benchmarks", "metrics", "benchmarks", None),
)


def page(view: View) -> None:
    """Show the run that the address names, without one that with the most kinds of trace."""
    latest = view.ask("runs/started_last", number=_CHOICES)["run_id"].to_list()
    newest = view.ask("runs/worth_a_look", runs=latest)["run_id"].to_list()
    if not newest and not view.ask("overview/counts")["runs"][0]:
        view.empty("No run has landed yet.", f"{view.pwh} ingest FILES")
        return
    named = view.pick(
        "Run",
        newest,
        key="run",
        placeholder="its id, or the beginning of it",
        default=next(iter(newest), None),
    )
    if named is None:
        st.caption("Choose a run.")
        return
    run_id = view.value(resolve_run, named)
    facts = view.value(run_facts, run_id)
    view.address.carry("app", facts.get("app") or "")
    st.markdown(f"**{plain(run_id)}**  {plain(facts_line(facts))}")
    _traces(view, run_id, facts)


def _traces(view: View, run_id: str, facts: dict[str, Any]) -> None:
    """Show what each kind of trace of a run shows, and links to where there is more."""
    counts = view.value(row_counts, run_id)
    with st.container(horizontal=True):
        view.link("Compare with another run", "compare", icon="compare_arrows", after=run_id)
        if facts.get("app") and facts.get("started_at"):
            view.link("Trends of the application", "trends", icon="trending_up", app=facts["app"])
    with st.spinner("Reading its traces ..."):
        verdicts = (one for table in counts for one in view.value(trace_sentences, run_id, table))
        sentences = [*view.value(change_headline, run_id), *verdicts]
    if sentences:
        view.verdicts(sentences)
    _tabs(view, run_id, counts)


def _tabs(view: View, run_id: str, counts: dict[str, int]) -> None:
    """Show a tab for each kind of trace; only the one that is open is read."""
    traces = [trace for trace in _TRACES if trace.table in counts]
    # Counters can be what functions cost, but need not.
    found = [one for one in traces if one.question != "costs" or _has_costs(view, run_id)]
    chosen = view.tabs([*(trace.title for trace in found), "Metrics", "Files"], key="tab")
    for trace in found:
        if trace.title == chosen:
            if trace.page is not None:
                title = view.pages[trace.page].title
                view.link(f"More: {title}", trace.page, icon="arrow_forward", run=run_id)
            rows, units = _with_one_unit(
                view.ask(f"runs/{trace.question}", run_id=run_id), trace.measured
            )
            view.table(rows, units=_UNITS | units, percent=trace.percent)
    if chosen == "Metrics":
        view.table(view.ask("runs/metrics", run_id=run_id).select("metric", "value", "unit"))
    if chosen == "Files":
        view.table(view.ask("runs/sources", run_id=run_id), units={"bytes": "B"})
        landed = ", ".join(f"{table} {count:,}" for table, count in counts.items())
        st.caption(plain(f"{counted(sum(counts.values()), 'row')}: {landed or 'none'}"))


def _with_one_unit(
    rows: pl.DataFrame, measured: Sequence[str]
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return the rows without the column unit where all have the same, and that of `measured`."""
    if not measured or rows["unit"].n_unique() != 1 or rows["unit"][0] is None:
        return rows, {}
    return rows.drop("unit"), dict.fromkeys(measured, rows["unit"][0])


def _has_costs(view: View, run_id: str) -> bool:
    return not view.ask("runs/costs", run_id=run_id).is_empty()
