"""How changes of metrics are written: series, sizes, intervals, chances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from apps.output import cell

TOTALS = ("wall_seconds", "functions:seconds")


def series_name(metric: str, fields: Mapping[str, str] | None) -> str:
    """Name a metric of runs that have something in common: wall_seconds (machine=m1)."""
    inside = f" ({cell(shown_fields(fields))})" if fields else ""
    return f"{cell(metric)}{inside}"


def shown_fields(fields: Mapping[str, str] | None) -> dict[str, str]:
    """Give what runs have in common as people write it: a whole problem size without .0."""
    return {
        name: value.removesuffix(".0") if name == "problem_size" else value
        for name, value in (fields or {}).items()
    }


def signed_percent(change: float | None) -> str | None:
    """Write a relative change: +12.3 %; None where it is unknown."""
    if change is None:
        return None
    return f"{100 * change:+.3g} %" if abs(change) < 10 else f"{1 + change:.3g} times"


def ratio_percent(ratio: float | None) -> str | None:
    """Write the relative change that a ratio is."""
    return None if ratio is None else signed_percent(ratio - 1)


def interval(low: float | None, high: float | None) -> str | None:
    """Write an interval of ratios as one of changes; None where there is none."""
    if low is None and high is None:
        return None
    return f"{ratio_percent(low) or '?'} to {ratio_percent(high) or '?'}"


def amount(value: float | None, unit: str | None) -> str:
    """Write a value with its unit; shares and plain numbers have none."""
    known = unit if unit not in (None, "1") else None
    return cell(None if value is None else float(f"{value:.4g}")) + (f" {known}" if known else "")


def chance(p_value: float | None) -> str:
    """Write a probability of being wrong: small ones only as an upper bound."""
    if p_value is None:
        return "p unknown"
    return f"p = {p_value:.2g}" if p_value >= 1e-6 else "p < 1e-6"


def day(row: Mapping[str, Any]) -> str:
    """Write the date that a row's run started on."""
    return f"{row['started_at']:%Y-%m-%d}"
