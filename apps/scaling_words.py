"""Scaling models of functions in words: how their time changes with the parallelism."""

from __future__ import annotations

from typing import Any

from apps.output import cell

# Slopes this near to 0 or -1 are called by their name.
_NEAR = 0.1
Row = dict[str, Any]


def growth(row: Row) -> str:
    """Say how a function's time changes beyond the largest count, with its 90 % interval.

    `row` has exponent, exponent_low, exponent_high (slope in logarithms), and flags.
    """
    exponent, low, high = (row[f"exponent{end}"] for end in ("", "_low", "_high"))
    if exponent is None:
        why = next((flag for flag in row["flags"] or [] if "no model" in flag), None)
        return f"unknown: {cell(why, None)}" if why else "unknown"
    if low is None or high is None:
        return f"{_slope(exponent)} (p^{exponent:.2f})"
    said = f"{_slope(exponent)} (p^{exponent:.2f}, 90 %: {low:.2f} to {high:.2f})"
    return f"{said}; it may fall or grow" if low < -_NEAR and high > _NEAR else said


def _slope(exponent: float) -> str:
    if abs(exponent) < _NEAR:
        return "stays about the same"
    if exponent > 0:
        return "grows"
    return "falls in proportion" if abs(exponent + 1) < _NEAR else "falls"
