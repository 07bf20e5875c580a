"""Charts of comparisons: ratios with intervals, the waterfall of the difference, both sides."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl

from apps.output.colours import BETTER, BLUE, BROWN, CAUSES, GREY, NEUTRAL, SKY, SOFT_TEXT, WORSE
from apps.output.numbers import amount, prefixed
from apps.output.text import short_names
from apps.pages.charts import (
    axis,
    bars,
    class_scale,
    legend,
    names,
    on_lines,
    scale,
    stacked,
    tips,
)

_VERDICTS = {
    "worse": WORSE,
    "better": BETTER,
    "changed": BLUE,
    "same": NEUTRAL,
    "uncertain": BROWN,
    "unknown": SKY,
}
_KINDS = {"total": GREY, "more": WORSE, "less": BETTER}
_NAME = 40
# Ratios beyond this are drawn at the edge: one function that came from nothing hides all others.
MOST_RATIO = 10.0


def ratio_chart(frame: pl.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """Draw ratios and their intervals, one line a metric in the order of the rows.

    Columns: metric, verdict, ratio, low, high (NULL: no bound).
    """
    ends = pl.col("low").fill_null(0), pl.col("high").fill_null(float("inf"))
    rows = frame.with_columns(
        pl.Series("name", short_names(frame["metric"].to_list(), _NAME), pl.String),
        at=pl.col("ratio").clip(1 / MOST_RATIO, MOST_RATIO),
        begin=ends[0].clip(1 / MOST_RATIO, MOST_RATIO),
        end=ends[1].clip(1 / MOST_RATIO, MOST_RATIO),
        place=pl.int_range(pl.len()),
    )
    # Only the ends of the drawn intervals decide the extent, so that small changes are seen.
    bounded = rows.filter(pl.col("low").is_not_null(), pl.col("high").is_not_null())
    drawn = (*rows["at"], *bounded["begin"], *bounded["end"])
    reach = max(1.05, *(max(value, 1 / value) for value in drawn if value > 0))
    extent = alt.Scale(type="log", domain=[1 / reach, reach], clamp=True, nice=False)
    verdicts = [one for one in _VERDICTS if one in rows["verdict"].to_list()]
    colour = alt.Color("verdict:N", scale=scale(verdicts, _VERDICTS), legend=legend(columns=2))
    seen = tips(rows, "metric", "verdict", "ratio", low="from", high="to")
    base = alt.Chart(rows).encode(y=names("name", by="place"), color=colour, tooltip=seen)
    # Where nothing bounds the ratio, a line over the whole width would say no more.
    ranges = (
        base.transform_filter("isValid(datum.low) || isValid(datum.high)")
        .mark_rule(strokeWidth=2, clip=True)
        .encode(
            x=alt.X(
                "begin:Q",
                scale=extent,
                axis=axis("after / before", tickCount=7, format="~g", values=_ticks(reach)),
            ),
            x2="end:Q",
        )
    )
    points = base.mark_circle(size=70, opacity=1).encode(x=alt.X("at:Q", scale=extent))
    one = alt.Chart(pl.DataFrame({"at": [1.0]})).mark_rule(strokeDash=[4, 3], color=GREY)
    # Beside a circle at the edge is what it stands for.
    far, ink = alt.Text("ratio:Q", format=".3~g"), alt.value(SOFT_TEXT)
    beyond = [
        base.transform_filter(f"datum.ratio > {MOST_RATIO}")
        .mark_text(align="right", dx=-8)
        .encode(x=alt.X("at:Q", scale=extent), text=far, color=ink),
        base.transform_filter(f"datum.ratio < {1 / MOST_RATIO}")
        .mark_text(align="left", dx=8)
        .encode(x=alt.X("at:Q", scale=extent), text=far, color=ink),
    ]
    layers = [one.encode(x=alt.X("at:Q", scale=extent)), ranges, points, *beyond]
    return on_lines(alt.layer(*layers), 20)


def _ticks(reach: float) -> list[float]:
    """Return round ratios on both sides of 1 within a reach."""
    steps = (1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0)
    above = [step for step in steps if step <= reach * 1.0001][-3:]
    return [*(round(1 / step, 3) for step in reversed(above)), 1.0, *above]


def waterfall_chart(
    before: float, steps: Sequence[tuple[str, float]], after: float, unit: str | None
) -> alt.Chart:
    """Draw how steps (name, change) lead from the total before to that after, from the top down."""
    size, shown = prefixed([before, after], unit)
    rows = [("before", 0.0, before, "total", before)]
    at = before
    short = short_names([name for name, _ in steps], _NAME)
    for name, (_, change) in zip(short, steps, strict=True):
        kind = "more" if change > 0 else "less"
        rows.append((name, at, at + change, kind, change))
        at += change
    rows.append(("after", 0.0, after, "total", after))
    frame = pl.DataFrame(
        rows, schema=["step", "from", "to", "kind", "change"], orient="row"
    ).with_columns(
        begin=pl.col("from") / size,
        end=pl.col("to") / size,
        place=pl.int_range(pl.len()),
        # Two functions can be shortened to the same text.
        key=pl.format("{}\u2003{}", pl.int_range(pl.len()), "step"),
        text=pl.Series([amount(row[4], unit) for row in rows]),
    )
    # The totals are cut where the changes are small beside them.
    ends = [before / size, after / size]
    ends += [end / size for _, _, end, kind, _ in rows if kind != "total"]
    spread = max(ends) - min(ends)
    start = min(ends) - spread if min(ends) > 3 * spread > 0 else 0.0
    frame = frame.with_columns(
        begin=pl.when(pl.col("kind") == "total").then(start).otherwise("begin")
    )
    kinds = [kind for kind in _KINDS if kind in frame["kind"].to_list()]
    return bars(
        frame,
        22,
        y=names("key", by="place", labelExpr="split(datum.label, '\u2003')[1]"),
        tooltip=tips(frame, "step", text="time or change"),
        x=alt.X(
            "begin:Q",
            axis=axis(f"total{', not from 0' if start else ''}", shown),
            scale=alt.Scale(zero=start == 0.0, nice=start == 0.0),
        ),
        x2="end:Q",
        color=alt.Color("kind:N", scale=scale(kinds, _KINDS), legend=None),
    )


def idle_chart(frame: pl.DataFrame, sides: tuple[str, str]) -> alt.Chart:
    """Draw the shares of the workers' time by cause, one bar a side: side, cause, percent."""
    order = [cause for cause in CAUSES if cause in frame["cause"].to_list()]
    ranks = {cause: place for place, cause in enumerate(order)}
    rows = frame.with_columns(rank=pl.col("cause").replace_strict(ranks, return_dtype=pl.Int64))
    return bars(
        rows,
        28,
        x=stacked("percent", "share of the workers' time", 100),
        y=names("side", sort=list(sides)),
        color=alt.Color("cause:N", scale=scale(order, CAUSES), legend=legend(columns=3)),
        order=alt.Order("rank:Q"),
        tooltip=tips(rows, "side", "cause", "percent", seconds="time per run (s)"),
    )


def class_chart(frame: pl.DataFrame, sides: tuple[str, str]) -> alt.Chart:
    """Draw the shares of the cycles in each class of bottleneck: side, class, share."""
    return bars(
        frame,
        28,
        x=stacked("share", "share of the cycles"),
        y=names("side", sort=list(sides)),
        color=alt.Color("class:N", scale=class_scale(frame["class"]), legend=legend(columns=3)),
        tooltip=tips(frame, "side", "class", "share"),
    )
