"""Charts of bottlenecks: star glyphs, class shares, cost shares, clusters, tuning history."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import altair as alt
import polars as pl

from apps.output.colours import BLUE, GREY
from apps.output.text import short_name
from apps.pages.charts import axis, bars, class_scale, legend, names, on_lines, stacked
from apps.reports.star_glyphs import Star, Stars, corners

_COLUMNS = 8
_CELL = 102
_NAME = 20
# Room for one star and the two lines under it, in units of its radius.
_WIDE, _HIGH = 2.5, 3.1


def _class_colour(kinds: Iterable[str]) -> alt.Color:
    return alt.Color("class:N", scale=class_scale(kinds), legend=legend("Class", 4))


def star_chart(glyphs: Stars) -> alt.LayerChart | alt.FacetChart:
    """Draw stars in rows of eight; the first, two places wide, labels the rays."""
    points, spokes, centres = [], [], []
    for i, star in enumerate(glyphs.stars, 2):
        x, y = (i % _COLUMNS + 0.5) * _WIDE, -(i // _COLUMNS) * _HIGH
        values = _values(glyphs, star)
        for order, ((dx, dy), ray) in enumerate(zip(corners(star.rays), star.rays, strict=True)):
            points.append((star.label, star.kind, values, order, x + dx, y + dy))
            if ray is not None:
                spokes.append((x, y, x + dx, y + dy))
        centres.append((x, y, short_name(star.label, _NAME), star.kind))
    ways = corners([1.0] * len(glyphs.metrics))
    spokes += [(_WIDE, 0.0, _WIDE + dx, dy) for dx, dy in ways]
    low = -((len(centres) + 1) // _COLUMNS) * _HIGH - 1.75
    xs = alt.X("x:Q", scale=alt.Scale(domain=[0, _COLUMNS * _WIDE], nice=False), axis=None)
    ys = alt.Y("y:Q", scale=alt.Scale(domain=[low, 1.4], nice=False), axis=None)
    layers = [
        _circles([(_WIDE, 0.0), *((x, y) for x, y, *_ in centres)]),
        _spokes(spokes),
        _bodies(points),
        *_names(centres),
        *_rays(glyphs.metrics, ways),
    ]
    # Not fitted to the page: a star keeps its shape only where both axes have one scale.
    return alt.layer(*(layer.encode(x=xs, y=ys) for layer in layers)).properties(
        width=_COLUMNS * _CELL,
        height=round(_CELL / _WIDE * (1.4 - low)),
        autosize=alt.AutoSizeParams(type="pad"),
    )


def _values(glyphs: Stars, star: Star) -> str:
    pairs = zip(glyphs.metrics, star.values, strict=True)
    return ", ".join(f"{name} {'-' if v is None else f'{v:.3g}'}" for name, v in pairs)


def _circles(places: list[tuple[float, float]]) -> alt.Chart:
    area = 3.1416 * (_CELL / _WIDE) ** 2
    chart: alt.Chart = alt.Chart(_frame(places, "x", "y")).mark_point(
        shape="circle", size=area, stroke=GREY, strokeOpacity=0.35, filled=False, strokeWidth=1
    )
    return chart


def _spokes(spokes: list[tuple[float, float, float, float]]) -> alt.Chart:
    chart: alt.Chart = (
        alt.Chart(_frame(spokes, "x", "y", "x2", "y2"))
        .mark_rule(stroke=GREY, strokeOpacity=0.5, strokeWidth=0.7)
        .encode(x2="x2:Q", y2="y2:Q")
    )
    return chart


def _bodies(points: list[tuple[str, str, str, int, float, float]]) -> alt.Chart:
    frame = _frame(points, "label", "class", "values", "order", "x", "y")
    colours = class_scale(frame["class"])
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_line(
            interpolate="linear-closed",
            filled=True,
            fillOpacity=0.45,
            strokeWidth=1.5,
            strokeJoin="round",
        )
        .encode(
            detail="label:N",
            order="order:Q",
            fill=alt.Fill("class:N", scale=colours, legend=legend("Class", 7)),
            stroke=alt.Stroke("class:N", scale=colours, legend=None),
            tooltip=[
                alt.Tooltip("label:N", title="place"),
                alt.Tooltip("class:N"),
                alt.Tooltip("values:N", title="per cycle"),
            ],
        )
    )
    return chart


def _names(centres: list[tuple[float, float, str, str]]) -> list[alt.Chart]:
    frame = _frame([(x, y - 1.3, *texts) for x, y, *texts in centres], "x", "y", "label", "class")
    return [
        alt.Chart(frame)
        .mark_text(align="center", baseline="middle", fontSize=size, dy=dy)
        .encode(text=text)
        for text, size, dy in (("label:N", 11, 0), ("class:N", 10, 13))
    ]


def _rays(metrics: tuple[str, ...], ways: list[tuple[float, float]]) -> list[alt.Chart]:
    sides: dict[Literal["left", "center", "right"], list[tuple[float, float, str]]] = {}
    for name, (dx, dy) in zip(metrics, ways, strict=True):
        side: Literal["left", "center", "right"] = (
            "center" if abs(dx) < 0.1 else "left" if dx > 0 else "right"
        )
        sides.setdefault(side, []).append((_WIDE + 1.1 * dx, 1.17 * dy, name))
    return [
        alt.Chart(_frame(rays, "x", "y", "label"))
        .mark_text(align=side, baseline="middle", fontSize=10)
        .encode(text="label:N")
        for side, rays in sides.items()
    ]


def _frame(rows: Sequence[tuple[object, ...]], *names: str) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=list(names), orient="row")


def share_chart(frame: pl.DataFrame) -> alt.Chart:
    """Draw the class shares of processes as stacked bars.

    `frame` has place, position (order of the places), class, samples and share.
    """
    return bars(
        frame,
        18,
        x=stacked("share", "share of cycles", 1),
        y=names("place", by="position", labelOverlap=False),
        color=_class_colour(frame["class"]),
        tooltip=["place:N", "class:N", "samples:Q", alt.Tooltip("share:Q", format=".1%")],
    )


def cost_chart(frame: pl.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """Draw what a cure could save at most, with its band: component, share, low and high."""
    base = alt.Chart(frame).encode(
        y=names("component"),
        tooltip=[
            "component:N",
            *(alt.Tooltip(f"{name}:Q", format=".1%") for name in ("share", "low", "high")),
        ],
    )
    saved = base.mark_bar(color=BLUE, size=18).encode(
        x=alt.X(
            "share:Q",
            axis=axis("cycles saved, with the 90 % band", format="%"),
            scale=alt.Scale(domain=[0, 1]),
        )
    )
    bands = base.mark_errorbar(ticks=True, color=GREY, thickness=2).encode(
        x=alt.X("low:Q", title=""), x2="high:Q"
    )
    return on_lines(alt.layer(saved, bands), 34)


def cluster_chart(frame: pl.DataFrame) -> alt.Chart:
    """Draw clusters by metric, in deviations from the mean: cluster, metric, deviations."""
    cells: alt.Chart = (
        alt.Chart(frame)
        .mark_rect()
        .encode(
            x=alt.X("metric:N", sort=None, axis=axis(None, labelAngle=-30)),
            y=names("cluster"),
            color=alt.Color(
                "deviations:Q",
                scale=alt.Scale(scheme="blueorange", domain=[-3, 3], domainMid=0, clamp=True),
                legend=alt.Legend(title="deviations from the mean", orient="top"),
            ),
            tooltip=["cluster:N", "metric:N", alt.Tooltip("deviations:Q", format="+.2f")],
        )
    )
    return on_lines(cells, 24)


def history_chart(frame: pl.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """Draw the time of versions with the class of each: series, step, version, seconds, class."""
    kinds = frame["class"].drop_nulls().unique().to_list()
    base = alt.Chart(frame).encode(
        x=alt.X(
            "version:N",
            sort=alt.EncodingSortField("step", op="min"),
            axis=axis("version", labelAngle=0),
        ),
        y=alt.Y("seconds:Q", axis=axis("time", "s"), scale=alt.Scale(zero=True)),
        detail="series:N",
    )
    line = base.mark_line(color=GREY, strokeWidth=1.5)
    dots = base.mark_point(filled=True, size=110, opacity=1).encode(
        color=_class_colour(kinds),
        tooltip=[
            "series:N",
            "version:N",
            "class:N",
            "runs:Q",
            alt.Tooltip("seconds:Q", format=".4g"),
            alt.Tooltip("gain_percent:Q", format="+.1f", title="gain, %"),
            alt.Tooltip("gain_since_first_percent:Q", format="+.1f", title="since the first, %"),
        ],
    )
    return alt.layer(line, dots).properties(height=260)
