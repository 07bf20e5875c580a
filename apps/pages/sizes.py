"""Sizes and units of charts."""

from __future__ import annotations

import altair as alt

# Only the width is fitted to the page, so that every bar keeps its own height.
FIT = alt.AutoSizeParams(type="fit-x", contains="padding")


def time_unit(longest: float) -> tuple[float, str]:
    """Return the unit for times up to `longest` s: its factor from seconds, and its name."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if longest * factor >= 1:
            return factor, unit
    return 1e9, "ns"
