"""Charts of where issue slots and operations go: the top-down tree, and the roofline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from apps.output.colours import BLUE, BROWN, GREEN, GREY, PINK, RED, text_on
from apps.output.text import short_names
from apps.pages.charts import axis, bars, legend, names, on_lines, scale, stacked, tips
from apps.pages.sizes import FIT

# The tree of the top-down method: categories of level 1, and their parts of level 2.
TREE = {
    "retiring": ("light_operations", "heavy_operations"),
    "bad_speculation": ("branch_mispredict", "machine_clears"),
    "frontend_bound": ("frontend_latency", "frontend_bandwidth"),
    "backend_bound": ("memory_bound", "core_bound"),
    "smt_contention": (),
}
_COLOURS = {
    "retiring": GREEN,
    "bad speculation": PINK,
    "frontend bound": BROWN,
    "backend bound": RED,
    "smt contention": GREY,
}
_INKS = {name: text_on(colour) for name, colour in _COLOURS.items()}
_NAME = 44
# Share of the slots whose box has room for a letter of its name.
_LETTER = 0.012
# Parts whose sum is farther from their category are in other units than it.
_ADDS_UP = 0.02
_LEVELS = ("level 1", "level 2")


def short_regions(regions: Sequence[str | None]) -> list[str]:
    """Return names of regions: the last part of their paths, where these differ."""
    unnamed = "whole run" if set(regions) == {None} else "outside of regions"
    whole = [unnamed if one is None else one for one in regions]
    last = [one.rsplit("->", 1)[-1] for one in whole]
    return short_names(last if len(set(last)) == len(set(whole)) else whole, _NAME)


def tree_boxes(row: Mapping[str, Any]) -> tuple[pl.DataFrame, bool]:
    """Return the boxes of the tree of one region's slots, and whether its parts add up.

    Boxes have level, name, category, begin, end and share, the share as it was measured. Parts that
    do not add up to their category, as some tools count them in cycles, are as wide as they are
    beside each other.
    """
    boxes: list[tuple[str, str, str | None, float, float, float]] = []
    adds_up, at = True, 0.0
    for category, parts in TREE.items():
        share = row[category]
        if share is None:
            continue
        named = category.replace("_", " ")
        boxes.append((_LEVELS[0], named, named, at, at + share, share))
        shares = [row[part] for part in parts]
        if None not in shares and sum(shares) > 0:
            factor = share / sum(shares)
            adds_up = adds_up and abs(sum(shares) - share) <= _ADDS_UP
            begin = at
            for part, width in zip(parts, shares, strict=True):
                end = begin + width * factor
                boxes.append((_LEVELS[1], part.replace("_", " "), named, begin, end, width))
                begin = end
        at += share
    columns = ["level", "name", "category", "begin", "end", "share"]
    return pl.DataFrame(boxes, schema=columns, orient="row", infer_schema_length=None), adds_up


def tree_chart(boxes: pl.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """Draw the top-down tree of one region, categories above their parts."""
    known = [name for name in _COLOURS if name in boxes["category"].to_list()]
    whole = max(1.0, *boxes["end"].to_list())
    rows = boxes.with_columns(
        middle=(pl.col("begin") + pl.col("end")) / 2,
        named=pl.format("{} {} %", "name", (100 * pl.col("share")).round(0).cast(pl.Int64)),
        ink=pl.col("category").replace_strict(_INKS),
    )
    room = (pl.col("end") - pl.col("begin")) / (whole * _LETTER)
    fits = pl.col("named").str.len_chars() <= room
    rows = rows.with_columns(text=pl.when(fits).then("named").otherwise(pl.lit("")))
    slots = alt.Scale(domain=[0, whole], nice=False)
    base = alt.Chart(rows).encode(
        y=alt.Y("level:N", sort=list(_LEVELS), axis=axis(None)),
        tooltip=tips(rows, "name", "category", "share"),
    )
    boxes_and_names = alt.layer(
        base.mark_rect(stroke="white", strokeWidth=1).encode(
            x=alt.X("begin:Q", scale=slots, axis=axis("share of the issue slots", format="%")),
            x2="end:Q",
            color=alt.Color("category:N", scale=scale(known, _COLOURS), legend=None),
        ),
        base.mark_text(fontSize=11, fontWeight="bold", clip=True).encode(
            x=alt.X("middle:Q", scale=slots),
            text="text:N",
            color=alt.Color("ink:N", scale=None, legend=None),
        ),
    )
    return on_lines(boxes_and_names, 44)


def slots_chart(rows: pl.DataFrame) -> alt.Chart:
    """Draw the shares of regions in the categories of level 1: region, and the categories."""
    short = short_regions(rows["region"].to_list())
    wide = rows.select(
        pl.Series("name", short, pl.String),
        *(pl.col(one).alias(one.replace("_", " ")) for one in TREE),
    ).unpivot(index="name", variable_name="category", value_name="share")
    order = {name: place for place, name in enumerate(_COLOURS)}
    tall = wide.drop_nulls("share").with_columns(
        rank=pl.col("category").replace_strict(order, return_dtype=pl.Int64)
    )
    known = [name for name in _COLOURS if name in tall["category"].to_list()]
    # What is measured apart need not add up to all slots.
    whole = max(1.0, *tall.group_by("name").agg(pl.col("share").sum())["share"].to_list())
    return bars(
        tall,
        16,
        x=stacked("share", "share of the issue slots", whole, nice=False),
        y=names("name", sort=short, labelOverlap=False),
        color=alt.Color("category:N", scale=scale(known, _COLOURS), legend=legend()),
        order=alt.Order("rank:Q"),
        tooltip=tips(tall, "name", "category", "share"),
    )


def roofline_chart(rows: pl.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """Draw operations in a second by arithmetic intensity, below the roof where it is known.

    `rows` have region, intensity and flops_per_second above 0, seconds, reached, bound, and the
    machine's peak_flops and peak_bytes_per_second.
    """
    named = rows.with_columns(
        pl.Series("name", short_regions(rows["region"].to_list()), pl.String),
        of=pl.col("bound").fill_null("unknown"),
        reached_share="reached",
    )
    x = alt.X(
        "intensity:Q",
        scale=alt.Scale(type="log"),
        axis=axis(
            "arithmetic intensity, log scale",
            "operations/byte",
            labelExpr="format(datum.value, datum.value < 1000 ? '~g' : '~s')",
        ),
    )
    y = alt.Y(
        "flops_per_second:Q",
        scale=alt.Scale(type="log"),
        axis=axis("operations in a second, log scale", format="~s"),
    )
    limits = ["memory", "compute", "unknown"]
    present = [one for one in limits if one in named["of"].to_list()]
    colours = scale(present, {"memory": RED, "compute": BLUE, "unknown": GREY})
    dots = (
        alt.Chart(named)
        .mark_circle(size=80, opacity=0.85)
        .encode(
            x=x,
            y=y,
            color=alt.Color("of:N", scale=colours, legend=legend("limited by")),
            tooltip=[
                *tips(named, name="region", intensity="operations/byte"),
                alt.Tooltip("flops_per_second:Q", format=".3s", title="operations/s"),
                *tips(named, "seconds", reached_share="of the roof"),
            ],
        )
    )
    layers = [dots]
    roof = _roof(named)
    if roof is not None:
        line = alt.Chart(roof).mark_line(color=GREY, strokeWidth=2)
        layers.insert(0, line.encode(x=x, y=y))
    return alt.layer(*layers).properties(height=320, autosize=FIT)


def _roof(rows: pl.DataFrame) -> pl.DataFrame | None:
    """Return the roof over the drawn intensities, None where a peak is unknown."""
    peaks = rows["peak_flops"][0], rows["peak_bytes_per_second"][0]
    if None in peaks:
        return None
    flops, bandwidth = peaks
    ridge = flops / bandwidth
    known = rows["intensity"].to_list()
    ends = [min(*known, ridge / 4), ridge, max(*known, ridge * 4)]
    return pl.DataFrame(
        {"intensity": ends, "flops_per_second": [min(flops, at * bandwidth) for at in ends]}
    )
