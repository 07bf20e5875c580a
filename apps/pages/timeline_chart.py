"""Charts of idle time: sums by worker, blame, critical path."""

from __future__ import annotations

import altair as alt
import polars as pl

from apps.output.colours import BLUE, CAUSES, GREY, PINK
from apps.output.numbers import prefixed
from apps.output.text import short_names
from apps.pages.charts import axis, bars, legend, names, on_lines, scale, stacked, tips

_NAME = 40
PATH_CAUSES = {
    "compute": CAUSES["busy"],
    **CAUSES,
    "unknown": CAUSES["not recorded"],
    "submission": PINK,
}


def _colour(causes: list[str], colours: dict[str, str]) -> alt.Color:
    order = [cause for cause in colours if cause in causes]
    return alt.Color(
        "cause:N", scale=scale(order, colours), legend=legend(columns=3, symbolStrokeWidth=0)
    )


def sums_chart(frame: pl.DataFrame) -> alt.Chart:
    """Draw where the time of each worker went, %: worker, position, cause, seconds, percent."""
    return bars(
        frame,
        20,
        x=stacked("percent", "share of the worker's time", 100),
        y=names("worker", by="position"),
        color=_colour(frame["cause"].unique().to_list(), CAUSES),
        order=alt.Order("rank:Q"),
        tooltip=tips(frame, "worker", "cause", "seconds", "percent"),
    )


def bars_by_cause(frame: pl.DataFrame, title: str) -> alt.Chart:
    """Draw seconds by what and cause, the largest first: what, cause, seconds, percent."""
    short = pl.Series("name", short_names(frame["what"].to_list(), _NAME), pl.String)
    longest = frame.group_by("what").agg(pl.sum("seconds"))["seconds"].to_list()
    size, unit = prefixed(longest, "s")
    return bars(
        frame.with_columns(short, time=pl.col("seconds") / size),
        22,
        x=alt.X("sum(time):Q", axis=axis(title, unit)),
        y=names("name", sort="-x"),
        color=_colour(frame["cause"].unique().to_list(), PATH_CAUSES),
        tooltip=tips(frame, "what", "cause", "seconds", "percent"),
    )


def gain_chart(frame: pl.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """Draw how much shorter the run could be: change, percent (bound), replay_percent (mark)."""
    base = alt.Chart(frame).encode(
        y=names("change", sort=frame["change"].to_list()),
        tooltip=tips(
            frame, change="change", percent="at most (%)", replay_percent="in a replay (%)"
        ),
    )
    bound = base.mark_bar(color=GREY).encode(
        x=alt.X(
            "percent:Q",
            # where nothing can be gained there is still an axis
            scale=alt.Scale(domain=[0, max(1.0, *frame["percent"].drop_nulls())], nice=True),
            axis=axis("shorter: bar at most, mark in a replay", "%", labelFlush=True),
        )
    )
    replay = base.mark_tick(color=BLUE, thickness=3).encode(x="replay_percent:Q")
    return on_lines(alt.layer(bound, replay), 26)
