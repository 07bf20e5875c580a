"""Charts of idle time: workers by time, sums by worker, blame, critical path."""

from __future__ import annotations

import altair as alt
import polars as pl

from apps.pages.charts import BLUE, GREY, ORANGE, PINK, RED, axis, legend, scale
from apps.pages.sizes import FIT, time_unit

CAUSES = {
    "busy": "#b4bcc8",
    "starvation": RED,
    "latency": BLUE,
    "overhead": ORANGE,
    "after last task": PINK,
}
PATH_CAUSES = {"compute": CAUSES["busy"], **CAUSES}
_LANE = 22
_GAP = 0.08


def _colour(causes: list[str], colours: dict[str, str], columns: int = 3) -> alt.Color:
    order = [cause for cause in colours if cause in causes]
    return alt.Color("cause:N", scale=scale(order, colours), legend=legend(None, columns))


def timeline_chart(frame: pl.DataFrame) -> alt.LayerChart:
    """Draw what each worker did when, one lane per worker: the rows of `queries.timeline`."""
    lane = pl.col("lane").rank("dense") - 1
    extent = frame.select(pl.min("t_start"), pl.max("t_end")).row(0)
    factor, unit = time_unit(extent[1])
    rows = frame.with_columns(
        begin=pl.col("t_start") * factor,
        end=pl.col("t_end") * factor,
        top=lane + _GAP + (1 - 2 * _GAP) * pl.col("low"),
        bottom=lane + _GAP + (1 - 2 * _GAP) * pl.col("high"),
        share=pl.col("high") - pl.col("low"),
    )
    lanes = frame.select("lane", "worker", "node").unique().sort("lane")
    height = _LANE * len(lanes)
    # Two scales of the same extent: numbers place the pieces, names label the middles of lanes.
    names = (
        alt.Chart(lanes)
        .mark_point(opacity=0)
        .encode(
            y=alt.Y(
                "worker:N",
                sort=lanes["worker"].to_list(),
                scale=alt.Scale(type="band", padding=0),
                axis=axis(None, labelFlush=False, ticks=False, domain=False),
            )
        )
    )
    pieces = (
        alt.Chart(rows)
        .mark_rect()
        .encode(
            x=alt.X(
                "begin:Q",
                axis=axis("time since the start", unit),
                scale=alt.Scale(domain=[time * factor for time in extent], nice=False),
            ),
            x2="end:Q",
            y=alt.Y("top:Q", scale=alt.Scale(domain=[len(lanes), 0], nice=False), axis=None),
            y2="bottom:Q",
            color=_colour(frame["cause"].unique().to_list(), CAUSES, len(CAUSES)),
            tooltip=_tips(bool(frame["is_binned"].any())),
        )
    )
    chart: alt.LayerChart = (
        alt.layer(names, pieces)
        .resolve_scale(y="independent")
        .properties(height=height, autosize=FIT)
    )
    return chart


def _tips(binned: bool) -> list[alt.Tooltip]:
    more = (
        [alt.Tooltip("share:Q", format=".0%", title="share of the bin")]
        if binned
        else [alt.Tooltip("what:N", title="task")]
    )
    return [
        alt.Tooltip("worker:N"),
        alt.Tooltip("node:N"),
        alt.Tooltip("cause:N"),
        *more,
        alt.Tooltip("t_start:Q", format=".6g", title="from, s"),
        alt.Tooltip("t_end:Q", format=".6g", title="to, s"),
    ]


def sums_chart(frame: pl.DataFrame) -> alt.Chart:
    """Draw where the time of each worker went, %: worker, position, cause, seconds, percent."""
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            x=alt.X(
                "percent:Q",
                axis=axis("share of the worker's time", "%"),
                scale=alt.Scale(domain=[0, 100]),
                stack="zero",
            ),
            y=alt.Y(
                "worker:N",
                sort=alt.EncodingSortField("position", op="min"),
                axis=axis(None, labelFlush=False),
            ),
            color=_colour(frame["cause"].unique().to_list(), CAUSES),
            order=alt.Order("rank:Q"),
            tooltip=[
                "worker:N",
                "cause:N",
                alt.Tooltip("seconds:Q", format=".4g", title="time, s"),
                alt.Tooltip("percent:Q", format=".1f", title="share, %"),
            ],
        )
        .properties(height=alt.Step(20), autosize=FIT)
    )
    return chart


def bars_by_cause(frame: pl.DataFrame, title: str) -> alt.Chart:
    """Draw seconds by what and cause, the largest first: what, cause, seconds, percent."""
    longest = frame.group_by("what").agg(pl.sum("seconds"))["seconds"].to_list()
    factor, unit = time_unit(max(longest, default=0.0))
    chart: alt.Chart = (
        alt.Chart(frame.with_columns(time=pl.col("seconds") * factor))
        .mark_bar()
        .encode(
            x=alt.X("sum(time):Q", axis=axis(title, unit)),
            y=alt.Y("what:N", sort="-x", axis=axis(None, labelFlush=False)),
            color=_colour(frame["cause"].unique().to_list(), PATH_CAUSES),
            tooltip=[
                "what:N",
                "cause:N",
                alt.Tooltip("seconds:Q", format=".4g", title="time, s"),
                alt.Tooltip("percent:Q", format=".1f", title="share, %"),
            ],
        )
        .properties(height=alt.Step(22), autosize=FIT)
    )
    return chart


def gain_chart(frame: pl.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """Draw how much shorter the run could be: change, percent (bound), replay_percent (mark)."""
    figures = [
        alt.Tooltip("percent:Q", format=".1f", title="at most, %"),
        alt.Tooltip("replay_percent:Q", format=".1f", title="in a replay, %"),
    ]
    base = alt.Chart(frame).encode(
        y=alt.Y("change:N", sort=frame["change"].to_list(), axis=axis(None, labelFlush=False)),
        tooltip=["change:N", *figures],
    )
    bound = base.mark_bar(color=GREY).encode(
        x=alt.X("percent:Q", axis=axis("shorter: bar at most, mark in a replay", "%"))
    )
    replay = base.mark_tick(color="black", thickness=3).encode(x="replay_percent:Q")
    return alt.layer(bound, replay).properties(height=alt.Step(26), autosize=FIT)
