"""What the threads of a run do: verdicts on its launches in sentences and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from apps.output import Row, cell, percent, three_digits

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
_MOST_LAUNCHES = 6
_KERNEL_IN_TEXT, _KERNEL_IN_TABLE = 60, 40
_UNKNOWN = "figures are missing"
_VERDICTS = {
    "both": "branch divergence and synchronisation are both prominent",
    "divergent": "branch divergence is prominent",
    "synchronising": "synchronisation is prominent",
    "neither": "neither branch divergence nor synchronisation is prominent",
}


def similar_launches(rows: Iterable[Row]) -> list[list[Row]]:
    """Return launches grouped by kernel and verdict, those with the most visits first."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        keys = ("kernel", "verdict", "divergent", "synchronising", "contradiction", "note")
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return sorted(found.values(), key=lambda group: -sum(row["visits"] or 0 for row in group))


def launch_headline(group: Sequence[Row]) -> str:
    """Return the verdict on similar launches: what is prominent, or why there is no verdict."""
    return f"{launch_names(group)}: {_verdict(group[0])}."


def launch_summary(group: Sequence[Row]) -> str:
    """Return the verdict on similar launches with its figures, in one sentence."""
    figures = (
        ("threads", "threads"),
        ("basic_blocks", "basic blocks"),
        ("fluctuation", "fluctuation rate"),
        ("simt_efficiency", "SIMT efficiency"),
        ("sync_rate", "synchronisation rate"),
    )
    found = [f"{word} {values}" for name, word in figures if (values := _range(group, name))]
    return f"{'; '.join([launch_headline(group)[:-1], *found])}."


def launch_sentences(group: Sequence[Row]) -> list[str]:
    """Return the verdict on similar launches, then each figure with its threshold and meaning."""
    lines = [
        _divergence(group),
        _lanes(group),
        _synchronisation(group),
        _similarity(group),
        _balance(group),
    ]
    row = group[0]
    if row["contradiction"]:
        lines.append(f"Note: two figures disagree: {row['contradiction']}.")
    if row["note"] and row["note"] not in _verdict(row):
        lines.append(f"Note: {row['note']}.")
    return [launch_headline(group), *(line for line in lines if line)]


def launch_names(group: Sequence[Row]) -> str:
    """Return the names of similar launches: their kernel and numbers."""
    launches = [row["launch"] for row in group]
    name = (
        cell(group[0]["kernel"], _KERNEL_IN_TEXT) + ", " if group[0]["kernel"] is not None else ""
    )
    if len(launches) == 1:
        return f"{name}launch {launches[0]}"
    shown = ", ".join(map(str, launches[:_MOST_LAUNCHES]))
    more = f" and {len(launches) - _MOST_LAUNCHES} more" if len(launches) > _MOST_LAUNCHES else ""
    return f"{name}launches {shown}{more}"


def _verdict(row: Row) -> str:
    divergent, synchronising = row["divergent"], row["synchronising"]
    if divergent is None and synchronising is None:
        return f"divergence and synchronisation are unknown ({row['note'] or _UNKNOWN})"
    if divergent is None:
        maybe_not = "" if synchronising else "not "
        missing = row["note"] or _UNKNOWN
        return f"synchronisation is {maybe_not}prominent; divergence is unknown ({missing})"
    if synchronising is None:
        maybe_not = "" if divergent else "not "
        return f"branch divergence is {maybe_not}prominent; {row['note'] or _UNKNOWN}"
    return _VERDICTS[row["verdict"]]


def _divergence(group: Sequence[Row]) -> str:
    row = group[0]
    values = _range(group, "fluctuation")
    if not values or row["divergent"] is None:
        return ""
    meaning = (
        "neighbouring threads take different paths"
        if row["divergent"]
        else "neighbouring threads take nearly the same paths"
    )
    limit = row["fluctuation_threshold"]
    return f"Fluctuation rate {values} (prominent over {three_digits(limit)}): {meaning}."


def _lanes(group: Sequence[Row]) -> str:
    values = _range(group, "simt_efficiency")
    if not values:
        return ""
    limit = group[0]["simt_threshold"]
    bound = ", at most" if group[0]["simt_is_bound"] else ""
    expected = "" if limit is None else f" (divergence is expected below {three_digits(limit)})"
    return f"SIMT efficiency {values}{bound}{expected}: the mean share of active lanes in a warp."


def _synchronisation(group: Sequence[Row]) -> str:
    row = group[0]
    values = _range(group, "sync_rate")
    if not values or row["synchronising"] is None:
        return ""
    text = f"Synchronisation rate {values} (prominent over {three_digits(row['sync_threshold'])})"
    if not any(row["barriers"] for row in group):
        return f"{text}: no barrier was executed."
    same = _range(group, "sync_consistency", percent)
    pairs = f"; {same} of thread pairs execute the same barriers equally often" if same else ""
    return f"{text}: barriers per visit of a basic block{pairs}."


def _similarity(group: Sequence[Row]) -> str:
    row = group[0]
    different, threads = _range(group, "distinct_vectors"), _range(group, "threads")
    if not different or threads == "1":
        return ""
    if different == "1":
        return f"All {threads} threads have the same basic-block vector."
    text = f"{different} different basic-block vectors among {threads} threads"
    distance = _range(group, "mean_distance")
    if not distance:
        return f"{text}."
    unit = " visits" if row["visits"] is not None else ", as shares of instructions,"
    return f"{text}; two threads are {distance}{unit} apart on average."


def _balance(group: Sequence[Row]) -> str:
    row = group[0]
    values = _range(group, "memory_share", percent)
    if row["bound"] is None or len({other["bound"] for other in group}) > 1:
        return ""
    side = "data" if row["bound"] == "data-bound" else "computing"
    limit = percent(row["memory_threshold"])
    return f"It leans to {side}: {values} of its instructions access memory (data over {limit})."


def _range(
    group: Sequence[Row], name: str, format_value: Callable[[Any], Any] = three_digits
) -> str:
    values = [row[name] for row in group if row[name] is not None]
    if not values:
        return ""
    low, high = format_value(min(values)), format_value(max(values))
    return f"{low}" if low == high else f"{low} to {high}"


def launch_line(row: Row) -> tuple[Any, ...]:
    """Return a launch as a line under `FIGURES`."""
    return (
        row["launch"],
        cell(row["kernel"], _KERNEL_IN_TABLE),
        row["verdict"],
        row["threads"],
        row["blocks"],
        row["distinct_vectors"],
        three_digits(row["fluctuation"]),
        three_digits(row["simt_efficiency"]),
        three_digits(row["sync_rate"]),
        three_digits(row["mean_distance"]),
    )


def group_line(row: Row) -> tuple[Any, ...]:
    """Return a group of threads as a line under `GROUPS`."""
    representative = None
    if row["thread"] is not None:
        place = "" if row["block"] is None else f"block {row['block']}, "
        representative = f"{place}thread {row['thread']}"
    return (
        row["launch"],
        row["behaviour_group"] or "rest",
        row["threads"],
        percent(row["share"]),
        row["distinct_vectors"],
        representative,
        three_digits(row["radius"]),
    )


def warp_line(row: Row) -> tuple[Any, ...]:
    """Return a warp as a line under `WARPS`."""
    names = ("launch", "block", "warp", "threads")
    return (*(row[n] for n in names), three_digits(row["simt_efficiency"]), row["idle_lanes"])


def block_line(row: Row) -> tuple[Any, ...]:
    """Return a thread block as a line under `BLOCKS`."""
    names = ("fluctuation", "mean_distance", "max_distance", "brightness", "sync_consistency")
    first = (row["block"], row["threads"], row["distinct_vectors"])
    return (*first, *(three_digits(row[name]) for name in names))


def phase_line(row: Row) -> tuple[Any, ...]:
    """Return a phase as a line under `PHASES`."""
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
