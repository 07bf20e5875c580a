"""Charts of bottlenecks: star glyphs, class shares, cost shares, clusters, tuning history."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import altair as alt
import polars as pl

from apps.output.colours import BLUE, GREY
from apps.output.text import short_name
from apps.pages.charts import axis, bars, class_scale, legend, names, on_lines, stacked, tips
from apps.reports.star_glyphs import Star, Stars, corners

_NAME = 20
# Sizes in units of the radius of a star: the drawing, from its lowest to its highest place, and
# where the star is, and the one beside it that names the rays.
_WIDE, _LOW, _HIGH = 20.0, -1.75, 1.4
_STAR, _KEY = 6.25, 2.5
_RADIUS = 40.8  # pixels


def _class_colour(kinds: Iterable[str]) -> alt.Color:
    return alt.Color("class:N", scale=class_scale(kinds), legend=legend("Class", 4))


def star_chart(glyphs: Stars) -> alt.LayerChart | alt.FacetChart:
    """Draw the star of one place, and beside it one that names the rays."""
    (star,) = glyphs.stars
    pairs = zip(glyphs.metrics, star.values, strict=True)
    values = ", ".join(f"{name} {'-' if v is None else f'{v:.3g}'}" for name, v in pairs)
    ends = [(_STAR + dx, dy) for dx, dy in corners(star.rays)]
    ways = corners([1.0] * len(glyphs.metrics))
    spokes = [
        *((_STAR, 0.0, *end) for end, ray in zip(ends, star.rays, strict=True) if ray is not None),
        *((_KEY, 0.0, _KEY + dx, dy) for dx, dy in ways),
    ]
    body = [(star.label, star.kind, values, order, *end) for order, end in enumerate(ends)]
    colours = class_scale([star.kind])
    xs = alt.X("x:Q", scale=alt.Scale(domain=[0, _WIDE], nice=False), axis=None)
    ys = alt.Y("y:Q", scale=alt.Scale(domain=[_LOW, _HIGH], nice=False), axis=None)
    layers = [
        alt.Chart(_frame([(_KEY, 0.0), (_STAR, 0.0)], "x", "y")).mark_point(
            shape="circle",
            size=3.1416 * _RADIUS**2,
            stroke=GREY,
            strokeOpacity=0.35,
            filled=False,
            strokeWidth=1,
        ),
        alt.Chart(_frame(spokes, "x", "y", "x2", "y2"))
        .mark_rule(stroke=GREY, strokeOpacity=0.5, strokeWidth=0.7)
        .encode(x2="x2:Q", y2="y2:Q"),
        alt.Chart(_frame(body, "label", "class", "values", "order", "x", "y"))
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
                "class:N",
                alt.Tooltip("values:N", title="per cycle"),
            ],
        ),
        *_names(star),
        *_rays(glyphs.metrics, ways),
    ]
    # Not fitted to the page: a star keeps its shape only where both axes have one scale.
    return alt.layer(*(layer.encode(x=xs, y=ys) for layer in layers)).properties(
        width=round(_WIDE * _RADIUS),
        height=round((_HIGH - _LOW) * _RADIUS),
        autosize=alt.AutoSizeParams(type="pad"),
    )


def _names(star: Star) -> list[alt.Chart]:
    """Return the label of a star and its class, below it."""
    names = _frame(
        [(_STAR, -1.3, short_name(star.label, _NAME), star.kind)], "x", "y", "label", "class"
    )
    return [
        alt.Chart(names)
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
        sides.setdefault(side, []).append((_KEY + 1.1 * dx, 1.17 * dy, name))
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
        tooltip=tips(frame, "place", "class", "samples", "share"),
    )


def cost_chart(frame: pl.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """Draw what a cure could save at most, with its band: component, share, low and high."""
    base = alt.Chart(frame).encode(
        y=names("component"),
        tooltip=[
            *tips(frame, "component", "share"),
            *(alt.Tooltip(f"{name}:Q", format=".1%") for name in ("low", "high")),
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
            tooltip=tips(frame, "cluster", "metric", "deviations"),
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
        tooltip=tips(
            frame,
            *("series", "version", "class", "runs", "seconds"),
            *("gain_percent", "gain_since_first_percent"),
        ),
    )
    return alt.layer(line, dots).properties(height=260)
