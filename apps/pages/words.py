"""Figures in words, the same on every page."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any


def brief(number: float) -> str:
    """Return a count with three digits and k, M or G where it is long."""
    for least, size, letter in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if number >= least:
            return f"{number / size:.3g} {letter}"
    return f"{number:,}"


def since(version: str | None, run_id: str, started_at: datetime | None) -> str:
    """Name a run by version and day, by its id where the version is unknown."""
    named = f"version {version}" if version else f"run {run_id}"
    return named if started_at is None else f"{named} ({started_at:%Y-%m-%d})"


def as_text(value: Any) -> str:
    """Put a value into words: maps as key=value, dates by the second."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={as_text(part)}" for key, part in value.items())
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
