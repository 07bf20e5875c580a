"""Rows of an answer as a table on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import polars as pl
import streamlit as st

from apps.output import cell

# Columns with ids of runs, which are links to the page of the run.
_RUNS = ("run_id",)
_RUN_PAGE = "run?run="


def show_rows(
    frame: pl.DataFrame,
    units: Mapping[str, str],
    percent: Sequence[str] = (),
    height: int | None = None,
    null: str = "",
) -> None:
    """Show rows; `units` are appended to the names of columns, `percent` names shares."""
    st.dataframe(
        linked(as_shown(frame, lists=False)),
        hide_index=True,
        column_config=_columns(frame, units, percent),
        placeholder=null,
        height="auto" if height is None else height,
    )


def choose_rows(frame: pl.DataFrame, units: Mapping[str, str], key: str) -> list[int]:
    """Show rows that the user can mark; return the numbers of those marked, from 0."""
    state: Any = st.dataframe(
        linked(as_shown(frame, lists=False)),
        hide_index=True,
        column_config=_columns(frame, units, ()),
        placeholder="",
        key=key,
        on_select="rerun",
        selection_mode="multi-row",
    )
    return [row for row in state.selection.rows if row < len(frame)]


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


def _columns(
    frame: pl.DataFrame, units: Mapping[str, str], percent: Sequence[str]
) -> dict[str, Any]:
    """Return the formats of columns: by default a microsecond would be shown as 0."""
    config: dict[str, Any] = {}
    for name, kind in frame.schema.items():
        label = f"{name} ({units[name]})" if name in units else name
        if name in _RUNS and kind == pl.String:
            config[name] = st.column_config.LinkColumn(label, display_text=r"\?run=(.*)$")
        elif name in percent:
            config[name] = st.column_config.NumberColumn(label, format="percent")
        elif kind.is_float():
            config[name] = st.column_config.NumberColumn(label, format="%.6g")
        elif isinstance(kind, pl.Datetime):
            config[name] = st.column_config.DatetimeColumn(label, format="YYYY-MM-DD HH:mm:ss")
        else:
            config[name] = st.column_config.Column(label)
    return config
