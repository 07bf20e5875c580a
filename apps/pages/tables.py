"""Rows of an answer as a table on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import streamlit as st

from apps.output import cell


def show_rows(
    frame: pl.DataFrame,
    units: Mapping[str, str],
    percent: Sequence[str] = (),
    height: int | None = None,
    null: str = "",
) -> None:
    """Show rows; `units` are appended to the names of columns, `percent` names shares."""
    st.dataframe(
        as_shown(frame, lists=False),
        hide_index=True,
        column_config=_columns(frame, units, percent),
        placeholder=null,
        height="auto" if height is None else height,
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
        if name in percent:
            config[name] = st.column_config.NumberColumn(label, format="percent")
        elif kind.is_float():
            config[name] = st.column_config.NumberColumn(label, format="%.6g")
        elif isinstance(kind, pl.Datetime):
            config[name] = st.column_config.DatetimeColumn(label, format="YYYY-MM-DD HH:mm:ss")
        else:
            config[name] = st.column_config.Column(label)
    return config
