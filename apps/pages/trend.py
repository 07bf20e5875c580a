"""Trends: the history of a metric, since when it changed, and why."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

import polars as pl
import streamlit as st

from apps.output import cell
from apps.pages import causes, charts
from apps.pages.base import View
from apps.pages.text import run_label
from apps.pages.trend_chart import history
from apps.queries.runs import run_choices
from apps.queries.trend import (
    series_of_metric,
    trend_choices,
    trend_disturbances,
    trend_points,
    trend_provisional,
    trend_states,
)
from apps.reports.changes import (
    change_sentence,
    disturbance_sentence,
    provisional_sentence,
    state_sentences,
)
from apps.reports.series import series_name

# As many as there are distinct colours.
_SERIES = len(charts.PALETTE)


def page(view: View) -> None:
    """Show a metric of an application over time."""
    apps = view.rows(run_choices, None).filter(kind="app")["choice"].to_list()
    app = view.select("Application", apps, key="app")
    if app is None:
        view.empty(
            "There is no history yet. Runs need an application and a start, which most files have.",
            f"{view.pwh} ingest FILES --app NAME --version V --started-at 2026-01-31",
        )
        return
    series = view.rows(trend_choices, app)
    if series.is_empty():
        view.empty(
            f"The start of every run of {app} is unknown, so they have no order in time.",
            f"{view.pwh} ingest FILES --app {shlex.quote(app)} --started-at 2026-01-31 --replace",
        )
        return
    metric = view.select(
        "Metric", series["metric"].unique(maintain_order=True).to_list(), key="metric"
    )
    if metric is None:
        return
    of_metric = series.filter(metric=metric)
    machines = of_metric["machine"].drop_nulls().unique(maintain_order=True).to_list()
    machine = view.select("Machine", machines, key="machine", every="All")
    with st.spinner("Detecting changes ..."), view.narrowed(series_of_metric(app, metric)):
        points = _points(view, app, metric, machine)
        sentences = _verdicts(view, app, machine, points, len(of_metric))
    found = points.drop_nulls("after").sort("started_at", descending=True)
    changes = found.filter(certainty="confirmed")
    runs = changes["run_id"].unique(maintain_order=True).to_list()
    why = view.select("Explain the change at", runs, key="why", every="None")
    view.verdicts(sentences)
    unit = points["unit"][0]
    charts.show(history(points, metric, unit), f"{metric} of {app} over time")
    if why is not None:
        causes.show_for_run(view, why)
    elif runs:
        for row in changes.head(3).iter_rows(named=True):
            named = run_label(row["version"], row["run_id"], row["started_at"])
            view.link(
                f"Why did it change at {named}?",
                "trends",
                icon="help",
                app=app,
                metric=metric,
                machine=machine,
                why=row["run_id"],
            )
    _table(view, points, unit)


def _points(view: View, app: str, metric: str, machine: str | None) -> pl.DataFrame:
    rows = view.rows(trend_points, app, [metric])
    # A pattern in the name of a metric matches more than that metric.
    rows = (
        rows.filter(metric=metric)
        if machine is None
        else rows.filter(metric=metric, machine=machine)
    )
    named = [_series(fields) for fields in rows["fields"].to_list()]
    longest = pl.Series("series", named, pl.String)
    rows = rows.with_columns(longest, direction=pl.col("direction").fill_null("changed"))
    kept = (
        rows.group_by("series").len().sort("len", "series", descending=[True, False]).head(_SERIES)
    )
    return rows.filter(pl.col("series").is_in(kept["series"].implode()))


def _verdicts(
    view: View, app: str, machine: str | None, points: pl.DataFrame, total: int
) -> list[str]:
    """Return what is found in the series that are shown, the newest changes first."""
    metric = points["metric"][0]
    shown = points["series"].unique(maintain_order=True).to_list()

    def rows(question: Callable[..., Any]) -> list[dict[str, Any]]:
        found = view.rows(question, app, [metric], machine).filter(metric=metric)
        return [row for row in found.to_dicts() if _series(row["fields"]) in shown]

    def name(row: dict[str, Any]) -> str:
        return series_name(metric, row["fields"] if len(shown) > 1 else None)

    found = points.drop_nulls("after").sort("started_at", descending=True).to_dicts()
    changed = {_series(row["fields"]) for row in found}
    sentences = [
        *(change_sentence(name(row), row) for row in found if row["certainty"] == "confirmed"),
        *(provisional_sentence(name(row), row) for row in rows(trend_provisional)),
        *(disturbance_sentence(name(row), row) for row in rows(trend_disturbances)),
    ]
    for row in rows(trend_states):
        quiet = _series(row["fields"]) not in changed
        sentences += state_sentences(name(row), row, quiet=quiet)
    if len(shown) < total and len(shown) == _SERIES:
        sentences.append(f"The {len(shown)} longest of {total} series are shown.")
    return sentences


def _series(fields: Any) -> str:
    """Return the name of a series in the legend."""
    return cell(fields, None) or "all runs"


def _table(view: View, points: pl.DataFrame, unit: str | None) -> None:
    with st.expander("Values"):
        view.table(
            points.sort("started_at", descending=True).select(
                "started_at",
                "run_id",
                "version",
                "value",
                "series",
                "change",
                "certainty",
                "disturbed",
            ),
            units={"value": unit} if unit else None,
            percent=("change",),
        )
