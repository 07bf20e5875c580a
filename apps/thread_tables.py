"""Tables of `pwh threads`: their columns, and their lines from rows."""

from __future__ import annotations

from typing import Any

from apps.output import cell

_KERNEL = 40

FIGURES = (
    "launch",
    "kernel",
    "verdict",
    "threads",
    "blocks",
    "vectors",
    "fluctuation",
    "SIMT eff.",
    "sync rate",
    "distance",
)
GROUPS = (
    "launch",
    "group",
    "threads",
    "share",
    "vectors",
    "representative",
    "radius",
)
WARPS = ("launch", "block", "warp", "threads", "SIMT eff., at most", "idle lanes, at least")
BLOCKS = (
    "block",
    "threads",
    "vectors",
    "fluctuation",
    "mean distance",
    "largest",
    "brightness",
    "sync consistency",
)
PHASES = (
    "launch",
    "block",
    "thread",
    "phase",
    "weight",
    "intervals",
    "first",
    "representative",
)

Row = dict[str, Any]


def figures(row: Row) -> tuple[Any, ...]:
    """Give a launch as a line under `FIGURES`."""
    return (
        row["launch"],
        cell(row["kernel"], _KERNEL),
        row["verdict"],
        row["threads"],
        row["blocks"],
        row["distinct_vectors"],
        number(row["fluctuation"]),
        number(row["simt_efficiency"]),
        number(row["sync_rate"]),
        number(row["mean_distance"]),
    )


def group_line(row: Row) -> tuple[Any, ...]:
    """Give a group of threads as a line under `GROUPS`."""
    one = None
    if row["thread"] is not None:
        place = "" if row["block"] is None else f"block {row['block']}, "
        one = f"{place}thread {row['thread']}"
    return (
        row["launch"],
        row["behaviour_group"] or "rest",
        row["threads"],
        percent(row["share"]),
        row["distinct_vectors"],
        one,
        number(row["radius"]),
    )


def warp_line(row: Row) -> tuple[Any, ...]:
    """Give a warp as a line under `WARPS`."""
    names = ("launch", "block", "warp", "threads")
    return (*(row[n] for n in names), number(row["simt_efficiency"]), row["idle_lanes"])


def block_line(row: Row) -> tuple[Any, ...]:
    """Give a thread block as a line under `BLOCKS`."""
    names = ("fluctuation", "mean_distance", "max_distance", "brightness", "sync_consistency")
    first = (row["block"], row["threads"], row["distinct_vectors"])
    return (*first, *(number(row[name]) for name in names))


def phase_line(row: Row) -> tuple[Any, ...]:
    """Give a phase as a line under `PHASES`."""
    return (
        row["launch"],
        row["block"],
        row["thread"],
        row["phase"],
        percent(row["weight"]),
        row["intervals"],
        row["first_interval"],
        row["interval"],
    )


def number(value: float | None) -> float | None:
    """Keep three digits of a fraction; large numbers stay whole."""
    if value is None or isinstance(value, int):
        return value
    return round(value) if value == round(value) or abs(value) >= 1000 else float(f"{value:.3g}")


def percent(value: float | None) -> str | None:
    """Write a share with one digit after the point."""
    return None if value is None else f"{value:.1%}"
