"""Names of series: a metric, and what its runs have in common."""

from __future__ import annotations

from collections.abc import Mapping

from apps.output import cell, short_name

_VALUE = 24
TOTALS = ("wall_seconds", "functions:seconds", "functions:cost")


def series_name(metric: str, fields: Mapping[str, str] | None) -> str:
    """Return the name of a series: wall_seconds (machine=m1)."""
    shown = {name: short_name(cell(v, None), _VALUE) for name, v in shown_fields(fields).items()}
    return f"{cell(metric)} ({cell(shown, None)})" if shown else cell(metric)


def shown_fields(fields: Mapping[str, str] | None) -> dict[str, str]:
    """Return the fields of a series, a whole problem size without .0."""
    return {
        name: value.removesuffix(".0") if name == "problem_size" else value
        for name, value in (fields or {}).items()
    }
