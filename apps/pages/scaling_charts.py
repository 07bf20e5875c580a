"""Charts of scaling: measured points, fits with their bands, speed-up, efficiency, ranking."""

from __future__ import annotations

import math

import altair as alt
import polars as pl

from apps.output.colours import BLUE, BROWN, GREEN, GREY, PINK, SKY
from apps.output.text import short_names
from apps.pages.charts import (
    axis,
    bars,
    legend,
    names,
    on_lines,
    ratio_scale,
    scale,
    stacked,
    tips,
)
from apps.pages.sizes import FIT
from udfs.scaling.limits import Turning

_BAND = 0.2
_HEIGHT = 320
# The room right of the lines for their names, as a part of them, and the height of a name, pixels.
_ROOM, _LINE = 0.34, 13
_NAME, _WIDE_NAME = 22, 40
# The margin of the times above and below, as a part of their logarithmic range.
_MARGIN = 0.06
_TICKS = 10
# Parallelism along the x axis, where nothing has room on its right.
_ALONG = alt.X(
    "parallelism:Q",
    scale=alt.Scale(type="log", base=2, nice=False),
    axis=axis("parallelism, log scale"),
)


def time_chart(
    measured: pl.DataFrame, fitted: pl.DataFrame, largest: int, turning: Turning | None = None
) -> alt.LayerChart | alt.FacetChart:
    """Draw measured and predicted times on logarithmic axes; a rule at the largest measured count.

    `measured` has what, parallelism, seconds; `fitted` what, parallelism, predicted, low, high (s).
    Names are at the ends of the lines, and the interval of the `turning` point is a grey strip.
    """
    known = list(dict.fromkeys([*fitted["what"].to_list(), *measured["what"].to_list()]))
    colour = alt.Color("what:N", scale=scale(known), legend=None)
    first, last = _ends(measured, fitted)
    x = alt.X(
        "parallelism:Q",
        # The names are within the axes, as wide as a quarter of the lines.
        scale=alt.Scale(
            type="log", base=2, nice=False, domain=[first, last * (last / first) ** _ROOM]
        ),
        axis=axis("parallelism, log scale", values=_doublings(first, last), labelOverlap=True),
    )
    low, high = _extent(measured, fitted)
    heights = alt.Scale(type="log", domain=[low, high], nice=False, clamp=True)
    band = (
        alt.Chart(fitted)
        .mark_area(opacity=_BAND, clip=True)
        .encode(
            x=x,
            color=colour,
            y=alt.Y("low:Q", scale=heights, axis=axis("time, log scale", "s", grid=False)),
            y2="high:Q",
        )
    )
    line = (
        alt.Chart(fitted)
        .mark_line()
        .encode(
            x=x,
            color=colour,
            y=alt.Y("predicted:Q", scale=heights),
            tooltip=tips(
                fitted,
                what="function",
                parallelism="parallelism",
                **{name: f"{name} (s)" for name in ("predicted", "low", "high")},
            ),
        )
    )
    dots = (
        alt.Chart(measured)
        .mark_point(filled=True, size=70, opacity=1)
        .encode(
            x=x,
            color=colour,
            y=alt.Y("seconds:Q", scale=heights),
            tooltip=tips(
                measured, what="function", parallelism="parallelism", seconds="measured (s)"
            ),
        )
    )
    texts = (
        alt.Chart(_names_at_ends(fitted, low, high))
        .mark_text(align="left", baseline="middle", dx=6, fontSize=11)
        .encode(
            x=x,
            y=alt.Y("place:Q", scale=heights),
            text="label:N",
            tooltip=[alt.Tooltip("what:N", title="function")],
        )
    )
    strip = [] if turning is None else _turning(turning, first, last)
    return alt.layer(*strip, band, line, dots, texts, _measured_to(largest)).properties(
        height=_HEIGHT, autosize=FIT
    )


def _ends(measured: pl.DataFrame, fitted: pl.DataFrame) -> tuple[int, int]:
    """Return the smallest and the largest count that are drawn."""
    counts = [*measured["parallelism"].to_list(), *fitted["parallelism"].to_list()]
    return min(counts), max(*counts, min(counts) + 1)


def _doublings(first: int, last: int) -> list[int]:
    """Return counts from the first to the last, each twice that before; of many every other."""
    steps = math.floor(math.log2(last / first) + 1e-9)
    return [first << step for step in range(0, steps + 1, 1 + steps // _TICKS)]


def _extent(measured: pl.DataFrame, fitted: pl.DataFrame) -> tuple[float, float]:
    """Return the range of times that is drawn; wide bands are cut."""
    values = [*measured["seconds"].to_list(), *fitted["predicted"].to_list()]
    known = [value for value in values if value is not None and value > 0]
    low, high = min(known, default=0.5), max(known, default=2.0)
    margin = max(high / low, 4.0) ** _MARGIN
    return low / margin, high * margin


def _names_at_ends(fitted: pl.DataFrame, low: float, high: float) -> pl.DataFrame:
    """Return the names of lines and their places, s, apart enough to be read."""
    ends = (
        fitted.filter(pl.col("predicted") > 0)
        .sort("parallelism")
        .group_by("what", maintain_order=True)
        .last()
        .sort("predicted", descending=True)
    )
    pixel = math.log(high / low) / _HEIGHT
    places: list[float] = []
    for value in ends["predicted"].to_list():
        above = places[-1] - _LINE * pixel if places else math.inf
        places.append(min(math.log(value), above))
    # Those that were pushed out below push the ones above them up again.
    floor = math.log(low) + _LINE / 2 * pixel
    for i in reversed(range(len(places))):
        places[i] = max(places[i], floor)
        floor = places[i] + _LINE * pixel
    labels = short_names(ends["what"].to_list(), _NAME)
    return ends.select("what", "parallelism").with_columns(
        place=pl.Series([math.exp(place) for place in places], dtype=pl.Float64),
        label=pl.Series(labels, dtype=pl.String),
    )


def _turning(point: Turning, first: int, last: int) -> list[alt.Chart]:
    """Return the strip of a turning point's interval, as far as it is within the counts drawn."""
    high = last if point.high is None else min(point.high, last)
    frame = pl.DataFrame({"low": [max(point.low, first)], "high": [high], "about": [point.about]})
    strip = alt.Chart(frame).mark_rect(color=GREY, opacity=0.15).encode(x="low:Q", x2="high:Q")
    about = alt.Chart(frame).mark_rule(color=GREY).encode(x="about:Q")
    if point.low >= high:
        return [about] if first <= point.about <= last else []
    return [strip, about] if point.about <= last else [strip]


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
    log = alt.Scale(type="log", base=2)
    ideal = frame.select("parallelism", ideal=pl.col("parallelism") / smallest)
    dashed = alt.Chart(ideal).mark_line(strokeDash=[6, 4], color=GREY)
    y = alt.Y("ideal:Q", scale=log, axis=axis("speed-up (dashed: ideal)"))
    band = _banded(frame, "speedup", log, BLUE)
    return _along(dashed.encode(x=_ALONG, y=y), *band, largest=largest)


def efficiency_chart(
    frame: pl.DataFrame, largest: int, floor: float
) -> alt.LayerChart | alt.FacetChart:
    """Draw the predicted efficiency with its band, and the floor that is worth keeping.

    `frame` has parallelism, efficiency, efficiency_low and efficiency_high.
    """
    top = max(1.0, float(frame["efficiency"].max() or 1.0))  # type: ignore[arg-type]
    domain = alt.Scale(domain=[0, top], clamp=True)
    least = alt.Chart(pl.DataFrame({"floor": [floor]})).mark_rule(strokeDash=[2, 4], color=GREY)
    y = alt.Y("floor:Q", scale=domain, axis=axis("efficiency", format="%"))
    band = _banded(frame, "efficiency", domain, GREEN)
    return _along(least.encode(y=y), *band, largest=largest)


def _banded(frame: pl.DataFrame, name: str, domain: alt.Scale, colour: str) -> list[alt.Chart]:
    """Return the line of a column along the parallelism, and its band below it."""
    chart = alt.Chart(frame)
    return [
        chart.mark_area(opacity=_BAND, color=colour).encode(
            x=_ALONG, y=alt.Y(f"{name}_low:Q", scale=domain), y2=f"{name}_high:Q"
        ),
        chart.mark_line(color=colour).encode(
            x=_ALONG, y=alt.Y(f"{name}:Q", scale=domain), tooltip=tips(frame, "parallelism", name)
        ),
    ]


def _along(*layers: alt.Chart, largest: int) -> alt.LayerChart | alt.FacetChart:
    return alt.layer(*layers, _measured_to(largest)).properties(height=260)


def ranking_chart(frame: pl.DataFrame, target: int, largest: int) -> alt.Chart:
    """Draw functions' shares of the time, predicted and measured: function, when, share."""
    whole = frame["function"].unique(maintain_order=True).to_list()
    order = short_names(whole, _WIDE_NAME)
    when = [f"predicted at {target}", f"at {largest}, the largest measured"]
    colours = dict(zip(when, (BLUE, GREY), strict=True))
    return bars(
        frame.with_columns(
            name=pl.col("function").replace_strict(whole, order, return_dtype=pl.String)
        ),
        14,
        x=alt.X("share:Q", axis=axis("share of the time", format="%")),
        y=names("name", sort=order),
        yOffset=alt.YOffset("when:N", sort=when),
        color=alt.Color("when:N", scale=scale(when, colours), legend=legend(None, 2)),
        tooltip=tips(frame, "function", "when", "share"),
    )


def kinds_chart(frame: pl.DataFrame) -> alt.Chart:
    """Draw how the functions' time is shared by kind at each count: parallelism, kind, seconds."""
    present = frame.filter(pl.col("seconds") > 0)["kind"].unique().to_list()
    shown = [kind for kind in _KINDS if kind in present]
    shown += sorted(set(present) - set(shown))
    ranks = {kind: place for place, kind in enumerate(shown)}
    rows = frame.filter(pl.col("seconds") > 0).with_columns(
        share=pl.col("seconds") / pl.col("seconds").sum().over("parallelism"),
        rank=pl.col("kind").replace_strict(ranks, return_dtype=pl.Int64),
    )
    return bars(
        rows,
        20,
        x=stacked("share", "share of the functions' time", 1),
        y=alt.Y("parallelism:O", axis=axis("parallelism")),
        color=alt.Color("kind:N", scale=scale(shown, _KINDS), legend=legend(None, 2)),
        order=alt.Order("rank:Q"),
        tooltip=tips(rows, "parallelism", "kind", "share", seconds="mean over ranks (s)"),
    )


_KINDS = {
    "computation": GREY,
    "blocking point-to-point": BLUE,
    "non-blocking point-to-point": SKY,
    "n-to-n collective": BROWN,
    "n-to-1 and 1-to-n collective": PINK,
}


def ranks_chart(frame: pl.DataFrame, functions: list[str]) -> alt.Chart:
    """Draw the time of functions on each rank over its mean: function, first_rank, of_mean."""
    order = short_names(functions, _WIDE_NAME)
    ends = pl.col("first_rank"), pl.col("last_rank")
    rows = frame.with_columns(
        name=pl.col("function").replace_strict(functions, order, return_dtype=pl.String),
        ranks=pl.when(ends[0] == ends[1])
        .then(ends[0].cast(pl.String))
        .otherwise(pl.format("{} to {}", *ends)),
    )
    cells = alt.Chart(rows).mark_rect()
    drawn: alt.Chart = on_lines(
        cells.encode(
            x=alt.X("first_rank:O", axis=axis("rank", labelOverlap=True, labelAngle=0)),
            y=names("name", sort=order),
            color=alt.Color(
                "of_mean:Q",
                scale=ratio_scale(),
                legend=legend("time over the mean of the ranks", 5),
            ),
            tooltip=tips(rows, "function", "ranks", "seconds", of_mean="times the mean"),
        ),
        20,
    )
    return drawn
