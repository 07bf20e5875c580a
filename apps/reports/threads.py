"""What the threads of a run do: verdicts on its launches in sentences, launches alike together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from apps.output import Row, cell, percent_text, three_digits

_SHOWN = 6

VERDICTS = {
    "both": "branch divergence and synchronisation are both prominent",
    "divergent": "branch divergence is prominent",
    "synchronising": "synchronisation is prominent",
    "neither": "neither branch divergence nor synchronisation is prominent",
}


def similar_launches(rows: Iterable[Row]) -> list[list[Row]]:
    """Put launches of one kernel with one verdict together, those with the most visits first."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        keys = ("kernel", "verdict", "divergent", "synchronising", "contradiction", "note")
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return sorted(found.values(), key=lambda group: -sum(row["visits"] or 0 for row in group))


def launch_headline(group: Sequence[Row]) -> str:
    """Say the verdict on launches that are alike: what is prominent, or why nothing can be said."""
    return f"{launch_names(group)}: {_verdict(group[0])}."


def launch_summary(group: Sequence[Row]) -> str:
    """Return the headline with its figures in one line."""
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
    """Return the headline, and what it rests on: each figure, its threshold and its meaning."""
    lines = [
        _divergence(group),
        _lanes(group),
        _synchronisation(group),
        _similarity(group),
        _balance(group),
    ]
    row = group[0]
    if row["contradiction"]:
        lines.append(f"Mind, two figures disagree: {row['contradiction']}.")
    if row["note"] and row["note"] not in _verdict(row):
        lines.append(f"Mind: {row['note']}.")
    return [launch_headline(group), *(line for line in lines if line)]


def launch_names(group: Sequence[Row]) -> str:
    """Name launches that are alike: their kernel and numbers."""
    launches = [row["launch"] for row in group]
    name = cell(group[0]["kernel"], 60) + ", " if group[0]["kernel"] is not None else ""
    if len(launches) == 1:
        return f"{name}launch {launches[0]}"
    shown = ", ".join(map(str, launches[:_SHOWN]))
    more = f" and {len(launches) - _SHOWN} more" if len(launches) > _SHOWN else ""
    return f"{name}launches {shown}{more}"


def _verdict(row: Row) -> str:
    divergent, synchronising = row["divergent"], row["synchronising"]
    if divergent is None and synchronising is None:
        return f"nothing can be said of divergence or synchronisation ({row['note'] or _UNKNOWN})"
    if divergent is None:
        word = "" if synchronising else "not "
        missing = row["note"] or _UNKNOWN
        return f"synchronisation is {word}prominent; of divergence nothing can be said ({missing})"
    if synchronising is None:
        word = "" if divergent else "not "
        return f"branch divergence is {word}prominent; {row['note'] or _UNKNOWN}"
    return VERDICTS[row["verdict"]]


_UNKNOWN = "figures are missing"


def _divergence(group: Sequence[Row]) -> str:
    row = group[0]
    values = _range(group, "fluctuation")
    if not values or row["divergent"] is None:
        return ""
    meaning = (
        "neighbouring threads take different ways"
        if row["divergent"]
        else ("neighbouring threads do nearly the same")
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
    return f"SIMT efficiency {values}{bound}{expected}: the mean share of a warp's lanes at work."


def _synchronisation(group: Sequence[Row]) -> str:
    row = group[0]
    values = _range(group, "sync_rate")
    if not values or row["synchronising"] is None:
        return ""
    text = f"Synchronisation rate {values} (prominent over {three_digits(row['sync_threshold'])})"
    if not any(row["barriers"] for row in group):
        return f"{text}: no barrier was executed."
    same = _range(group, "sync_consistency", percent_text)
    pairs = f"; {same} of thread pairs meet the same ones equally often" if same else ""
    return f"{text}: barriers for each visit of a basic block{pairs}."


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
    return f"{text}; two threads are {distance}{unit} apart at the mean."


def _balance(group: Sequence[Row]) -> str:
    row = group[0]
    values = _range(group, "memory_share", percent_text)
    if row["bound"] is None or len({other["bound"] for other in group}) > 1:
        return ""
    word = "data" if row["bound"] == "data-bound" else "computing"
    limit = percent_text(row["memory_threshold"])
    return f"It leans to {word}: {values} of its instructions access memory (data over {limit})."


def _range(group: Sequence[Row], name: str, write: Callable[[Any], Any] = three_digits) -> str:
    values = [row[name] for row in group if row[name] is not None]
    if not values:
        return ""
    low, high = write(min(values)), write(max(values))
    return f"{low}" if low == high else f"{low} to {high}"


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


def launch_line(row: Row) -> tuple[Any, ...]:
    """Return a launch as a line under `FIGURES`."""
    return (
        row["launch"],
        cell(row["kernel"], _KERNEL),
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
    one = None
    if row["thread"] is not None:
        place = "" if row["block"] is None else f"block {row['block']}, "
        one = f"{place}thread {row['thread']}"
    return (
        row["launch"],
        row["behaviour_group"] or "rest",
        row["threads"],
        percent_text(row["share"]),
        row["distinct_vectors"],
        one,
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
        percent_text(row["weight"]),
        row["intervals"],
        row["first_interval"],
        row["interval"],
    )
