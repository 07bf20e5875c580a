"""A chart of the columns of an answer that the user picked."""

from __future__ import annotations

from typing import Literal

import altair as alt
import polars as pl
from altair.typing import ChartType

from apps.output.colours import BLUE
from apps.pages.charts import axis, legend, scale

Kind = Literal["quantitative", "temporal", "nominal"]
KINDS = ("Line", "Bars", "Points")
_HEIGHT = 380
_COLOURS = 30


def picked(frame: pl.DataFrame, kind: str, x: str, y: str, colour: str | None) -> ChartType:
    """Draw column `y` over column `x`, coloured by a third one.

    The columns get fixed names: a name from SQL may have a meaning in Vega.
    """
    columns = {"x": x, "y": y} | ({} if colour is None else {"colour": colour})
    data = frame.select(_drawable(frame, name).alias(to) for to, name in columns.items())
    chart = alt.Chart(data).encode(
        x=alt.X("x", type=_type(data["x"]), axis=axis(x), sort=None),
        y=alt.Y("y", type=_type(data["y"]), axis=axis(y), sort=None),
        tooltip=[alt.Tooltip(f"{to}:N", title=name) for to, name in columns.items()],
    )
    if colour is None:
        tinted = chart.encode(color=alt.value(BLUE))
    else:
        values = data["colour"].cast(pl.String).unique(maintain_order=True)
        few = len(values) <= _COLOURS
        nominal = few and not (data["colour"].dtype.is_numeric() and len(values) > 7)
        tinted = chart.encode(
            color=alt.Color(
                "colour",
                type=_type(values if nominal else data["colour"]),
                title=colour,
                scale=scale(values.to_list()) if nominal else alt.Undefined,
                legend=legend(colour) if few else None,
            )
        )
    marks = {
        "Line": tinted.mark_line(point=True),
        "Bars": tinted.mark_bar(),
        "Points": tinted.mark_circle(size=60),
    }
    marked: alt.Chart = marks[kind].properties(height=_HEIGHT)
    return marked


def _drawable(frame: pl.DataFrame, name: str) -> pl.Expr:
    kind = frame.schema[name]
    simple = kind.is_numeric() or kind.is_temporal() or kind in (pl.String, pl.Boolean)
    if kind.is_decimal():
        return pl.col(name).cast(pl.Float64)
    if simple:
        return pl.col(name)
    return pl.col(name).map_elements(str, return_dtype=pl.String)


def _type(column: pl.Series) -> Kind:
    if column.dtype.is_numeric():
        return "quantitative"
    return "temporal" if isinstance(column.dtype, pl.Date | pl.Datetime) else "nominal"
