"""Sizes of charts."""

from __future__ import annotations

import altair as alt

# Only the width is fitted to the page, so that every bar keeps its own height.
FIT = alt.AutoSizeParams(type="fit-x", contains="padding")
