"""Charts of scaling: measured points, fits with their bands, speed-up, efficiency, ranking."""

from __future__ import annotations

import altair as alt
import polars as pl

from apps.pages.charts import BLUE, GREEN, GREY, axis, legend, scale
from apps.pages.sizes import FIT

_BAND = 0.2
_LEGEND = alt.Legend(title=None, orient="top", labelLimit=0, columns=4, symbolOpacity=1)


def time_chart(
    measured: pl.DataFrame, fitted: pl.DataFrame, largest: int
) -> alt.LayerChart | alt.FacetChart:
    """Draw measured and predicted times on logarithmic axes; a rule at the largest measured count.

    `measured` has what, parallelism, seconds; `fitted` what, parallelism, predicted, low, high (s).
    """
    names = list(dict.fromkeys([*fitted["what"].to_list(), *measured["what"].to_list()]))
    colour = alt.Color("what:N", scale=scale(names), legend=_LEGEND)
    x = alt.X(
        "parallelism:Q",
        scale=alt.Scale(type="log", base=2, nice=False),
        axis=axis("parallelism, log scale"),
    )
    band = (
        alt.Chart(fitted)
        .mark_area(opacity=_BAND)
        .encode(
            x=x,
            color=colour,
            y=alt.Y(
                "low:Q", scale=alt.Scale(type="log"), axis=axis("time, log scale", "s", grid=False)
            ),
            y2="high:Q",
        )
    )
    line = (
        alt.Chart(fitted)
        .mark_line()
        .encode(
            x=x,
            color=colour,
            y=alt.Y("predicted:Q", scale=alt.Scale(type="log")),
            tooltip=[
                alt.Tooltip("what:N", title="function"),
                "parallelism:Q",
                *(
                    alt.Tooltip(f"{name}:Q", format=".3g", title=f"{name}, s")
                    for name in ("predicted", "low", "high")
                ),
            ],
        )
    )
    dots = (
        alt.Chart(measured)
        .mark_point(filled=True, size=70, opacity=1)
        .encode(
            x=x,
            color=colour,
            y=alt.Y("seconds:Q", scale=alt.Scale(type="log")),
            tooltip=[
                alt.Tooltip("what:N", title="function"),
                "parallelism:Q",
                alt.Tooltip("seconds:Q", format=".4g", title="measured, s"),
            ],
        )
    )
    return alt.layer(band, line, dots, _measured_to(largest)).properties(height=360)


def _measured_to(largest: int) -> alt.Chart:
    frame = pl.DataFrame({"parallelism": [largest]})
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_rule(strokeDash=[4, 4], color=GREY)
        .encode(
            x="parallelism:Q",
            tooltip=[alt.Tooltip("parallelism:Q", title="largest count measured")],
        )
    )
    return chart


def speedup_chart(
    frame: pl.DataFrame, smallest: int, largest: int
) -> alt.LayerChart | alt.FacetChart:
    """Draw the predicted speed-up with its band, and the ideal one, on logarithmic axes.

    `frame` has parallelism, speedup, speedup_low and speedup_high.
    """
    x = alt.X(
        "parallelism:Q",
        scale=alt.Scale(type="log", base=2, nice=False),
        axis=axis("parallelism, log scale"),
    )
    log = alt.Scale(type="log", base=2)
    ideal = frame.select("parallelism", ideal=pl.col("parallelism") / smallest)
    return alt.layer(
        alt.Chart(ideal)
        .mark_line(strokeDash=[6, 4], color=GREY)
        .encode(x=x, y=alt.Y("ideal:Q", scale=log, axis=axis("speed-up (dashed: ideal)"))),
        alt.Chart(frame)
        .mark_area(opacity=_BAND, color=BLUE)
        .encode(x=x, y=alt.Y("speedup_low:Q", scale=log), y2="speedup_high:Q"),
        alt.Chart(frame)
        .mark_line(color=BLUE)
        .encode(
            x=x,
            y=alt.Y("speedup:Q", scale=log),
            tooltip=["parallelism:Q", alt.Tooltip("speedup:Q", format=".3g", title="speed-up")],
        ),
        _measured_to(largest),
    ).properties(height=260)


def efficiency_chart(
    frame: pl.DataFrame, largest: int, floor: float
) -> alt.LayerChart | alt.FacetChart:
    """Draw the predicted efficiency with its band, and the floor that is worth keeping.

    `frame` has parallelism, efficiency, efficiency_low and efficiency_high.
    """
    x = alt.X(
        "parallelism:Q",
        scale=alt.Scale(type="log", base=2, nice=False),
        axis=axis("parallelism, log scale"),
    )
    top = max(1.0, float(frame["efficiency"].max() or 1.0))  # type: ignore[arg-type]
    domain = alt.Scale(domain=[0, top], clamp=True)
    return alt.layer(
        alt.Chart(frame)
        .mark_area(opacity=_BAND, color=GREEN)
        .encode(
            x=x,
            y=alt.Y("efficiency_low:Q", scale=domain, axis=axis("efficiency", format="%")),
            y2="efficiency_high:Q",
        ),
        alt.Chart(frame)
        .mark_line(color=GREEN)
        .encode(
            x=x,
            y=alt.Y("efficiency:Q", scale=domain),
            tooltip=["parallelism:Q", alt.Tooltip("efficiency:Q", format=".1%")],
        ),
        alt.Chart(pl.DataFrame({"floor": [floor]}))
        .mark_rule(strokeDash=[2, 4], color=GREY)
        .encode(y=alt.Y("floor:Q", scale=domain)),
        _measured_to(largest),
    ).properties(height=260)


def ranking_chart(frame: pl.DataFrame, target: int, largest: int) -> alt.Chart:
    """Draw functions' shares of the time, predicted and measured: function, when, share."""
    order = frame["function"].unique(maintain_order=True).to_list()
    when = [f"predicted at {target}", f"at {largest}, the largest measured"]
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            x=alt.X("share:Q", axis=axis("share of the time", format="%")),
            y=alt.Y("function:N", sort=order, axis=axis(None, labelFlush=False)),
            yOffset=alt.YOffset("when:N", sort=when),
            color=alt.Color(
                "when:N",
                scale=alt.Scale(domain=when, range=[BLUE, GREY]),
                legend=legend(None, 2),
            ),
            tooltip=["function:N", "when:N", alt.Tooltip("share:Q", format=".1%")],
        )
        .properties(height=alt.Step(14), autosize=FIT)
    )
    return chart
