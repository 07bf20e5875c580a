"""Trends: the history of metrics, since when they changed, and why."""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from apps.output.colours import PALETTE
from apps.output.numbers import amount
from apps.output.text import cell
from apps.pages import causes
from apps.pages.base import View
from apps.pages.charts import styled, titled
from apps.pages.filters import period_text
from apps.pages.text import plain, run_label
from apps.pages.trend_chart import Times, history, times_of
from apps.pages.trend_choice import Choice, chosen_before, keep, reset
from apps.pages.triage import triaging
from apps.queries.trend import Series
from apps.reports.series import common_fields, series_names
from apps.reports.trend import all_found, doubt_sentences, measured_order_sentences, no_series
from warehouse.errors import UsageError

# As many as there are distinct colours.
_SERIES = len(PALETTE)
_MOST_METRICS = 6
_NEWEST = 3
_BY = ("dates", "versions")


def page(view: View) -> None:
    """Show metrics of an application over time."""
    apps = view.ask("runs/choices", app=None).filter(kind="app")["choice"].to_list()
    app = view.select("Application", apps, key="app")
    if app is None:
        view.empty(
            "There is no history yet. Runs need an application and a start, which most files have.",
            f"{view.pwh} ingest FILES --app NAME --version V --started-at 2026-01-31",
        )
        return
    series = view.ask("trend/choices", app=app)
    measured = tuple(view.value(measured_order_sentences, app))
    doubts = view.value(doubt_sentences, app, measured)
    if series.is_empty():
        none = view.value(no_series, app)
        said = f"{none.problem[0].upper()}{none.problem[1:]}. {none.hint or ''}"
        st.info(plain("\n\n".join([said, *doubts])))
        return
    named = series["metric"].unique(maintain_order=True).to_list()
    first = _first(view, app, series)
    metrics = view.multi(
        "Metrics", named, key="metric", placeholder=first, default=[first], most=_MOST_METRICS
    )
    metrics = metrics or [first]
    of_metrics = series.filter(pl.col("metric").is_in(metrics))
    machines = of_metrics["machine"].drop_nulls().unique(maintain_order=True).to_list()
    machine = view.select("Machine", machines, key="machine", every="All")
    points = _points(view, app, metrics, machine)
    sentences = [
        sentence
        for metric in metrics
        for sentence in _verdicts(
            view, Series(app, metrics, machine), points.filter(metric=metric), of_metrics, measured
        )
    ]
    if points.is_empty():
        st.info(plain(f"On {machine} no run of {app} has a value of these metrics."))
        return
    has_versions = points["version"].drop_nulls().len() > 0
    by = view.select("Along", _BY if has_versions else _BY[:1], key="by")
    found = points.drop_nulls("after").sort("started_at", descending=True)
    runs = found["run_id"].unique(maintain_order=True).to_list()
    why = view.select("Explain the change at", runs, key="why", every="None")
    view.address.carry("change", why or "")
    view.verdicts([*sentences, *doubts])
    choice = _charts(view, app, metrics, points, by_version=by == "versions")
    _chosen(view, points, choice)
    _changes(view, app, metrics, machine, found, why)
    if why is not None:
        causes.show_for_run(view, why)
    _table(view, points)


def _first(view: View, app: str, series: pl.DataFrame) -> str:
    """Return the metric to begin with: that of the overview."""
    if series["is_main"][0]:
        return str(series["metric"][0])
    watched = view.ask("overview/watched", number=1, most=1, app=app)
    return str(watched["metric"][0])


def _points(view: View, app: str, metrics: list[str], machine: str | None) -> pl.DataFrame:
    rows = view.ask("trend/points", **Series(app, metrics).params())
    # A pattern in the name of a metric matches more than that metric.
    rows = rows.filter(pl.col("metric").is_in(metrics))
    if machine is not None:
        rows = rows.filter(machine=machine)
    # the fields that not all of them have in common
    _, apart = common_fields(rows["fields"].to_list())
    names = [cell(own, None) or "all runs" for own in apart]
    rows = rows.with_columns(pl.Series("series", names, pl.String))
    kept = (
        rows.group_by("metric", "series")
        .len()
        .sort("len", "series", descending=[True, False])
        .group_by("metric", maintain_order=True)
        .head(_SERIES)
    )
    return rows.join(kept, on=["metric", "series"], how="semi", maintain_order="left")


def _verdicts(
    view: View,
    asked: Series,
    points: pl.DataFrame,
    series: pl.DataFrame,
    measured: tuple[str, ...],
) -> list[str]:
    """Return what is found in the series of a metric that are shown.

    `series` has all series of the metrics; `measured` is `measured_order_sentences`.
    """
    if points.is_empty():
        return []
    metric = points["metric"][0]
    shown = points.unique("series", maintain_order=True).to_dicts()
    apart = common_fields([row["fields"] for row in shown])[1]
    names = series_names([(metric, own) for own in apart])
    found = view.value(all_found, asked._replace(metrics=[metric]), measured)
    sentences = found.all_sentences(list(zip(names, shown, strict=True)))
    total = len(series.filter(metric=metric))
    if len(shown) < total and len(shown) == _SERIES:
        sentences.append(f"The {len(shown)} longest of {total} series are shown.")
    return sentences


def _charts(
    view: View, app: str, metrics: list[str], points: pl.DataFrame, *, by_version: bool
) -> Choice:
    """Show a chart for each metric; return what the user chose in them."""
    known = points["run_id"].unique(maintain_order=True).to_list()
    choice = chosen_before(view.address, app, known, points["started_at"].to_list())
    shown = [metric for metric in metrics if metric in points["metric"]]
    times = _times(points, choice, by_version=by_version)
    for place in range(len(shown)):
        state: Any = st.session_state.get(choice.key(place))
        if state is not None:
            choice = choice.after(place, state.selection, times)
    times = _times(points, choice, by_version=by_version)
    keep(view.address, choice)
    for place, metric in enumerate(shown):
        of_metric = points.filter(metric=metric)
        if len(of_metric) == 1:
            (one,) = of_metric.iter_rows(named=True)
            value = amount(one["value"], one["unit"])
            view.link(f"{metric}: {value} in {one['run_id']}", "run", run=one["run_id"])
            continue
        chart = history(of_metric, times, picked=choice.runs, several=len(shown) > 1)
        view.behind(f"{metric} over time", "trend/points")
        st.altair_chart(
            styled(titled(chart, f"{metric} over time")),
            width="stretch",
            alt=f"{metric} of {app} over time",
            key=choice.key(place),
            on_select="rerun",
        )
    return choice


def _times(points: pl.DataFrame, choice: Choice, *, by_version: bool) -> Times:
    """Return the axis of time for the window that was chosen."""
    if choice.window is not None:
        first, last = choice.window
        points = points.filter(pl.col("started_at").is_between(first, last))
        if points.is_empty():
            raise UsageError(
                f"No run of this history started from {first:%Y-%m-%d %H:%M} to "
                f"{last:%Y-%m-%d %H:%M}.",
                hint="Open the page without from and to.",
            )
    return times_of(points, by_version=by_version)


def _chosen(view: View, points: pl.DataFrame, choice: Choice) -> None:
    """Show links to the runs that were chosen, and what else can be done with the charts."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if choice.window is not None:
            st.button(
                f"{period_text(choice.window)}: show all",
                icon=":material/zoom_out_map:",
                on_click=reset,
                args=(choice.without(window=True),),
            )
        runs = points.filter(pl.col("run_id").is_in(list(choice.runs))).unique("run_id")
        for row in runs.sort("started_at").iter_rows(named=True):
            label = run_label(row["version"], row["run_id"], row["started_at"])
            value = f"{row['metric']} {amount(row['value'], row['unit'])}"
            view.link(f"{label}: {value}", "run", icon="open_in_new", run=row["run_id"])
        if len(runs) > 1:
            before, after = runs.sort("started_at")["run_id"].to_list()
            view.link("Compare the two", "compare", before=before, after=after)
    if not choice.runs and len(points) > 1:
        st.caption(
            "Click a point for its run, a second one for a comparison; drag over a part of the "
            "time to see it larger. Changes are detected in the whole history."
        )


def _changes(
    view: View,
    app: str,
    metrics: list[str],
    machine: str | None,
    found: pl.DataFrame,
    why: str | None,
) -> None:
    """Offer an explanation and an acknowledgement of the newest changes."""
    several = found["machine"].n_unique() > 1
    for row in found.unique("run_id", maintain_order=True).head(_NEWEST).iter_rows(named=True):
        named = run_label(row["version"], row["run_id"], row["started_at"])
        if several:
            named += f" on {row['machine'] or 'an unknown machine'}"
        with st.container(horizontal=True, vertical_alignment="center"):
            if row["run_id"] == why:
                st.markdown(f"The change at {plain(named)}, explained below")
            else:
                view.link(
                    f"Why did it change at {named}?",
                    "trends",
                    icon="help",
                    app=app,
                    metric=metrics,
                    machine=machine,
                    why=row["run_id"],
                )
            triaging(view, row["run_id"], named, known=row["acknowledged"])


def _table(view: View, points: pl.DataFrame) -> None:
    with st.expander("Values"):
        view.table(
            points.sort("started_at", descending=True).select(
                "started_at",
                "run_id",
                "version",
                "metric",
                "value",
                "unit",
                "series",
                "change",
                "certainty",
                "acknowledged",
                "note",
                "disturbed",
            ),
            percent=("change",),
        )
