"""The heatmap of metrics by version, process, region or sample: values over their usual ones."""

from __future__ import annotations

from statistics import median

import altair as alt
import polars as pl

from apps.output.colours import SOFT_TEXT
from apps.output.numbers import amount
from apps.output.text import short_names
from apps.pages import charts
from apps.reports.star_glyphs import Stars

# The selection of a place, and the field of the data that charts.names it.
PLACE = "star"
# Columns up to which the values are written into the cells, and up to which charts.names lie flat.
_WITH_VALUES, _FLAT = 10, 8
# From more columns on some charts.names are left out where they would overlap.
_CROWDED = 24
_NAME = 28


def metric_heatmap(glyphs: Stars) -> alt.LayerChart | alt.FacetChart:
    """Draw the metrics of places, one a column, coloured by the value over its row's median.

    Above them is the class of each place. A click on a column selects its place.
    """
    labels = short_names([star.label for star in glyphs.stars], _NAME)
    usual = [_median(column) for column in zip(*(s.values for s in glyphs.stars), strict=True)]
    rows = [
        (star.label, label, name, value, amount(value), _over(value, middle))
        for label, star in zip(labels, glyphs.stars, strict=True)
        for name, value, middle in zip(glyphs.names, star.values, usual, strict=True)
        if value is not None
    ]
    columns = [PLACE, "label", "metric", "value", "text", "over"]
    cells = pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
    classes = pl.DataFrame(
        [
            (star.label, label, _CLASS, star.kind)
            for label, star in zip(labels, glyphs.stars, strict=True)
        ],
        schema=[PLACE, "label", "metric", "class"],
        orient="row",
    )
    angle = 0 if len(labels) <= _FLAT and max(map(len, labels)) <= _NAME // 2 else -40
    x = alt.X(
        "label:N",
        sort=labels,
        axis=charts.axis(None, labelAngle=angle, labelOverlap=len(labels) > _CROWDED),
    )
    y = charts.names("metric", sort=[_CLASS, *glyphs.names])
    place = alt.selection_point(name=PLACE, fields=[PLACE])
    heat = (
        alt.Chart(cells)
        .mark_rect(cursor="pointer", stroke=SOFT_TEXT, strokeWidth=0.5)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "over:Q",
                scale=charts.ratio_scale(),
                legend=charts.legend("value over the median of its row"),
            ),
            tooltip=charts.tips(
                cells, label="place", metric="metric", value="value", over="times the median"
            ),
        )
        .add_params(place)
    )
    strip = (
        alt.Chart(classes)
        .mark_rect()
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "class:N",
                scale=charts.class_scale(classes["class"]),
                legend=charts.legend("bottleneck"),
            ),
            tooltip=charts.tips(classes, "label", "class"),
        )
    )
    layers: list[alt.Chart] = [heat, strip]
    if len(labels) <= _WITH_VALUES:
        dark = f"datum.over < {charts.RATIO_STEPS[0]} || datum.over >= {charts.RATIO_STEPS[-1]}"
        layers.append(
            alt.Chart(cells)
            .mark_text(fontSize=11)
            .encode(
                x=x,
                y=y,
                text="text:N",
                color=alt.condition(dark, alt.value("white"), alt.value("#202020")),
            )
        )
    chart: alt.LayerChart = alt.layer(*layers).resolve_scale(color="independent")
    return charts.on_lines(chart, 20)


_CLASS = "bottleneck"


def _median(values: tuple[float | None, ...]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _over(value: float, usual: float | None) -> float:
    """Return a value over the usual one; where that is 0, 1 for 0 and else much more."""
    if not usual:
        return 1.0 if not value else 2 * charts.RATIO_STEPS[-1]
    return value / usual
