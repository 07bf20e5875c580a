"""How changes of metrics are written: series, sizes, intervals, chances."""

from __future__ import annotations

from collections.abc import Mapping

from apps.output import cell

TOTALS = ("wall_seconds", "functions:seconds")


def series_name(metric: str, fields: Mapping[str, str] | None) -> str:
    """Name a metric of runs that have something in common: wall_seconds (machine=m1)."""
    inside = f" ({cell(shown_fields(fields))})" if fields else ""
    return f"{cell(metric)}{inside}"


def shown_fields(fields: Mapping[str, str] | None) -> dict[str, str]:
    """Return what runs have in common as people write it: a whole problem size without .0."""
    return {
        name: value.removesuffix(".0") if name == "problem_size" else value
        for name, value in (fields or {}).items()
    }
