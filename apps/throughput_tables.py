"""Tables of `pwh throughput`: headers, and the line of a row."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]

THREADS = (
    "thread", "segments", "used", "instructions", "predicted", "low", "high", "measured",
    "front end", "chains", "units", "flags",
)  # fmt: skip
SEGMENTS = (
    "thread", "segment", "predicted", "low", "high", "measured", "front end", "chains", "units",
    "cycles", "flags",
)  # fmt: skip
EFFECTS = ("group of features", "factor", "segments where largest")
LIMITS = ("limit", "share of cycles", "segments")


def thread_line(row: Row) -> tuple[Any, ...]:
    """Give the line of a thread; rates are instructions per cycle."""
    counts = (row["thread"], row["segments"], row["used"], row["instructions"])
    return (*counts, *_rates(row), _flags(row))


def segment_line(row: Row) -> tuple[Any, ...]:
    """Give the line of a segment; rates are instructions per cycle."""
    return (row["thread"], row["segment"], *_rates(row), _round(row["cycles"]), _flags(row))


def limit_line(row: Row) -> tuple[Any, ...]:
    """Give the line of a limit."""
    return (row["component"], f"{row['share']:.1%}", row["segments"])


def effect_line(row: Row) -> tuple[Any, ...]:
    """Give the line of a group of features: its factor on the cycles of an instruction."""
    return (row["feature_group"], f"x{row['factor']:.2f}", f"{row['largest_in']:,}")


def _rates(row: Row) -> tuple[float | None, ...]:
    names = (
        "predicted", "low", "high", "measured", "width_bound", "critical_path_bound", "unit_bound",
    )  # fmt: skip
    return tuple(_round(row[name]) for name in names)


def _round(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.3g}")


def _flags(row: Row) -> str | None:
    return ", ".join(row["flags"]) or None
