"""Bottlenecks: what limits runs by their counters, what a cure could save, the history."""

from __future__ import annotations

import polars as pl
import streamlit as st

from apps.pages import bottleneck_charts as charts
from apps.pages.base import View
from apps.pages.charts import show
from apps.pages.text import NO_APPLICATION, plain
from apps.queries.bottlenecks import (
    bottleneck_classes,
    bottleneck_costs,
    bottleneck_metrics,
    class_shares,
    counted_runs,
    counters_of,
    model_clusters,
    topdown,
    tuning_history,
    verdicts_of,
)
from apps.reports.bottlenecks import bottleneck_sentences
from apps.reports.star_glyphs import read_stars, scale_sentence
from warehouse.errors import NothingToAnalyse

_BY = {"process": "rank", "region": "region", "sample": "sample", "run": "run"}
_NEWEST = 40
_MOST_ROWS = 100_000
# The history classifies all runs of an application; more counters take seconds.
_HISTORY_ROWS = 1_000_000


def page(view: View) -> None:
    """Show the verdict on an application's runs, or on one of them."""
    known = view.rows(counted_runs)
    if known.is_empty():
        view.select("Application", [], key="app")
        view.empty(
            "No run has hardware counters yet. Counters come from perf stat, PAPI, LIKWID, "
            "Caliper, PerfSpect, gem5 or Nsight Compute.",
            "perf stat -I 100 -x, -e cycles,instructions,cache-misses -o counters.csv ./program\n"
            "pwh ingest counters.csv --app program --version 1.0",
        )
        return
    runs, app = _chosen(view, known)
    by = view.select("Stars by", list(_BY), key="by", every="automatic")
    with view.narrowed(counters_of(runs, "bottlenecks", "pmu_standardised")):
        view.verdicts(view.value(bottleneck_sentences, runs))
        _stars(view, runs, None if by is None else _BY[by])
        left, right = st.columns(2)
        with left:
            _shares(view, runs)
        with right:
            _costs(view, runs)
        _classes(view, runs)
        _clusters(view, runs)
    if app is None:
        return
    rows = known.filter(pl.col("app") == app)["rows_so_far"].to_list()
    if rows[-1] <= _HISTORY_ROWS or view.toggle("Tuning history", key="history", value=False):
        _history(view, app)
    else:
        st.caption(
            "The tuning history classifies every run of the application: switch it on above."
        )


def _chosen(view: View, known: pl.DataFrame) -> tuple[list[str], str | None]:
    """Return the runs that the user chooses, of all runs the newest, and their application."""
    named = known.with_columns(pl.col("app").fill_null(NO_APPLICATION))
    asked = named.filter(run_id=view.address.asked("run") or "")
    if not asked.is_empty():
        view.address.imply("app", asked["app"][0])
    apps = named["app"].unique(maintain_order=True).to_list()
    app = view.select("Application", apps, key="app")
    of_app = named.filter(app=app)
    found = of_app["run_id"].to_list()
    app = None if app == NO_APPLICATION else app
    run = view.select("Run", found, key="run", every="All runs")
    if run is not None:
        return [run], app
    few = of_app.filter(pl.col("rows_so_far") <= _MOST_ROWS).height
    newest = min(max(few, 1), _NEWEST)
    if newest < len(found):
        st.caption(f"Shown: the newest {newest} of {len(found)} runs.")
    return found[:newest], app


def _stars(view: View, runs: list[str], by: str | None) -> None:
    st.subheader("Stars of metrics", anchor=False)
    try:
        _, glyphs = view.value(read_stars, runs, by)
    except NothingToAnalyse as error:
        st.caption(plain(str(error)))
        return
    st.altair_chart(
        charts.star_chart(glyphs),
        width="content",
        alt=f"{len(glyphs.stars)} star glyphs, one ray per metric, coloured by class",
    )
    st.caption(plain(scale_sentence(glyphs)))
    st.caption(plain(f"Rays: {'; '.join(glyphs.names)}."))


def _shares(view: View, runs: list[str]) -> None:
    st.subheader("Classes of processes", anchor=False)
    shares = view.rows(class_shares, runs)
    show(charts.share_chart(shares), "Share of the cycles of each process in each class")
    shown, places = shares["position"].n_unique(), shares["places"].to_list()[0]
    if shown < places:
        st.caption(f"{shown} of {places} are drawn, spread evenly.")


def _costs(view: View, runs: list[str]) -> None:
    st.subheader("What a cure could save at most", anchor=False)
    costs = view.rows(bottleneck_costs, runs)
    if costs.is_empty():
        st.caption(
            "Unknown: the model for these counters was trained without costs. pwh fit bottlenecks "
            "--labels FILE learns them from measured shares (frac_mem, frac_dtb ...)."
        )
        return
    show(charts.cost_chart(costs), "Share of the cycles that curing each component could save")


def _classes(view: View, runs: list[str]) -> None:
    st.subheader("Classes, what drove them, what helps", anchor=False)
    classes = view.rows(bottleneck_classes, runs)
    view.table(
        classes.select(
            "class",
            "samples",
            "share",
            "probability",
            "drivers",
            "advice",
            "reason",
            "said_by",
            "model",
        )
    )
    with st.expander("Metrics: means over the samples, weighted by cycles"):
        view.table(view.rows(bottleneck_metrics, runs))
    slots = view.rows(topdown, runs)
    if not slots.is_empty():
        with st.expander("Top-down shares by region"):
            view.table(slots)


def _clusters(view: View, runs: list[str]) -> None:
    clusters = view.rows(model_clusters, runs)
    st.subheader("Clusters of the model in use", anchor=False)
    if clusters.is_empty():
        st.caption(
            "None: the model for these runs, if any, came with pwh. pwh fit bottlenecks finds "
            "clusters in the runs of this warehouse."
        )
        return
    named = clusters.with_columns(
        cluster=pl.format("{}: {}, {} samples", "cluster", "class", "samples")
    )
    show(charts.cluster_chart(named), "Medoid of each cluster, in deviations from the mean")


def _history(view: View, app: str) -> None:
    with view.narrowed(view.value(verdicts_of, app)):
        history = view.rows(tuning_history, app)
    st.subheader("Tuning history", anchor=False)
    if len(history) < 2:
        st.caption(
            "Fewer than two versions have counters; pwh ingest --version states the version."
        )
        return
    timed = history.filter(pl.col("seconds").is_not_null() & pl.col("version").is_not_null())
    if not timed.is_empty():
        fields = ("machine", "problem_size", "nodes", "ranks", "threads")
        series = pl.concat_str(*fields, separator=", ", ignore_nulls=True).alias("series")
        show(charts.history_chart(timed.with_columns(series)), "Time of each version by class")
    else:
        st.caption("No version has a known time: neither its runs nor its samples contain one.")
    view.link("Since when? The trends of this application", "trends", icon="trending_up", app=app)
    view.table(
        history,
        units={"seconds": "s", "gain_percent": "%", "gain_since_first_percent": "%"},
    )
