"""Charts of throughput: predicted and measured rates, and what bounds them."""

from __future__ import annotations

import altair as alt
import polars as pl

from apps.output.colours import BETTER, BLUE, BROWN, GREEN, GREY, PINK, WORSE
from apps.pages.charts import axis, bars, legend, names, on_lines, scale, stacked, tips

LIMITS = (
    *("front end", "critical path", "functional units", "serialising instructions"),
    *("interplay", "unknown"),
)
_COLOURS = dict(zip(LIMITS, (BLUE, BROWN, GREEN, WORSE, PINK, GREY), strict=True))


def scatter(frame: pl.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """Draw predicted over measured instructions per cycle, with intervals and the diagonal.

    `frame` has thread, segment, measured, predicted, low, high and tightest (one of LIMITS).
    """
    top = max(
        float(frame[name].max() or 1.0)  # type: ignore[arg-type]
        for name in ("measured", "predicted", "high")
    )
    domain = alt.Scale(domain=[0, top * 1.05], nice=False)
    x = alt.X("measured:Q", scale=domain, axis=axis("measured", "instructions per cycle"))
    diagonal = pl.DataFrame({"measured": [0.0, top], "predicted": [0.0, top]})
    bounds = ("width_bound", "critical_path_bound", "unit_bound", "serialising_bound")
    rates = ("measured", "predicted", "low", "high", *bounds)
    known = [name for name in LIMITS if name in frame["tightest"].to_list()]
    base = alt.Chart(frame).encode(x=x)
    return alt.layer(
        alt.Chart(diagonal)
        .mark_line(strokeDash=[6, 4], color=GREY)
        .encode(
            x=x,
            y=alt.Y("predicted:Q", scale=domain, axis=axis("predicted", "instructions per cycle")),
        ),
        base.mark_rule(color=GREY, opacity=0.35).encode(
            y=alt.Y("low:Q", scale=domain), y2="high:Q"
        ),
        base.mark_point(filled=True, size=45, opacity=0.8).encode(
            y=alt.Y("predicted:Q", scale=domain),
            color=alt.Color(
                "tightest:N", scale=scale(known, _COLOURS), legend=legend("Tightest bound", 3)
            ),
            tooltip=tips(frame, "thread", "segment", *rates),
        ),
    ).properties(height=420)


def by_thread(frame: pl.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """Draw each thread's predicted (with interval) and measured instructions per cycle.

    `frame` has thread, predicted, low, high, measured.
    """
    y = alt.Y("thread:N", sort=None, axis=axis("thread"))
    base = alt.Chart(frame).encode(y=y)
    x = axis("instructions per cycle: bar predicted, line its interval, dot measured")
    drawn = alt.layer(
        base.mark_bar(color=BLUE, opacity=0.75, size=14).encode(x=alt.X("predicted:Q", axis=x)),
        base.mark_rule(color=GREY, strokeWidth=2).encode(x="low:Q", x2="high:Q"),
        base.mark_point(filled=True, color=BROWN, size=70, opacity=1).encode(
            x="measured:Q",
            tooltip=tips(frame, "thread", "predicted", "low", "high", "measured"),
        ),
    )
    return on_lines(drawn, 26)


def limits(frame: pl.DataFrame) -> alt.Chart:
    """Draw what limits the predicted cycles: component, segments, share."""
    known = scale(frame["component"].to_list(), _COLOURS)
    return bars(
        frame,
        26,
        size=18,
        x=stacked("share", "share of the predicted cycles", 1),
        y=names("component", sort="-x"),
        color=alt.Color("component:N", scale=known, legend=None),
        tooltip=tips(frame, "component", "segments", "share"),
    )


def effects(frame: pl.DataFrame) -> alt.Chart:
    """Draw the factors of groups of features: feature_group, factor, largest_in, segments.

    Bars start at 1 on a logarithmic scale, so factors of 2 and 1/2 are equally long.
    """
    colour = alt.condition("datum.factor > 1", alt.value(WORSE), alt.value(BETTER))
    factors = frame["factor"].to_list()
    # room on both sides of 1, at least a tenth
    domain = [min(*factors, 1.0) / 1.1, max(*factors, 1.0) * 1.1]
    return bars(
        frame.with_columns(pl.lit(1.0).alias("as_typical")),
        26,
        size=18,
        x=alt.X(
            "factor:Q",
            # A log scale labels only some of its ticks otherwise.
            axis=axis(
                "factor on the cycles of an instruction: right of 1 slower",
                labelExpr="format(datum.value, '.3~g')",
            ),
            scale=alt.Scale(type="log", domain=domain),
        ),
        x2="as_typical:Q",
        y=names("feature_group"),
        color=colour,
        tooltip=tips(
            frame,
            *("feature_group", "factor", "segments"),
            largest_in="segments where it is the largest",
        ),
    )
