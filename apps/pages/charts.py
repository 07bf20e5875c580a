"""Charts: one palette, labels with units, no truncated text.

Columns of charted frames have fixed names, never names from traces; those are values only, so
that Vega treats them as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import altair as alt
import polars as pl
import streamlit as st
from altair.typing import ChartType
from altair.utils.schemapi import disable_debug_mode

from apps.output.colours import CLASSES, PALETTE, SOFT_TEXT
from apps.output.tables import IDENTIFIERS, heading, is_share, unit_in_name
from apps.pages.address import drawn_query
from apps.pages.sizes import FIT

# Altair would check each part of a chart when it is made. Each whole chart is checked when drawn.
disable_debug_mode()

C = TypeVar("C", alt.Chart, alt.LayerChart, alt.LayerChart | alt.FacetChart)
# Keys of the widgets that choose of what a page is.
_NAMED = ("app", "run", "before", "after", "against")
# The name of the selection in a chart whose marks can be clicked.
_PICKED = "picked"
RATIO_STEPS = (0.5, 0.8, 1.25, 2.0)
# For less, as usual, and more, in five steps that are distinct for the colour-blind.
_FROM_LESS_TO_MORE = ("#2166ac", "#7fb5dc", "#c9c9cf", "#f2a65a", "#b8500c")
# Numbers of charts: those of English, except for a blank before the sign of per cent.
_NUMBERS = alt.NumberLocale(
    decimal=".", thousands=",", grouping=[3], currency=["$", ""], percent="\u00a0%"
)


def scale(values: Sequence[str], fixed: Mapping[str, str] | None = None) -> alt.Scale:
    """Return the colours of values: those of `fixed`, else the next of the palette."""
    known = dict(fixed or {})
    free = [colour for colour in PALETTE if colour not in known.values()] or list(PALETTE)
    others = [value for value in values if value not in known]
    known |= {value: free[i % len(free)] for i, value in enumerate(others)}
    return alt.Scale(domain=list(values), range=[known[value] for value in values])


def class_scale(classes: Iterable[str]) -> alt.Scale:
    """Return the colours of classes of bottlenecks, in the order of the rules, others last."""
    present = set(classes)
    known = [name for name in CLASSES if name in present]
    return scale([*known, *sorted(present.difference(known))], CLASSES)


def ratio_scale() -> alt.Scale:
    """Return colours of ratios between `RATIO_STEPS`: from blue by grey, as usual, to orange."""
    return alt.Scale(type="threshold", domain=list(RATIO_STEPS), range=list(_FROM_LESS_TO_MORE))


def legend(title: str | None = None, columns: int = 4, **options: Any) -> alt.Legend:
    """Return a legend above the chart with full labels."""
    return alt.Legend(
        title=title, orient="top", labelLimit=0, titleLimit=0, columns=columns, **options
    )


def axis(title: str | None, unit: str | None = None, **options: Any) -> alt.Axis:
    """Return an axis that names its unit."""
    named = title if not unit or title is None else f"{title} ({unit})"
    return alt.Axis(title=named, labelLimit=320, **options)


def names(
    field: str, *, by: str | None = None, sort: Sequence[str] | str | None = None, **options: Any
) -> alt.Y:
    """Return the axis of names below each other: in the order of the column `by`, or of `sort`."""
    order = sort if by is None else alt.EncodingSortField(by, op="min")
    return alt.Y(f"{field}:N", sort=order, axis=axis(None, labelFlush=False, **options))


def bars(frame: pl.DataFrame, step: int, *, size: int | None = None, **encodings: Any) -> alt.Chart:
    """Draw lying bars, `size` pixels high, each on a line of `step` pixels."""
    mark = alt.Chart(frame).mark_bar(size=alt.Undefined if size is None else size)
    drawn: alt.Chart = on_lines(mark.encode(**encodings), step)
    return drawn


def stacked(field: str, title: str, most: float | None = None, **options: Any) -> alt.X:
    """Return the axis of shares (0.1: 10 %) or of per cent that are parts of bars.

    It ends at `most`, where that is stated, on a scale with these options.
    """
    shown = axis(title, "%") if field == "percent" else axis(title, format="%")
    ends = alt.Undefined if most is None else alt.Scale(domain=[0, most], **options)
    return alt.X(f"{field}:Q", stack="zero", axis=shown, scale=ends)


def tips(frame: pl.DataFrame, *columns: str, **titles: str) -> list[alt.Tooltip]:
    """Return what is seen of a row over its mark: columns, which are called as in tables.

    `titles` are what further columns are called.
    """
    return [_tip(frame.schema[name], name, titles.get(name)) for name in (*columns, *titles)]


def _tip(kind: pl.DataType, name: str, title: str | None) -> alt.Tooltip:
    named = title or heading(name, unit_in_name(name))
    if not kind.is_numeric():
        return alt.Tooltip(f"{name}:N", title=named)
    style = ".1%" if is_share(name) else ".4g"
    if kind.is_integer():
        style = "d" if name in IDENTIFIERS else ",d"
    return alt.Tooltip(f"{name}:Q", title=named, format=style)


def on_lines(chart: C, step: int) -> C:
    """Return a chart of lines of `step` pixels each, as wide as the page."""
    drawn: C = chart.properties(height=alt.Step(step), autosize=FIT)
    return drawn


def show(chart: ChartType, description: str, *, choose: tuple[str, str] | None = None) -> None:
    """Show a chart as wide as the page; `description` is for screen readers.

    With `choose`, a field and the key of a widget, a click on a mark sets the widget to its value
    of the field; a click beside the marks empties the widget.
    """
    chart = titled(chart, description)
    if choose is None:
        st.altair_chart(styled(chart), width="stretch", alt=description)
        return
    field, key = choose
    name = f"_chart_{key}_{description}"
    picked = alt.selection_point(name=_PICKED, fields=[field])
    st.altair_chart(
        styled(chart.add_params(picked)),
        width="stretch",
        alt=description,
        key=name,
        on_select=lambda: _choose(name, field, key),
    )


def titled(chart: ChartType, title: str) -> ChartType:
    """Return a chart with its title and the names of what is shown, which go along in pictures."""
    drawn: ChartType = chart.properties(title=alt.TitleParams(title, subtitle=shown_names()))
    return drawn


def shown_names() -> str:
    """Return the names of the runs, or else the application, that the page was chosen to show."""
    query = drawn_query()
    chosen = [one for key in _NAMED for one in query.get(key, []) if one]
    return ", ".join(dict.fromkeys(chosen))


def _choose(chart: str, field: str, key: str) -> None:
    clicked = st.session_state[chart].selection[_PICKED]
    values = [one[field] for one in clicked if field in one]
    several = isinstance(st.session_state.get(key), list)
    st.session_state[key] = values if several else next(iter(values), None)


def styled(chart: ChartType) -> ChartType:
    """Return a chart in the look of pages: little room around it, labels that never overlap."""
    drawn: ChartType = chart.configure(
        locale=alt.Locale(number=_NUMBERS),
        padding={"left": 0, "top": 4, "right": 12, "bottom": 0},
        axisQuantitative=alt.AxisConfig(labelOverlap="parity", labelSeparation=8),
        axisXQuantitative=alt.AxisConfig(labelFlush=True),
        axis=alt.AxisConfig(titlePadding=8, labelColor=SOFT_TEXT, titleColor=SOFT_TEXT),
        header=alt.HeaderConfig(labelColor=SOFT_TEXT, titleColor=SOFT_TEXT),
        legend=alt.LegendConfig(padding=0, offset=8, labelColor=SOFT_TEXT, titleColor=SOFT_TEXT),
        text=alt.MarkConfig(color=SOFT_TEXT),
        # Parts of a bar are told apart by more than their colours.
        bar=alt.BarConfig(stroke=SOFT_TEXT, strokeWidth=0.5),
        title=alt.TitleConfig(
            anchor="start",
            offset=8,
            fontSize=12,
            fontWeight="normal",
            color=SOFT_TEXT,
            subtitleFontSize=11,
            subtitleColor=SOFT_TEXT,
        ),
    )
    return drawn
