"""The chart of a metric's history: its values, its levels and where they changed."""

from __future__ import annotations

import altair as alt
import polars as pl
from altair.typing import ChartType

from apps.pages.charts import BETTER, NEUTRAL, WORSE, axis, legend, scale

_HEIGHT = 380
_DASHES = alt.Scale(domain=["confirmed", "provisional"], range=[[5, 4], [1, 4]])
_TINTS = {"worse": WORSE, "better": BETTER, "changed": NEUTRAL}


def history(points: pl.DataFrame, name: str, unit: str | None) -> ChartType:
    """Draw one line per series, its levels, and a rule at each change.

    `points` are rows of one metric: series, run_id, version, started_at, value, disturbed, and
    certainty, before, after, change and direction where the level changed there. Points of
    disturbances are pale; the rule of a provisional change is dotted.
    """
    series = points["series"].unique(maintain_order=True).to_list()
    colour = alt.Color(
        "series:N", scale=scale(series), legend=legend(columns=1) if len(series) > 1 else None
    )
    days = axis("Start of the run", format=_format(points["started_at"]), labelOverlap=True)
    time = alt.X("started_at:T", axis=days, scale=alt.Scale(type="utc"))
    started = pl.col("started_at").dt.strftime("%Y-%m-%d %H:%M").alias("started")
    base = alt.Chart(points.with_columns(started)).encode(x=time, color=colour)
    value = alt.Y("value:Q", axis=axis(name, unit), scale=alt.Scale(zero=False))
    dots = base.mark_circle(size=55).encode(
        y=value,
        opacity=alt.condition("datum.disturbed", alt.value(0.35), alt.value(1)),
        tooltip=[
            alt.Tooltip("run_id:N", title="Run"),
            alt.Tooltip("version:N", title="Version"),
            alt.Tooltip("started:N", title="Started"),
            alt.Tooltip("value:Q", title=unit or "Value", format=".6g"),
            alt.Tooltip("series:N", title="Series"),
        ],
    )
    lines = base.mark_line(strokeWidth=1.2, opacity=0.6).encode(y=value)
    changes = points.drop_nulls("after")
    if changes.is_empty():
        return alt.layer(lines, dots).properties(height=_HEIGHT)
    levels = (
        alt.Chart(levels_of(points))
        .mark_rule(strokeWidth=3, opacity=0.75)
        .encode(
            x=alt.X("since:T", scale=alt.Scale(type="utc")), x2="until:T", y="level:Q", color=colour
        )
    )
    tints = scale(changes["direction"].unique().sort().to_list(), _TINTS)
    rules = (
        alt.Chart(changes)
        .mark_rule(strokeWidth=1.5)
        .encode(
            x=time,
            color=alt.Color("direction:N", scale=tints, legend=legend("Change")),
            strokeDash=alt.StrokeDash("certainty:N", scale=_DASHES, legend=legend("Certainty")),
        )
    )
    parts = alt.layer(levels, lines, dots)
    chart: ChartType = alt.layer(rules, parts).resolve_scale(color="independent")
    return chart.properties(height=_HEIGHT)


def _format(times: pl.Series) -> str:
    """Return the date format for the span of the times."""
    days = (times.max() - times.min()).days  # type: ignore[operator, union-attr]
    return "%Y-%m" if days > 900 else "%Y-%m-%d" if days > 2 else "%m-%d %H:%M"


def levels_of(points: pl.DataFrame) -> pl.DataFrame:
    """Return the levels between changes: series, since, until, level."""
    ends = points.group_by("series").agg(
        pl.col("started_at").min().alias("began"), pl.col("started_at").max().alias("ended")
    )
    changes = points.drop_nulls("after").sort("series", "started_at").join(ends, on="series")
    first = changes.group_by("series", maintain_order=True).first()
    return pl.concat(
        [
            first.select("series", since="began", until="started_at", level="before"),
            changes.select(
                "series",
                since="started_at",
                until=pl.col("started_at").shift(-1).over("series").fill_null(pl.col("ended")),
                level="after",
            ),
        ]
    ).sort("series", "since")
