"""Rows of an answer as a table on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, log10
from typing import Any
from urllib.parse import quote

import polars as pl
import streamlit as st

from apps.output.tables import IDENTIFIERS, heading, is_share, prefixed_units
from apps.output.text import cell, short_names
from apps.reports.flags import flag_text

# Columns of names, which may be those of templates, and the letters of them that are seen.
_NAMES = ("function", "callpath", "metric", "subject", "region", "kernel")
_SEEN = 48
# Columns with ids of runs, which are links to the page of the run.
_RUNS = ("run_id",)
_RUN_PAGE = "run?run="
# Of numbers whose points are below each other.
_DECIMALS = 3
# From here on numbers are shown in full.
_LARGE = 1000
# Widths of a digit and of the room around it in a cell, px.
_LETTER, _MARGIN = 8, 24


def show_rows(
    frame: pl.DataFrame,
    units: Mapping[str, str],
    percent: Sequence[str] = (),
    height: int | None = None,
    key: str | None = None,
    *,
    marks: bool = False,
) -> tuple[list[int], str | None]:
    """Show rows; `units` are appended to the names of columns, `percent` names shares beside those
    that are known to be some (`is_share`).

    Of a table with runs, whose `key` is needed, returns the numbers of the rows that the user
    marked, from 0, where it `marks`, and the run of the row that was clicked.
    """
    runs = frame["run_id"].to_list() if "run_id" in frame.columns else None
    frame = _with_flag_texts(_with_short_names(_without_empty(frame)))
    shares = [
        name
        for name, kind in frame.schema.items()
        if kind.is_numeric() and (name in percent or is_share(name))
    ]
    scaled, known = _with_prefixes(frame.with_columns(pl.col(shares) * 100), units)
    modes: Any = ["single-cell", "multi-row"] if marks else ["single-cell"]
    state: Any = st.dataframe(
        linked(as_shown(scaled, lists=False)),
        hide_index=True,
        column_config=_columns(scaled, known | dict.fromkeys(shares, "%")),
        placeholder="",
        height="content" if height is None else height,
        key=key,
        on_select="ignore" if runs is None else "rerun",
        selection_mode=modes,
    )
    if runs is None:
        return [], None
    marked = [row for row in state.selection.rows if row < len(runs)] if marks else []
    return marked, next((runs[row] for row, _ in state.selection.cells if row < len(runs)), None)


def show_answer(frame: pl.DataFrame) -> None:
    """Show the rows of a user's own query: values as they are, and NULL as such."""
    st.dataframe(
        linked(as_shown(frame, lists=False)),
        hide_index=True,
        column_config=_columns(frame, {}, digits=6),
        placeholder="NULL",
    )


def _without_empty(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame without its columns that have no value in any row."""
    empty = [name for name in frame.columns if frame[name].null_count() == len(frame) > 0]
    # Sums of whole numbers are wider than what the browser formats.
    return frame.drop(empty).cast({pl.Decimal: pl.Float64, pl.Int128: pl.Float64})


def _with_flag_texts(frame: pl.DataFrame) -> pl.DataFrame:
    if "flags" not in frame.columns or frame.schema["flags"] == pl.List(pl.String):
        return frame
    texts = [[flag_text(flag) for flag in flags or ()] for flags in frame["flags"].to_list()]
    return frame.with_columns(pl.Series("flags", texts, pl.List(pl.String)))


def _with_short_names(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with names shortened that begin alike, and in full in its last columns.

    A cell shows the beginning of its text: instances of a template would all look the same.
    """
    for name in [name for name in _NAMES if frame.schema.get(name) == pl.String]:
        texts = frame[name].fill_null("").to_list()
        known = {text for text in texts if text}
        if len({text[:_SEEN] for text in known}) < len(known):
            short = pl.Series(name, [text or None for text in short_names(texts, _SEEN)], pl.String)
            frame = frame.with_columns(pl.col(name).alias(f"{name} in full")).with_columns(short)
    return frame


def _with_prefixes(
    frame: pl.DataFrame, units: Mapping[str, str]
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return the frame with an SI prefix for each unit that takes one, and the units of columns."""
    largest = {
        name: [_largest(frame[name])] if kind.is_numeric() else []
        for name, kind in frame.schema.items()
    }
    known = prefixed_units(largest, units)
    scaled = [
        pl.col(name).cast(pl.Float64) / size for name, (size, _) in known.items() if size != 1
    ]
    return _rounded(frame.with_columns(scaled)), {name: unit for name, (_, unit) in known.items()}


def _rounded(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with fractions beside large numbers rounded as in text (`three_digits`).

    A format of a column can keep either three digits of small numbers or all those of large ones.
    """
    return frame.with_columns(
        pl.when(pl.col(name).abs() >= _LARGE)
        .then(pl.col(name).round())
        .otherwise(pl.col(name).round_sig_figs(3))
        for name, kind in frame.schema.items()
        if kind.is_float() and _largest(frame[name]) >= _LARGE
    )


def _largest(column: pl.Series) -> float:
    """Return the largest finite size of a column of numbers; 0 where there is none."""
    sizes = column.cast(pl.Float64).abs()
    largest: Any = sizes.filter(sizes.is_finite()).max()
    return float(largest or 0)


def linked(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with addresses of pages in place of the ids of runs."""
    texts = [name for name in _RUNS if frame.schema.get(name) == pl.String]
    return frame.with_columns(
        pl.Series(
            name,
            [None if run is None else f"{_RUN_PAGE}{quote(run, safe='')}" for run in frame[name]],
            pl.String,
        )
        for name in texts
    )


def as_shown(frame: pl.DataFrame, *, lists: bool = True) -> pl.DataFrame:
    """Return the frame with maps, structures and binary as text, and lists too unless excluded."""
    nested = [
        name
        for name, kind in frame.schema.items()
        if isinstance(kind, pl.Map | pl.Struct)
        or kind == pl.Binary
        or (lists and isinstance(kind, pl.List | pl.Array))
    ]
    texts = [
        pl.Series(
            name, [None if v is None else cell(v, None) for v in frame[name].to_list()], pl.String
        )
        for name in nested
    ]
    return frame.with_columns(texts)


def _columns(frame: pl.DataFrame, units: Mapping[str, str], digits: int = 3) -> dict[str, Any]:
    """Return the formats of columns: by default a microsecond would be shown as 0."""
    config: dict[str, Any] = {}
    width: int | None
    comma = "," if digits == 3 else ""
    for name, kind in frame.schema.items():
        label = heading(name, units.get(name)) if digits == 3 else name
        if name in _RUNS and kind == pl.String:
            config[name] = st.column_config.LinkColumn(label, display_text=r"\?run=(.*)$")
        elif kind.is_float():
            # Large numbers, as counts of events, are shown in full.
            in_full = _is_whole(frame[name]) or (digits == 3 and _largest(frame[name]) >= _LARGE)
            places = _decimals(frame[name]) if digits == 3 else None
            fixed = f"%{comma}.{digits}g" if places is None else f"%{comma}.{places}f"
            style = f"%{comma}f" if in_full else fixed
            width = _width(frame[name], label)
            config[name] = st.column_config.NumberColumn(label, format=style, width=width)
        elif kind.is_integer() and digits == 3 and name not in IDENTIFIERS:
            width = _width(frame[name], label)
            config[name] = st.column_config.NumberColumn(label, format="%,d", width=width)
        elif isinstance(kind, pl.Datetime):
            config[name] = st.column_config.DatetimeColumn(label, format="YYYY-MM-DD HH:mm:ss")
        else:
            config[name] = st.column_config.Column(label)
    return config


def _width(column: pl.Series, label: str) -> int | None:
    """Return the width of a column, px, whose numbers need more than its label: those are cut."""
    digits = len(f"{_largest(column):,.0f}")
    return _LETTER * digits + _MARGIN if digits > len(label) else None


def _decimals(column: pl.Series) -> int | None:
    """Return the decimals with which the points of all numbers are below each other.

    The smallest has a digit then; None where that takes too many.
    """
    sizes = column.abs().filter(column.is_finite() & (column != 0))
    smallest: Any = sizes.min()
    if smallest is None or smallest < 10.0**-_DECIMALS:
        return None
    return max(0, min(_DECIMALS, 2 - floor(log10(smallest))))


def _is_whole(column: pl.Series) -> bool:
    """Return whether all numbers of a column are whole, those that are neither NaN nor infinite."""
    finite = column.filter(column.is_finite())
    return bool((finite == finite.floor()).all())
