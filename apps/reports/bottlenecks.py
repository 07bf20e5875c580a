"""Bottlenecks of runs: the verdict in sentences, and the tables behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from apps.output.numbers import counted, percent
from apps.output.tables import dicts, table_of
from apps.output.text import cell, first_names, short_name, version_text
from apps.queries.base import ask, ask_column, ask_dicts
from apps.reports.flags import flag_text
from warehouse.errors import NothingToAnalyse
from warehouse.session import Connection, Relation

_UNKNOWN = "Unknown"
_SHOWN = 20
_NAMED = 4
_REGION = 40
# A class with a smaller share of the weight is not named beside the verdict.
_LEAST_NAMED = 0.005
# Categories that take most issue slots in a smaller share of the samples are no phase.
_LEAST_PHASE = 0.05
# What limits a kernel: in words, and what usually helps.
_KERNEL_LIMITS = {
    "memory_bandwidth": (
        "The bandwidth of memory limits",
        "fewer bytes moved (coalesced accesses, reuse in shared memory and registers, smaller "
        "types, kernels joined)",
    ),
    "memory_latency": (
        "Waiting for memory limits",
        "more loads at a time (independent loads in a thread, more warps), data nearer, no chains "
        "of pointers",
    ),
    "compute": (
        "Compute limits",
        "fewer or cheaper instructions (lower precision, tensor cores)",
    ),
    "shared_memory": (
        "Shared memory limits",
        "no bank conflicts (padding, another layout), wider accesses, values kept in registers",
    ),
    "local_memory": (
        "Local memory (spilled registers, arrays of a thread) limits",
        "fewer live values, more registers to a thread (launch bounds), arrays with constant "
        "indices",
    ),
    "divergence": (
        "Threads of a warp that take different ways limit",
        "the same way for all threads of a warp: data sorted, work assigned by warp, selects for "
        "branches",
    ),
    "atomics": (
        "Atomic operations on the same places limit",
        "sums by warp and by block first, one atomic operation for each block",
    ),
    "barriers": (
        "Waiting at barriers limits",
        "more work between barriers, smaller blocks and more of them on a multiprocessor, "
        "barriers of a warp",
    ),
    "few_blocks": (
        "Fewer blocks than multiprocessors limit",
        "a larger grid: smaller blocks, or work split further",
    ),
    "tail": (
        "Blocks that run on while most multiprocessors are idle limit",
        "work split evenly over more and smaller blocks, the longest first",
    ),
    "occupancy": (
        "Too few warps to hide latencies limit",
        "more warps to a scheduler (less shared memory and fewer registers to a block, larger "
        "grids), more independent instructions to a thread",
    ),
    "memory": (
        "Memory limits",
        "fewer bytes moved (reuse in shared memory and registers, coalesced accesses, smaller "
        "types, kernels joined)",
    ),
    "both": ("Memory and compute limit", "less work, as memory and compute are both busy"),
    "latency": (
        "Latency, as neither memory nor compute reaches 60 % of its peak, limits",
        "more work at a time (larger grids, more warps to a scheduler, more independent "
        "instructions to a thread)",
    ),
}
_MISSING = "metrics_missing"
_LEVEL_1 = {"retiring", "bad_speculation", "frontend_bound", "backend_bound"}
# Which few tools count: a verdict that lacks them says so.
_LEVEL_3 = {"page_walks", "fetch_misses"}
_MEANINGS = {
    "Mem": "main memory",
    "DTB": "address translation",
    "ICache": "instruction fetch",
    "DMA": "transfers between memories",
    "Balance": "none stands out",
}
_UNITS = {"cycles": "cycles", "seconds": "time", "samples": "samples", "runs": "runs"}


def bottleneck_sentences(con: Connection, runs: Sequence[str]) -> list[str]:
    """Return the verdict on runs: the main bottleneck, its probability, its drivers, what helps.

    Of several versions it is that on the newest. Raises `NothingToAnalyse` where the runs have no
    counters.
    """
    of_newest = ask_dicts(con, "bottlenecks/newest", runs=runs)
    newest = [row["run_id"] for row in of_newest]
    found = ask_dicts(con, "bottlenecks/verdict", runs=newest, by="run")
    if not found:
        raise NothingToAnalyse(
            "there are no counters to diagnose",
            hint="Ingest those of perf stat, PAPI, LIKWID, Caliper, gem5, Nsight Compute ...",
        )
    (verdict,) = found
    heaviest = verdict["classes"][: verdict["tied"]]
    known = [part for part in heaviest if part["class"] != _UNKNOWN]
    classes = ask_dicts(con, "bottlenecks/classes", runs=newest, rank=None)
    sentences = _topdown_sentences(con, newest, advises=not known)
    has_slots = bool(sentences)
    sentences += _kernel_sentences(con, newest)
    subject = "The class is " if sentences and not known else ""
    # What is known comes first.
    sentences.insert(
        0 if known else len(sentences),
        _version(of_newest[0]) + subject + _verdict_sentence(verdict),
    )
    sentences += _region_sentences(con, newest)
    for part in known:
        (row,) = (row for row in classes if row["class"] == part["class"])
        if names := row["drivers"]:
            it = part["class"] if len(known) > 1 else "it"
            sentences.append(f"What drove {it}: {', '.join(map(cell, names))}.")
    sentences += _cost_sentences(con, newest)
    sentences += contradiction_sentences(con, newest)
    for part in known:
        advice = part["advice"]
        where = f" where it is {part['class']}" if len(known) > 1 else ""
        sentences.append(
            f"What usually helps{where}: {advice[:1].lower()}{advice[1:].removesuffix('.')}."
        )
    notes = {
        f"Note: {flag_text(flag)}."
        for row in classes
        for flag in row["flags"] or []
        if flag["code"] != _MISSING
    }
    sentences += sorted(notes)
    return sentences + _not_measured(con, newest, has_slots)


def contradiction_sentences(con: Connection, runs: Sequence[str]) -> list[str]:
    """Return which counts of runs contradict each other: a part that is larger than its whole."""
    rows = ask_dicts(con, "bottlenecks/contradictions", runs=runs)
    sentences = []
    for row in rows[:_NAMED]:
        part, whole, worst = cell(row["part"]), cell(row["whole"]), row["worst"]
        message = f"{part} are more than the {whole} that they are a part of"
        if worst["whole"] and worst["ratio"] > 1:
            message += f" ({worst['part']:,.0f} of {worst['whole']:,.0f})"
        if row["samples"] > 1:
            message += f", in {row['contradictions']} of {row['samples']} samples"
        sentences.append(
            f"Implausible: {message}. They were counted at other times, or count other things on "
            "this processor."
        )
    if len(rows) > _NAMED:
        sentences.append(f"Implausible, too: {len(rows) - _NAMED} more pairs of events.")
    return sentences


def _version(newest: dict[str, Any]) -> str:
    if newest["versions"] == 1:
        return ""
    version = newest["version"]
    name = "without a version" if version is None else f"of version {version_text(version)}"
    return f"The runs {name}, the newest of {newest['versions']}: "


def _verdict_sentence(verdict: dict[str, Any]) -> str:
    """Return the class of runs, how much of them it is, its probability, and the other classes."""
    tied, classes = verdict["tied"], verdict["classes"]
    unit = _UNITS[verdict["weighed_by"]]
    first = classes[0]
    rest = ", ".join(
        f"{part['class']} {percent(part['share'])}"
        for part in classes[tied:_NAMED]
        if part["share"] >= _LEAST_NAMED
    )
    also = f"; also {rest}" if rest else ""
    if tied > 1:
        shares = " and ".join(
            f"{part['class']} {percent(part['share'])}" for part in classes[:tied]
        )
        unknown = [f"; Unknown: {_reason(p)}" for p in classes[:tied] if p["class"] == _UNKNOWN]
        return f"A tie: {verdict['class']} ({shares} of the {unit}){''.join(unknown)}{also}."
    of = _amount(first, verdict["all_samples"], unit)
    if first["class"] == _UNKNOWN:
        return f"Unknown ({of}): {_reason(first)}{also}."
    basis = (
        f"labelled by {cell(first['said_by'])}"
        if first["said_by"]
        else f"mean probability {_stated(first['probability'])}"
    )
    meaning = _MEANINGS.get(first["class"])
    named = f"{first['class']}, {meaning}" if meaning else first["class"]
    return f"{named} ({of}, {basis}){also}."


def _reason(part: dict[str, Any]) -> str:
    """Return why samples are Unknown: the reason with the most weight, and whether it is alone."""
    reason = flag_text(part["reason"]) or "no reason is known"
    if part["reasons"] < 2:
        return reason
    others = counted(part["reasons"] - 1, "other reason")
    return f"{reason}; there {'are' if part['reasons'] > 2 else 'is'} {others} for the rest"


def _stated(probability: float) -> str:
    """Return a probability as per cent: no verdict is certain."""
    return "over 99 %" if probability > 0.99 else percent(probability)


def _amount(part: dict[str, Any], samples: int, unit: str) -> str:
    if samples == 1:
        return "the one sample"
    count = f"{part['samples']} of {samples} samples"
    return count if unit == "samples" else f"{percent(part['share'])} of the {unit}, {count}"


def _region_sentences(con: Connection, runs: Sequence[str]) -> list[str]:
    """Return which region has which class where regions differ, that with most cycles first."""
    places = ask_dicts(con, "bottlenecks/verdict", runs=runs, by="region")
    if len({place["class"] for place in places}) < 2:
        return []
    named = ", ".join(
        f"{_region(place['region'])} {place['class']} ({percent(place['of_all'])})"
        for place in places[:_NAMED]
    )
    more = f", and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    return [f"Regions by their share of the {_UNITS[places[0]['weighed_by']]}: {named}{more}."]


def _region(name: str | None) -> str:
    return "outside of regions" if name is None else short_name(cell(name, None), _REGION)


def _limit(threshold: float | None, vendor: str) -> str:
    """Return from which share on a category limits a program, and by whose rule."""
    if not threshold:
        return ""
    rule = "" if vendor == "Intel" else f": {vendor}'s event files state none"
    return f"; a limit over {percent(threshold)}, by Intel's rule{rule}"


def _topdown_sentences(con: Connection, runs: Sequence[str], *, advises: bool) -> list[str]:
    """Return where the issue slots of top-down recordings went, by category and region."""
    rows = ask_dicts(con, "bottlenecks/topdown", runs=runs)
    by_category: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_category.setdefault(row["category"], []).append(row)
    sentences, advice = [], None
    for category, found in sorted(by_category.items(), key=lambda item: -len(item[1])):
        worst = max(found, key=lambda row: row["share"])
        advice = advice or worst["advice"]
        # Tools report parts as shares of all slots or of their category: only the order is certain.
        part = f", mostly {worst['part'].replace('_', ' ')}" if worst["part_share"] else ""
        name = category.replace("_", " ")
        slots = f"({percent(worst['share'])}{part}{_limit(worst['threshold'], worst['vendor'])})"
        if "," in category:
            name = f"{name} take equally many issue slots"
        else:
            name = f"{name} takes most issue slots"
        if len(rows) == 1:
            sentences.append(f"Top-down: {name} {slots}{_over_time(worst['largest_over_time'])}.")
            break
        where = worst["run_id"] if worst["region"] is None else worst["region"]
        sentences.append(
            f"Top-down: {name} in {len(found)} of {len(rows)} "
            f"places, most in {cell(where)} {slots}."
        )
    is_advised = advises and advice is not None
    return (
        [*sentences, f"What usually helps against the largest loss: {advice}."]
        if is_advised
        else sentences
    )


def _over_time(categories: list[dict[str, Any]] | None) -> str:
    """Return which categories take most issue slots in how much of a recording that differs."""
    large = [one for one in categories or [] if one["share"] >= _LEAST_PHASE]
    if len(large) < 2:
        return ""
    named = [f"{one['name'].replace('_', ' ')} in {percent(one['share'])}" for one in large]
    largest = ", ".join(named)
    return f"; samples differ: the largest is {largest} of the recording, by slots or time"


def _kernel_sentences(con: Connection, runs: Sequence[str]) -> list[str]:
    """Return what limits the kernels of a GPU, those with the most time first, and what helps."""
    rows = ask_dicts(con, "bottlenecks/speed_of_light", runs=runs)
    by_bound: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        limit = row["limited_by"]
        by_bound.setdefault(row["bound"] if limit == "unknown" else limit, []).append(row)
    found = sorted(by_bound.items(), key=lambda item: -_seconds(item[1]))
    is_timed, total = all(row["seconds"] for row in rows), _seconds(rows)
    sentences = []
    for bound, kernels in found:
        share = _seconds(kernels) / total if is_timed else None
        if share is not None and share < _LEAST_NAMED:
            continue
        time = "" if share is None else f" ({percent(share)} of the time measured)"
        first = kernels[0]
        name = _region(first["kernel"])
        limited = f"the GPU kernel {name}{time}"
        names = {row["kernel"] for row in kernels}
        if len(names) > 1:
            every = {row["kernel"] for row in rows}
            limited = f"{len(names)} of {len(every)} GPU kernels{time}, most {name}"
        sentences.append(
            f"{_KERNEL_LIMITS[bound][0]} {limited}: memory reaches "
            f"{percent(first['memory_share'])} of its peak, compute "
            f"{percent(first['compute_share'])}."
        )
        if first["rules"]:
            sentences.append(
                f"Nsight Compute's rules estimate for {name}: {', '.join(first['rules'])} faster."
            )
    if found:
        sentences.append(f"What usually helps: {_KERNEL_LIMITS[found[0][0]][1]}.")
    return sentences


def _seconds(kernels: Sequence[dict[str, Any]]) -> float:
    return sum(row["seconds"] or 0 for row in kernels)


def _not_measured(con: Connection, runs: Sequence[str], has_slots: bool) -> list[str]:
    """Return which metrics the recordings lack, and the events that they are made of."""
    by_set: dict[str, list[str]] = {}
    rows = ask_dicts(con, "bottlenecks/missing", runs=runs)
    rows = [row for row in rows if row["metric"] not in _LEVEL_3]
    if has_slots and {row["metric"] for row in rows} >= _LEVEL_1:
        # They follow from those of level 2.
        rows = [row for row in rows if row["metric"] not in _LEVEL_1]
    for row in rows:
        events = " + ".join(map(cell, row["events"]))
        by_set.setdefault(row["metric_set"], []).append(f"{cell(row['title'])} ({events})")
    return [
        f"Note: not measured of the set {cell(name)}: {first_names(found, _NAMED)}."
        for name, found in by_set.items()
    ]


def _cost_sentences(con: Connection, runs: Sequence[str]) -> list[str]:
    rows = [
        row
        for row in ask_dicts(con, "bottlenecks/costs", runs=runs, rank=None)
        if row["share"] >= 0.05
    ]
    if not rows:
        return []
    parts = [
        f"{row['component']} {percent(row['share'])} "
        f"(band {percent(row['low'])} to {percent(row['high'])})"
        for row in sorted(rows, key=lambda row: -row["share"])
    ]
    return [f"Cycles that a cure could save at most: {', '.join(parts)}."]


def bottleneck_tables(con: Connection, runs: Sequence[str], by: str | None) -> list[str]:
    """Return the tables below the verdict: classes and metrics, or a verdict for each place."""
    if by is not None:
        return [_limited(ask(con, f"bottlenecks/by_{by}", runs=runs))]
    runs = [row["run_id"] for row in ask_dicts(con, "bottlenecks/newest", runs=runs)]
    slots = ask(con, "bottlenecks/topdown", runs=runs)
    tables = []
    if slots.limit(1).fetchall():
        tables.append(_limited(slots.project("* EXCLUDE (run_id, largest_over_time, advice)")))
    kernels = ask(con, "bottlenecks/speed_of_light", runs=runs)
    if kernels.limit(1).fetchall():
        tables.append(_limited(kernels.project("* EXCLUDE (run_id)")))
    if tables and not ask_column(con, "bottlenecks/by_counts", runs=runs):
        return tables
    classes = ask(con, "bottlenecks/classes", runs=runs, rank=None).project(
        "class, samples, share, probability"
    )
    return [*tables, _limited(classes), _limited(ask(con, "bottlenecks/metrics", runs=runs))]


def _limited(rows: Relation) -> str:
    return table_of(rows).text(dicts(rows.limit(_SHOWN)), total=len(rows))
