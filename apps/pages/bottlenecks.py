"""Bottlenecks: what limits runs by their counters, what a cure could save, the history."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import streamlit as st

from apps.output.numbers import counted
from apps.output.text import version_text
from apps.pages import bottleneck_charts as charts
from apps.pages.address import unknown
from apps.pages.base import View
from apps.pages.charts import styled, titled
from apps.pages.metric_heatmap import PLACE, metric_heatmap
from apps.pages.slot_charts import (
    roofline_chart,
    short_regions,
    slots_chart,
    tree_boxes,
    tree_chart,
)
from apps.pages.text import NO_APPLICATION, plain
from apps.reports.bottlenecks import bottleneck_sentences
from apps.reports.flags import flag_text
from apps.reports.star_glyphs import Stars, read_stars, scale_sentence
from warehouse.errors import NothingToAnalyse

_BY = {"process": "rank", "region": "region", "sample": "sample", "run": "run"}
_DEVIATIONS = "standardised: deviations from the mean of what the model was trained on."
_HEATMAP, _NO_STAR = "_heatmap", "None"
_NEWEST = 40
# Regions whose issue slots are drawn at most.
_REGIONS = 30
_MOST_ROWS = 100_000
# The history classifies all runs of an application; more counters take seconds.


def page(view: View) -> None:
    """Show the verdict on an application's runs, or on one of them."""
    known = view.ask("bottlenecks/counted_runs")
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
    by = view.select("Metrics by", list(_BY), key="by", every="automatic")
    view.verdicts(view.value(bottleneck_sentences, runs))
    slots = view.ask("bottlenecks/topdown", runs=runs)
    kernels = view.ask("bottlenecks/speed_of_light", runs=runs)
    operations = view.ask("bottlenecks/roofline", runs=runs).filter(
        pl.coalesce("flops", "flops_per_second").is_not_null()
    )
    stated = {*slots["run_id"], *kernels["run_id"]} - set(
        view.ask("bottlenecks/by_counts", runs=runs)["run_id"]
    )
    others = [run for run in runs if run not in stated]
    if others:
        _metrics(view, others, None if by is None else _BY[by])
    drawn = _drawn(view, runs, slots, operations)
    if drawn is not None:
        # Tools write the parts of a category in several units, which the view topdown settles.
        _slots(view, slots.filter(run_id=drawn), drawn)
        _roofline(view, operations.filter(run_id=drawn), drawn)
    if not kernels.is_empty():
        st.subheader("How near GPU kernels are to the peaks", anchor=False)
        view.table(kernels)
    shares = view.ask("bottlenecks/class_shares", runs=runs, most=24)
    rank = _rank(view, shares)
    left, right = st.columns(2)
    with left:
        _shares(view, shares)
    with right:
        _costs(view, runs, rank, is_unknown=_is_unknown(shares))
    _classes(view, runs, rank)
    _clusters(view, runs)
    if app is None:
        return
    _history(view, app)


def _chosen(view: View, known: pl.DataFrame) -> tuple[list[str], str | None]:
    """Return the runs that the user chooses, else those of the newest version, and their app.

    One scope is that of all figures: the verdict, the charts and the tables.
    """
    named = known.with_columns(pl.col("app").fill_null(NO_APPLICATION))
    linked = named.filter(run_id=view.address.parameter("run") or "")
    if not linked.is_empty():
        view.address.imply("app", linked["app"][0])
    apps = named["app"].unique(maintain_order=True).to_list()
    app = view.select("Application", apps, key="app")
    of_app = named.filter(app=app)
    found = of_app["run_id"].to_list()
    app = None if app == NO_APPLICATION else app
    run = view.select("Run", found, key="run", every="Newest version")
    if run is not None:
        return [run], app
    few = of_app.filter(pl.col("rows_so_far") <= _MOST_ROWS)["run_id"].to_list() or found[:1]
    of_newest = view.ask("bottlenecks/newest", runs=found).to_dicts()
    newest = [row["run_id"] for row in of_newest]
    shown = [one for one in few[:_NEWEST] if one in newest] or newest[:1]
    version, versions = of_newest[0]["version"], of_newest[0]["versions"]
    which = "without a version" if version is None else f"of version {version_text(version)}"
    more = "" if len(shown) == len(newest) else f", the newest of {len(newest):,}"
    if versions > 1 or more:
        runs, all_of = counted(len(shown), "run"), counted(versions, "version")
        st.caption(plain(f"Shown: {runs} {which}{more}; the history has {all_of}."))
    return shown, app


def _metrics(view: View, runs: list[str], by: str | None) -> None:
    """Show the metrics of several places as a heatmap, of one in a table."""
    st.subheader("Metrics", anchor=False)
    try:
        _, glyphs = view.value(read_stars, runs, by)
    except NothingToAnalyse as error:
        st.caption(plain(f"{error.problem[:1].upper()}{error.problem[1:]}. {error.hint}"))
        return
    if len(glyphs.stars) == 1:
        view.table(view.ask("bottlenecks/metrics", runs=runs))
        st.caption("Means over the samples, weighted by cycles. " + _DEVIATIONS)
        return
    named = f"{counted(len(glyphs.metrics), 'metric')} of {len(glyphs.stars)} places"
    view.behind(named, "bottlenecks/glyphs")
    st.altair_chart(
        styled(titled(metric_heatmap(glyphs), named)),
        width="stretch",
        alt=named,
        key=_HEATMAP,
        on_select=_star_of_click,
    )
    if glyphs.places > len(glyphs.stars):
        st.caption(f"{len(glyphs.stars)} of {glyphs.places} are drawn, spread evenly.")
    _star(view, glyphs)
    with st.expander("Metrics: means over the samples, weighted by cycles"):
        view.table(view.ask("bottlenecks/metrics", runs=runs))
        st.caption(_DEVIATIONS)


def _star_of_click() -> None:
    """Choose the place whose column of the heatmap was clicked; a click beside it chooses none."""
    clicked = st.session_state[_HEATMAP].selection[PLACE]
    st.session_state["star"] = clicked[0][PLACE] if clicked else _NO_STAR


def _star(view: View, glyphs: Stars) -> None:
    """Show the star of the place that the user chooses, here or in the heatmap."""
    labels = [star.label for star in glyphs.stars]
    chosen = view.select("Star of", labels, key="star", every=_NO_STAR, inline=True)
    if chosen is None:
        st.caption("Click a column to see its star.")
        return
    one = replace(glyphs, stars=(glyphs.stars[labels.index(chosen)],))
    view.behind(f"Star glyph of {chosen}", "bottlenecks/glyphs")
    st.altair_chart(
        styled(titled(charts.star_chart(one), f"Star glyph of {chosen}")),
        width="content",
        alt=f"Star glyph of {chosen}, one ray per metric",
    )
    st.caption(plain(scale_sentence(replace(glyphs, places=len(glyphs.stars)))))
    st.caption(plain(f"Rays: {'; '.join(glyphs.names)}."))


def _drawn(
    view: View, runs: list[str], slots: pl.DataFrame, operations: pl.DataFrame
) -> str | None:
    """Return the run whose slots and operations are drawn: the newest, or another one chosen."""
    found = {*slots["run_id"], *operations["run_id"]}
    drawable = [run for run in runs if run in found]
    if len(drawable) < 2:
        return next(iter(drawable), None)
    return view.select("Top-down and roofline of", drawable, key="drawn", inline=True)


def _slots(view: View, slots: pl.DataFrame, run: str) -> None:
    """Show where the issue slots of a run went, from its rows of `topdown`."""
    if slots.is_empty():
        return
    st.subheader("Where the issue slots went: top-down", anchor=False)
    # The regions that lose most come first.
    of_run = slots.sort(pl.col("retiring").fill_null(1), pl.col("region").fill_null(""))
    regions = short_regions(of_run["region"].to_list())
    row = of_run.row(0, named=True)
    if len(of_run) > 1:
        chosen = view.select("Region", regions, key="region", inline=True)
        row = of_run.row(regions.index(chosen or regions[0]), named=True)
    boxes, adds_up = tree_boxes(row)
    view.chart(
        tree_chart(boxes),
        f"Shares of the issue slots of {row['region'] or run}",
        "bottlenecks/topdown",
    )
    if not adds_up:
        st.caption(
            "Parts do not add up to their category, as the tool counts them in other units: their "
            "widths are relative to each other, their numbers as it states them."
        )
    if len(of_run) > 1:
        view.chart(
            slots_chart(of_run.head(_REGIONS)),
            "Shares of the issue slots by region",
            "bottlenecks/topdown",
            choose=("name", "region"),
        )
    if len(of_run) > _REGIONS:
        st.caption(f"The {_REGIONS} of {len(of_run)} regions that lose most slots.")
    with st.expander(f"Top-down shares by region of {plain(run)}"):
        view.table(slots.drop("largest_over_time", "advice"))


def _roofline(view: View, rows: pl.DataFrame, run: str) -> None:
    """Show how near the regions of a run are to the roof; nothing without operations."""
    if rows.is_empty():
        return
    st.subheader("Roofline", anchor=False)
    drawn = rows.filter(pl.col("intensity") > 0, pl.col("flops_per_second") > 0)
    if drawn.is_empty():
        st.caption(
            "Unknown: floating-point operations, bytes of main memory and the time of a region are "
            "needed together, and no region has all three above 0."
        )
        return
    view.chart(
        roofline_chart(drawn),
        f"Operations in a second by arithmetic intensity of {run}",
        "bottlenecks/roofline",
    )
    machine = drawn["machine"][0]
    missing = drawn["peak_flops"][0] is None or drawn["peak_bytes_per_second"][0] is None
    if missing and machine is None:
        st.caption("The roof is unknown, as the machine of the run is.")
    elif missing:
        st.caption(plain(f"The roof is unknown: pwh knows no peaks of {machine}. State them:"))
        st.code(
            f'{view.pwh} sql --write "INSERT INTO machine_settings (machine, peak_flops, '
            f"peak_bytes_per_second) VALUES ('MACHINE', 1e12, 1e11)\"",
            language="bash",
            wrap_lines=True,
        )


def _rank(view: View, shares: pl.DataFrame) -> int | None:
    """Return the rank that the user chooses, here or in the chart of classes; None for all."""
    known = [str(rank) for rank in shares["rank"].drop_nulls().unique().sort()]
    if len(known) < 2:
        return None
    chosen = view.pick("Rank", known, key="rank", placeholder="all, or click a bar")
    if chosen is None:
        return None
    if not chosen.isdecimal():
        raise unknown("Rank", chosen, known)
    return int(chosen)


def _shares(view: View, shares: pl.DataFrame) -> None:
    st.subheader("Classes of processes", anchor=False)
    if _is_unknown(shares):
        st.caption("Unknown for every process; the reasons are below.")
        return
    view.chart(
        charts.share_chart(shares.with_columns(pl.col("rank").cast(pl.String))),
        "Share of the cycles of each process in each class",
        choose=("rank", "rank"),
    )
    shown, places = shares["position"].n_unique(), shares["places"].to_list()[0]
    if shown < places:
        st.caption(f"{shown} of {places} are drawn, spread evenly.")


def _is_unknown(shares: pl.DataFrame) -> bool:
    return shares["class"].unique().to_list() == ["Unknown"]


def _costs(view: View, runs: list[str], rank: int | None, *, is_unknown: bool) -> None:
    st.subheader(f"What a cure could save at most{_of(rank)}", anchor=False)
    costs = view.ask("bottlenecks/costs", runs=runs, rank=rank)
    if costs.is_empty() and is_unknown:
        st.caption("Unknown, as the class is.")
        return
    if costs.is_empty():
        st.caption(
            "Unknown: the model for these counters was trained without costs. pwh fit bottlenecks "
            "--labels FILE learns them from measured shares (frac_mem, frac_dtb ...)."
        )
        return
    view.chart(
        charts.cost_chart(costs), "Share of the cycles that curing each component could save"
    )


def _of(rank: int | None) -> str:
    return "" if rank is None else f", of rank {rank}"


def _classes(view: View, runs: list[str], rank: int | None) -> None:
    st.subheader(f"Classes, what drove them, what helps{_of(rank)}", anchor=False)
    classes = view.ask("bottlenecks/classes", runs=runs, rank=rank)
    view.table(
        classes.select(
            "class",
            "samples",
            "share",
            "probability",
            "drivers",
            "advice",
            pl.Series("reason", map(flag_text, classes["reason"].to_list()), pl.String),
            "said_by",
            "model",
        )
    )


def _clusters(view: View, runs: list[str]) -> None:
    clusters = view.ask("bottlenecks/clusters", runs=runs)
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
    view.chart(charts.cluster_chart(named), "Medoid of each cluster, in deviations from the mean")


def _history(view: View, app: str) -> None:
    history = view.ask("bottlenecks/tuning_history", app=app)
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
        view.chart(
            charts.history_chart(timed.with_columns(series)), "Time of each version by class"
        )
    else:
        st.caption("No version has a known time: neither its runs nor its samples contain one.")
    view.link("Since when? The trends of this application", "trends", app=app)
    view.table(history)
