"""What the threads of a run do: verdicts on its launches in sentences and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from apps.output.numbers import amount, percent, three_digits
from apps.output.tables import Row, table
from apps.output.text import cell
from apps.reports.flags import Flag, flag_text

_MOST_LAUNCHES = 6
_KERNEL_IN_TEXT, _KERNEL_IN_TABLE = 60, 40
_REMARKS = ("kind", "contradiction", "simt_note", "note")
_UNKNOWN = "figures are missing"
_VERDICTS = {
    "both": "branch divergence and synchronisation are both prominent",
    "divergent": "branch divergence is prominent",
    "synchronising": "synchronisation is prominent",
    "neither": "neither branch divergence nor synchronisation is prominent",
}
_KINDS = {
    "lanes": "lanes of a warp part and wait for each other",
    "warps": "whole warps take different ways, while their lanes mostly keep together",
    "both": "lanes of a warp part and wait for each other, and whole warps part too",
    "neither": "the lanes of a warp mostly keep together",
}
# Figures of two programs, in the order of the table that compares them.
_COMPARED = {
    "bound": "bound",
    "verdict": "verdict",
    "kind": "kind",
    "launches": "launches",
    "instructions": "instructions",
    "memory_share": "memory accesses per instruction",
    "arithmetic_per_memory": "arithmetic per memory access",
    "arithmetic_share": "arithmetic",
    "on_core_share": "on-core memory",
    "control_share": "control",
    "barrier_share": "barriers",
    "other_share": "not understood",
    "instructions_per_visit": "instructions per visit",
    "mean_distance": "mean dependence distance",
    "chained_share": "need the one right before",
    "simt_efficiency": "SIMT efficiency",
    "fluctuation": "fluctuation rate",
    "sync_rate": "synchronisation rate",
}
_UNBOUND = "neither data-bound nor compute-bound for certain"
_OFTEN = 1.25  # a smaller ratio of two programs' accesses is not worth a sentence
_PLAIN_KINDS = {True: "lanes", False: "neither"}
_FILLED = 0.005


def similar_launches(rows: Iterable[Row]) -> list[list[Row]]:
    """Return launches grouped by kernel and verdict, those with the most visits first."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        keys = ("kernel", "verdict", "divergent", "synchronising", *_REMARKS)
        found.setdefault(tuple(str(row[key]) for key in keys), []).append(row)
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
        ("sync_share", "barriers per instruction"),
    )
    found = [f"{word} {values}" for name, word in figures if (values := _range(group, name))]
    return f"{'; '.join([launch_headline(group)[:-1], *found])}."


def launch_sentences(group: Sequence[Row]) -> list[str]:
    """Return the verdict on similar launches, then each figure with its threshold and meaning."""
    lines = [
        _lanes(group),
        _warps(group),
        _fluctuation(group),
        _synchronisation(group),
        _similarity(group),
        _balance(group),
    ]
    row = group[0]
    notes = [note for note in (row["note"], row["simt_note"]) if note not in _reasons(row)]
    lines += [f"Note: {flag_text(note)}." for note in notes if note]
    return [launch_headline(group), *(line for line in lines if line)]


def program_sentences(program: Row) -> list[str]:
    """Return the verdict on a program of several launches, then its figures over all of them.

    `program` is the first row of `kernel_verdicts`.
    """
    launches = f"over {program['launches']} launches"
    if program["kernels"] > 1:
        launches += f" of {program['kernels']} kernels"
    verdict = _verdict(program | {"simt_note": None})
    lines = [f"The program, {launches} weighted by instructions: {verdict}."]
    share, divergent = program["divergent_share"], program["divergent_launches"]
    if share is not None:
        lines.append(
            f"Divergent launches: {divergent} of {program['launches']}, with {percent(share)} of "
            "the instructions."
            if divergent
            else "No launch is divergent."
        )
    judged = program["judged_share"]
    if share is not None and judged < 1:
        lines.append(f"Launches with {percent(1 - judged)} of the instructions have no verdict.")
    lines.append(_lanes([program]))
    if (rate := program["sync_rate"]) is not None:
        limit = program["sync_threshold"]
        over = "" if limit is None else f" (prominent over {three_digits(limit)})"
        share = _of_instructions([program])
        lines.append(f"Synchronisation rate {three_digits(rate)}{over}{share}.")
    if (traced := program["least_traced_share"]) is not None and traced < 1:
        lines.append(
            f"Note: of some launches only a part of the threads is traced, at least "
            f"{percent(traced)}."
        )
    return [line for line in lines if line]


def compared_sentences(one: Row, other: Row) -> list[str]:
    """Return how two programs differ: rows of the query threads/comparison."""
    sides = (one, other)
    limit = next((row["memory_threshold"] for row in sides if row["memory_threshold"]), None)
    over = "" if limit is None else f" (data-bound over {percent(limit)})"
    lines = [f"{'; '.join(map(_bound, sides))}{over}."]
    if None not in [row["memory_share"] for row in sides]:
        less, more = sorted(sides, key=lambda row: row["memory_share"])
        if less["memory_share"] and more["memory_share"] >= _OFTEN * less["memory_share"]:
            factor = three_digits(more["memory_share"] / less["memory_share"])
            lines.append(
                f"{cell(more['run_id'])} accesses memory {factor} times as often per instruction."
            )
    verdicts = [_VERDICTS.get(row["verdict"], "divergence or synchronisation is unknown")
                for row in sides]  # fmt: skip
    if verdicts[0] == verdicts[1]:
        lines.append(f"Of both, {verdicts[0]}.")
    else:
        lines += [
            f"Of {cell(row['run_id'])}, {verdict}."
            for row, verdict in zip(sides, verdicts, strict=True)
        ]
    return lines


def _bound(row: Row) -> str:
    name = cell(row["run_id"])
    if row["memory_share"] is None:
        return f"{name}: what its instructions do is not recorded"
    return (
        f"{name} is {row['bound'] or _UNBOUND}: {percent(row['memory_share'])} of its instructions "
        "access memory"
    )


def compared_table(one: Row, other: Row) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the heading and the lines of a table with a figure of both programs in each line."""
    header = ["figure", *(cell(row["run_id"]) for row in (one, other)), "ratio"]
    lines: list[tuple[Any, ...]] = []
    for name, title in _COMPARED.items():
        a, b = one[name], other[name]
        if a is None and b is None:
            continue
        if isinstance(a or b, str):
            lines.append((title, a, b, None))
        else:
            ratio = three_digits(b / a) if a and b is not None else None
            lines.append((title, *(three_digits(value) for value in (a, b)), ratio))
    return header, lines


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
    why = "; ".join(map(flag_text, _reasons(row))) or _UNKNOWN
    if divergent is None and synchronising is None:
        return f"divergence and synchronisation are unknown ({why})"
    if divergent is None:
        maybe_not = "" if synchronising else "not "
        return f"synchronisation is {maybe_not}prominent; divergence is unknown ({why})"
    if synchronising is None:
        maybe_not = "" if divergent else "not "
        return f"branch divergence is {maybe_not}prominent; {why}"
    return _VERDICTS[row["verdict"]]


def _reasons(row: Row) -> list[Flag]:
    """Return why a part of the verdict is unknown."""
    note, lanes = row["note"], row["simt_note"]
    every = [note] if row["synchronising"] is None else []
    if row["divergent"] is None:
        every = [note, lanes] if every else [lanes or note]
    return [flag for flag in every if flag]


def _lanes(group: Sequence[Row]) -> str:
    values = _range(group, "simt_efficiency")
    if not values:
        return ""
    row = group[0]
    bound = ", at most" if row["simt_is_bound"] else ""
    text = f"SIMT efficiency {values}{bound}"
    # What is lost to warps that thread blocks do not fill is not lost to divergence.
    part_filled = any(
        other["idle_lane_share"] is not None
        and 1 - other["simt_efficiency"] - other["idle_lane_share"] > _FILLED
        for other in group
    )
    limit = row["simt_threshold"]
    if part_filled:
        idle = _range(group, "idle_lane_share", percent)
        expected = "" if limit is None else f" (divergent over {percent(1 - limit)})"
        text += f", as warps are not full: of the lanes that have a thread {idle} idle{expected}"
    else:
        expected = "" if limit is None else f" (divergent below {three_digits(limit)})"
        text += f"{expected}, the mean share of active lanes in a warp"
    kind = row["kind"] or (None if row["divergent"] is None else _PLAIN_KINDS[row["divergent"]])
    return f"{text}: {_KINDS[kind]}." if kind else f"{text}."


def _warps(group: Sequence[Row]) -> str:
    """Return how many warps diverge, and where the worst are."""
    worst = max(group, key=lambda row: row["divergent_warps"] or 0)
    if not worst["divergent_warps"]:
        return ""
    names = ", ".join(
        f"{warp['warp']}" if warp["block"] is None else f"{warp['warp']} of block {warp['block']}"
        for warp in worst["worst_warps"]
    )
    numbers = _range(group, "divergent_warps", str)
    return f"Warps whose lanes part: {numbers} of {_range(group, 'warps', str)}; worst: {names}."


def _fluctuation(group: Sequence[Row]) -> str:
    row = group[0]
    values = _range(group, "fluctuation")
    limit = row["fluctuation_threshold"]
    if not values or limit is None or row["divergent"] is None:
        return ""
    over = {other["fluctuation"] > limit for other in group if other["fluctuation"] is not None}
    meaning = flag_text(row["contradiction"]) or (
        "neighbouring threads take different paths"
        if over == {True}
        else "neighbouring threads take nearly the same paths"
    )
    return f"Fluctuation rate {values} (prominent over {three_digits(limit)}): {meaning}."


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
    return f"{text}: barriers per visit of a basic block{_of_instructions(group)}{pairs}."


def _of_instructions(group: Sequence[Row]) -> str:
    """Return which share of the executed instructions barriers are, where that is known."""
    shares, row = _range(group, "sync_share", percent), group[0]
    if not row["sync_share"]:
        return ""
    over = row["sync_threshold"] is not None and row["sync_rate"] > row["sync_threshold"]
    few = ", too few to matter" if over and row["synchronising"] is False else ""
    return f", {shares} of the executed instructions{few}"


def _similarity(group: Sequence[Row]) -> str:
    row = group[0]
    different, threads = _range(group, "distinct_vectors"), _range(group, "threads")
    if not different or threads == "1":
        return ""
    if different == "1":
        return f"All {threads} threads have the same basic-block vector."
    text = f"{different} different basic-block vectors among {threads} threads"
    distance = _range(group, "mean_distance", amount)
    if not distance:
        return f"{text}."
    unit = " visits" if row["visits"] is not None else ", as shares of instructions,"
    return f"{text}; two threads of a thread block are {distance}{unit} apart on average."


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


def _representative(row: Row) -> str | None:
    if row["thread"] is None:
        return None
    place = "" if row["block"] is None else f"block {row['block']}, "
    return f"{place}thread {row['thread']}"


_KERNEL = {"kernel": _KERNEL_IN_TABLE}
LAUNCHES = table(
    "launch kernel verdict kind threads blocks distinct_vectors fluctuation simt_efficiency "
    "sync_rate mean_distance",
    _KERNEL,
)
KERNELS = table(
    "kernel verdict kind bound launches divergent_launches instructions divergent_share "
    "memory_share simt_efficiency sync_rate",
    _KERNEL,
    kernel=lambda row: "(program)" if row["scope"] == "program" else row["kernel"],
)
GROUPS = table(
    "launch behaviour_group threads share distinct_vectors representative radius",
    behaviour_group=lambda row: row["behaviour_group"] or "rest",
    representative=_representative,
)
WARPS = table("launch block warp threads simt_efficiency idle_lanes")
BLOCKS = table(
    "block threads distinct_vectors fluctuation mean_distance max_distance brightness "
    "sync_consistency"
)
PHASES = table("launch block thread phase weight intervals first_interval interval")
