"""Changes together with that of a run's time, a sentence a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from apps.output.numbers import (
    amount,
    amounts,
    exponent_text,
    interval,
    percent,
    signed_percent,
    three_digits,
)
from apps.output.tables import Row
from apps.output.text import cell
from apps.reports.flags import flag_codes, flag_text
from apps.reports.gpu import device_part

_MOST = {
    "device": 6,
    "function": 4,
    "counter": 3,
    "benchmark": 4,
    "bottleneck": 4,
    "scaling": 3,
    "idle": 3,
    "threads": 3,
}
_COSTS = {
    "frac_mem": "main memory costs",
    "frac_dtb": "data-TLB misses cost",
    "frac_icache": "instruction-cache misses cost",
    "frac_dma": "DMA costs",
}
_UNSURE = " (noise unknown, so not certain)"
SMALL_CHANGE = 0.1  # that an interval has to rule out


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, and the SQL query that shows the figures behind it."""

    text: str
    query: str | None = None


def finding_sentences(rows: Sequence[Row]) -> Iterator[Sentence]:
    """Yield a sentence for each finding, of each topic only those with the strongest evidence."""
    # Where nothing is known of the noise, the verdict on the main metric states it for all.
    unsure = not any(row["topic"] == "metric" and row["certain"] is None for row in rows)
    totals = totals_named(rows)
    listed = _listed(rows)
    last = next((row for row in reversed(listed) if row["topic"] == "function"), None)
    explained: dict[str, list[float]] = {}
    of_devices: list[float] = []
    for row in listed:
        topic, total = row["topic"], totals.get(row["unit"], "loss")
        text = _SENTENCES[topic](row, total)
        yield Sentence(text + _doubt(row, unsure) + ".", row["query"])
        if topic == "device" and row["share"] is not None:
            of_devices.append(row["share"])
            if row is listed[-1] or listed[listed.index(row) + 1]["topic"] != topic:
                share = sum(of_devices)
                others = "; others went the other way" if round(share, 3) > 1 else ""
                yield Sentence(f"Together that is {percent(share)} of it{others}.")
        if topic == "function" and row["share"] is not None:
            explained.setdefault(row["unit"], []).append(row["share"])
        if row is last:
            yield from _together(explained, totals)


def totals_named(rows: Sequence[Row]) -> dict[str, str]:
    """Return what the total of each unit of functions is called, of which they have shares.

    Times and costs in events are no parts of one another: what rose while the time fell is no loss.
    """
    found = [row for row in reversed(rows) if is_total(row) or row["topic"] == "metric"]
    grew = {row["unit"]: row["after"] > row["before"] for row in found}
    names = {}
    # Beside devices, functions have a part in the time of the host only.
    of = "host's " if any(row["topic"] == "device" for row in rows) else ""
    for unit, more in grew.items():
        if grew.get("s", more) == more:
            names[unit] = f"{of}{'loss' if more else 'gain'}"
        else:
            names[unit] = f"{'rise' if more else 'fall'} in {cell(unit)}"
    return names


def _together(
    explained: Mapping[str, Sequence[float]], totals: Mapping[str, str]
) -> Iterator[Sentence]:
    """Yield what the listed functions explain together, of each unit that several have."""
    for unit, shares in explained.items():
        if len(shares) > 1:
            total = totals.get(unit, "loss")
            kind = f" in {'time' if unit == 's' else cell(unit)}"
            if len(explained) == 1 or total.endswith(kind):
                kind = ""
            # more than all of it
            is_less = total.endswith("gain") or total.startswith("fall")
            others = f"; others took {'more' if is_less else 'less'}"
            yield Sentence(
                f"Together these {len(shares)} functions explain {percent(sum(shares))} of the "
                f"{total}{kind}{others if sum(shares) > 1 + SMALL_CHANGE else ''}."
            )


def _listed(rows: Sequence[Row]) -> list[Row]:
    """Return the findings of which there are sentences: of each topic the strongest."""
    shown: dict[str, int] = {}
    # The verdict has the main metric.
    verdicts = {row["metric"] for row in rows if row["topic"] == "metric"}
    found = []
    for row in rows:
        topic = row["topic"]
        if topic not in _SENTENCES or row["metric"] in verdicts:
            continue
        if is_total(row) and topic == "function":
            continue
        if shown.get(topic, 0) >= _MOST[topic] and not row["is_instructions"]:
            continue
        if topic == "function" and row["share"] is not None and abs(row["share"]) < 0.05:
            continue
        if (
            topic == "counter"
            and "same_count" in flag_codes(row["flags"])
            and not row["is_instructions"]
        ):
            continue
        shown[topic] = shown.get(topic, 0) + (not row["is_instructions"])
        found.append(row)
    return found


def _doubt(row: Row, unsure: bool) -> str:
    """Return what keeps a finding from being certain; `unsure` where that is not stated of all."""
    if row["topic"] == "device" and row["subject"] is not None and row["certain"] is None:
        return ""  # as of their total
    if "largest" in flag_codes(row["flags"]):
        return " (largest, not certain)"
    if row["certain"] is None:
        return _UNSURE if unsure else ""
    if "separated" in flag_codes(row["flags"]):
        return " (every run after lies beyond every run before)"
    return "" if row["certain"] else " (not certain)"


def is_total(row: Row) -> bool:
    """Return whether a finding is of all functions, or of devices, together."""
    return row["topic"] in {"function", "device"} and row["subject"] is None


def _function(row: Row, total: str) -> str:
    name = cell(row["subject"])
    name += "".join(f" ({flag_text(one)})" for one in row["flags"] if one["code"] == "renamed")
    if "new" in flag_codes(row["flags"]):
        name += " (new)"
    if "gone" in flag_codes(row["flags"]):
        name += " (gone)"
    if row["share"] is None:
        return (
            f"{name} {movement(row)}, though all functions together hardly changed: {from_to(row)}"
        )
    if "new" in flag_codes(row["flags"]):
        return f"{percent(row['share'])} of the {total} is in {name}: {from_to(row)}{_calls(row)}"
    if row["share"] < 0:
        return f"In the other direction, {name} {movement(row)}: {from_to(row)}"
    return (
        f"{percent(row['share'])} of the {total} is in {name}: {from_to(row)}, it {movement(row)}"
        f"{_calls(row)}"
    )


def _calls(row: Row, did: str = "called") -> str:
    """Return how much more or less often a function was called, where that changed by 10 %."""
    before, after = row["calls_before"], row["calls_after"]
    if not before or after is None or abs(after / before - 1) < SMALL_CHANGE:
        return ""
    return f", {did} {amount(after)} times instead of {amount(before)}"


def _bottleneck(row: Row, _total: str) -> str:
    place = "the program" if row["subject"] is None else cell(row["subject"])
    cost = ""
    if row["before"] is not None and row["after"] is not None:
        cost = (
            f"{_COSTS[row['metric']]} {percent(row['before'])} -> {percent(row['after'])} of "
            "its cycles at most"
        )
    if row["before_label"] == row["after_label"]:
        return f"In {place} {cost}; its bottleneck is {row['after_label']} as before"
    text = f"The bottleneck of {place} moved from {row['before_label']} to {row['after_label']}"
    return f"{text}: {cost}" if cost else text


def _counter(row: Row, _total: str) -> str:
    each = " per cycle" if row["metric"].startswith("per_cycle:") else ""
    return f"{cell(row['subject'])}{each} {movement(row)}: {from_to(row)}"


def _benchmark(row: Row, _total: str) -> str:
    return f"{cell(row['subject'])} {movement(row)}: {from_to(row)}"


def _scaling(row: Row, _total: str) -> str:
    how = "worse" if row["direction"] == "worse" else "better"
    before, after = (2 ** row[side] for side in ("before", "after"))
    return (
        f"{cell(row['subject'])} scales {how}: its time {exponent_text(row['before'])}, now "
        f"{exponent_text(row['after'])}, so that twice the processes take {percent(after)} of the "
        f"time instead of {percent(before)}"
    )


def _device(row: Row, _total: str) -> str:
    before, after = amounts([row["before"], row["after"]], "s")
    if row["subject"] is None:
        return (
            f"Devices took {after} from the first work to the last instead of {before}, "
            f"{signed_percent(row['change'])}"
        )
    text = f"{device_part(row['metric'])}: {before} -> {after}{_calls(row, 'run')}"
    if row["after_label"] is not None:
        text += f", most of it in {cell(row['after_label'])}"
    if row["share"] is None:
        return text
    if row["share"] < 0:
        return f"In the other direction, {percent(-row['share'])}: {text}"
    return f"{percent(row['share'])} of that is {text}"


def _idle(row: Row, _total: str) -> str:
    if row["metric"] == "slowdown":
        return _slow_worker(row)
    part = {"tail": "the time after the last task"}.get(row["subject"], row["subject"])
    text = (
        f"Idle workers: {part} went from {amount(row['before'], '%')} to "
        f"{amount(row['after'], '%')} of their time"
    )
    labels = (row["before_label"], row["after_label"])
    if labels[0] != labels[1] and row["subject"] in labels:
        text += (
            f"; the dominant cause went from {row['before_label'] or 'nothing known'} to "
            f"{row['after_label'] or 'nothing known'}"
        )
    return text


def _slow_worker(row: Row) -> str:
    if row["after"] > row["before"]:
        return (
            f"The worker {cell(row['after_label'])} is slow, or has the larger tasks: they take "
            f"{three_digits(row['after'])} times as long there as those of the same type on the "
            f"other workers, before {three_digits(row['before'])} times at most"
        )
    return (
        f"The worker {cell(row['before_label'])} was slow ({three_digits(row['before'])} times as "
        f"long for tasks of the same type); now {three_digits(row['after'])} times at most"
    )


def _threads(row: Row, _total: str) -> str:
    kernel = "the program" if row["subject"] is None else cell(row["subject"])
    verb = "diverge" if row["metric"] != "sync_rate" else "wait at barriers"
    more = row["after"] > row["before"]
    # Of full warps nothing diverges: there, less is more divergence.
    began = "began to" if more != (row["metric"] == "simt_efficiency") else "no longer"
    return (
        f"The threads of {kernel} {began} {verb}: {row['metric']} {three_digits(row['before'])} -> "
        f"{three_digits(row['after'])}"
    )


_SENTENCES: dict[str, Callable[[Row, str], str]] = {
    "device": _device,
    "function": _function,
    "bottleneck": _bottleneck,
    "counter": _counter,
    "benchmark": _benchmark,
    "scaling": _scaling,
    "idle": _idle,
    "threads": _threads,
}


def change_interval(row: Row) -> str | None:
    """Return the interval of a relative change, None if there is none."""
    ends = (row["change_low"], row["change_high"])
    return interval(*(None if end is None else 1 + end for end in ends))


def movement(row: Row) -> str:
    """Return by how much a value rose or fell."""
    verb = "rose" if row["after"] > row["before"] else "fell"
    if row["change"] is None:
        return f"{verb} from 0"
    if row["change"] >= 10:
        return f"{verb} to {1 + row['change']:.3g} times as much"
    return f"{verb} by {100 * abs(row['change']):.3g} %"


def from_to(row: Row) -> str:
    """Return the values on both sides with their unit."""
    unit = None if row["unit"] == "1/cycle" else row["unit"]
    return " -> ".join(amounts([row["before"], row["after"]], unit))
