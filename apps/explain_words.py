"""The sentences of `pwh explain`: one for each thing that changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from apps.output import cell
from apps.thread_tables import number

Row = dict[str, Any]

_MOST = {"function": 4, "counter": 3, "bottleneck": 4, "scaling": 3, "idle": 3, "threads": 3}
_INSTRUCTIONS = ("instructions", "inst_retired.any", "papi_tot_ins")
_COSTS = {
    "frac_mem": "main memory",
    "frac_dtb": "data-TLB misses",
    "frac_icache": "instruction-cache misses",
    "frac_dma": "DMA",
}
_UNSURE = " (too few runs to tell it from noise)"


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, and the SQL that shows what it rests on."""

    words: str
    query: str | None = None


def findings(rows: Sequence[Row]) -> Iterator[Said]:
    """Give a sentence for each finding, of each topic only the best founded."""
    told: dict[str, int] = {}
    # where nothing is known of the noise the verdict says so for all
    unsure = any(row["topic"] == "metric" and row["certain"] is not None for row in rows)
    whole = [row for row in rows if is_total(row)] or [r for r in rows if r["topic"] == "metric"]
    loss = not whole or whole[0]["after"] > whole[0]["before"]
    for row in rows:
        topic = row["topic"]
        if topic not in _WORDS or is_total(row):
            continue
        if told.get(topic, 0) >= _MOST[topic] and not _is_instructions(row):
            continue
        if topic == "function" and row["share"] is not None and abs(row["share"]) < 0.05:
            continue
        follows = "same_count" in row["flags"]
        if topic == "counter" and follows and not _is_instructions(row):
            continue
        told[topic] = told.get(topic, 0) + (not _is_instructions(row))
        words = _WORDS[topic](row, "loss" if loss else "gain")
        yield Said(
            words + (_UNSURE if unsure and row["certain"] is None else "") + ".", row["query"]
        )


def is_total(row: Row) -> bool:
    """Say whether a row is of all functions together."""
    return bool(row["topic"] == "function" and row["subject"] is None)


def _is_instructions(row: Row) -> bool:
    return row["topic"] == "counter" and str(row["subject"]).split(":")[0].lower() in _INSTRUCTIONS


def _function(row: Row, what: str) -> str:
    name = cell(row["subject"])
    if "new" in row["flags"]:
        name += " (new)"
    if "gone" in row["flags"]:
        name += " (gone)"
    if row["share"] is None:
        return f"{name} {moved(row)}, though all functions together hardly changed: {from_to(row)}"
    if row["share"] < 0:
        return f"Against it, {name} {moved(row)}: {from_to(row)}"
    return f"{row['share']:.0%} of the {what} is in {name}: {from_to(row)}, it {moved(row)}"


def _bottleneck(row: Row, _what: str) -> str:
    place = "the program" if row["subject"] is None else cell(row["subject"])
    cost = ""
    if row["before"] is not None and row["after"] is not None:
        cost = (
            f"{_COSTS[row['metric']]} costs {row['before']:.0%} -> {row['after']:.0%} of its "
            "cycles at most"
        )
    if row["before_label"] == row["after_label"]:
        return f"In {place} {cost}; its bottleneck is {row['after_label']} as before"
    told = f"The bottleneck of {place} moved from {row['before_label']} to {row['after_label']}"
    return f"{told}: {cost}" if cost else told


def _counter(row: Row, _what: str) -> str:
    each = " per cycle" if row["metric"].startswith("per_cycle:") else ""
    return f"{cell(row['subject'])}{each} {moved(row)}: {from_to(row)}"


def _scaling(row: Row, _what: str) -> str:
    better = "worse" if row["direction"] == "worse" else "better"
    return (
        f"{cell(row['subject'])} scales {better}: its time goes with p^{row['before']:.2f} -> "
        f"p^{row['after']:.2f} ({cell(row['before_label'])} -> {cell(row['after_label'])} s)"
    )


def _idle(row: Row, _what: str) -> str:
    part = {"tail": "the time after the last task"}.get(row["subject"], row["subject"])
    words = (
        f"Idle workers: {part} went from {row['before']:.1f}% to {row['after']:.1f}% of their time"
    )
    labels = (row["before_label"], row["after_label"])
    if labels[0] != labels[1] and row["subject"] in labels:
        words += (
            f"; what dominates went from {row['before_label'] or 'nothing'} to "
            f"{row['after_label'] or 'nothing'}"
        )
    return words


def _threads(row: Row, _what: str) -> str:
    kernel = "the program" if row["subject"] is None else cell(row["subject"])
    verb = "diverge" if row["metric"] == "fluctuation" else "wait at barriers"
    began = "began to" if row["after"] > row["before"] else "no longer"
    return (
        f"The threads of {kernel} {began} {verb}: {row['metric']} {number(row['before'])} -> "
        f"{number(row['after'])}"
    )


_WORDS: dict[str, Callable[[Row, str], str]] = {
    "function": _function,
    "bottleneck": _bottleneck,
    "counter": _counter,
    "scaling": _scaling,
    "idle": _idle,
    "threads": _threads,
}


def moved(row: Row) -> str:
    """Say by how much a value rose or fell."""
    verb = "rose" if row["after"] > row["before"] else "fell"
    if row["change"] is None:
        return f"{verb} from nothing"
    if row["change"] >= 1:
        return f"{verb} to {1 + row['change']:.3g} times as much"
    return f"{verb} {abs(row['change']):.1%}"


def from_to(row: Row) -> str:
    """Give the values on both sides with their unit."""
    unit = "" if row["unit"] in (None, "1", "1/cycle") else f" {cell(row['unit'])}"
    return f"{row['before']:.4g}{unit} -> {row['after']:.4g}{unit}"
