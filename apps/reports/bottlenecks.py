"""Bottlenecks of runs: the verdict in sentences, and the tables behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from apps.output import cell, dicts, table_text
from apps.queries.bottlenecks import (
    bottleneck_classes,
    bottleneck_costs,
    bottleneck_metrics,
    bottlenecks_by,
    topdown,
)
from warehouse.errors import NothingToAnalyse

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_UNKNOWN = "Unknown"
_SHOWN = 20
_FLAGS = {
    "multiplexed": "counters shared the hardware and are scaled up",
    "single_sample": "there is a single sample, so its noise is unknown",
    "summed": "counts are sums over places",
    "near_32_bits": "a count is near 2^32 and may have wrapped",
    "issue_width_assumed": "the core's issue width is assumed, not known",
    "metrics_missing": "some metrics of the set were not measured",
}


def bottleneck_sentences(con: DuckDBPyConnection, runs: Sequence[str]) -> list[str]:
    """Return the verdict on runs: the main bottleneck, its probability, its drivers, what helps.

    Raises `NothingToAnalyse` where the runs have no counters.
    """
    classes = dicts(bottleneck_classes(con, runs))
    if not classes:
        raise NothingToAnalyse(
            "there are no counters to diagnose",
            hint="Ingest those of perf stat, PAPI, LIKWID, Caliper, gem5, Nsight Compute ...",
        )
    first = classes[0]
    slots = _topdown_sentences(con, runs)
    sentences = [*slots, _main_class(first, classes)]
    if first["class"] != _UNKNOWN:
        sentences += _driver_sentences(first)
    sentences += _cost_sentences(con, runs)
    if first["class"] != _UNKNOWN:
        advice = first["advice"]
        sentences.append(f"What usually helps: {advice[:1].lower()}{advice[1:]}")
    flags = sorted({flag for row in classes for flag in row["flags"] or []})
    sentences += [f"Note: {_FLAGS.get(flag, flag)}." for flag in flags]
    return sentences


def _main_class(first: dict[str, Any], classes: Sequence[dict[str, Any]]) -> str:
    total = sum(row["samples"] for row in classes)
    of = f"{first['samples']} of {total} samples" if total > 1 else "the one sample"
    if first["class"] == _UNKNOWN:
        return f"Unknown ({of}): {first['reason'] or 'no reason is known'}."
    basis = (
        f"labelled by {cell(first['said_by'])}"
        if first["said_by"]
        else f"mean probability {first['probability']:.0%}"
    )
    rest = ", ".join(f"{row['class']} {row['share']:.0%}" for row in classes[1:4])
    return f"{first['class']} ({of}, {basis})" + (f"; also {rest}." if rest else ".")


def _driver_sentences(first: dict[str, Any]) -> list[str]:
    names = first["drivers"] or []
    return [f"What drove it: {', '.join(map(cell, names))}."] if names else []


def _topdown_sentences(con: DuckDBPyConnection, runs: Sequence[str]) -> list[str]:
    """Return where the issue slots of top-down recordings went, by category and region."""
    rows = dicts(topdown(con, runs))
    by_category: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_category.setdefault(row["category"], []).append(row)
    sentences = []
    for category, found in sorted(by_category.items(), key=lambda item: -len(item[1])):
        worst = max(found, key=lambda row: row["share"])
        # Tools report parts as shares of all slots or of their category: only the order is certain.
        part = f", mostly {worst['part'].replace('_', ' ')}" if worst["part_share"] else ""
        name = category.replace("_", " ")
        slots = f"({worst['share']:.0%}{part})"
        if len(rows) == 1:
            sentences.append(f"Top-down: {name} takes most issue slots {slots}.")
            continue
        sentences.append(
            f"Top-down: {name} takes most issue slots in {len(found)} of {len(rows)} "
            f"places, most in {cell(worst['region'])} {slots}."
        )
    return sentences


def _cost_sentences(con: DuckDBPyConnection, runs: Sequence[str]) -> list[str]:
    rows = [row for row in dicts(bottleneck_costs(con, runs)) if row["share"] >= 0.05]
    if not rows:
        return []
    parts = [
        f"{row['component']} {row['share']:.0%} (band {row['low']:.0%} to {row['high']:.0%})"
        for row in sorted(rows, key=lambda row: -row["share"])
    ]
    return [f"Cycles that a cure could save at most: {', '.join(parts)}."]


def bottleneck_tables(con: DuckDBPyConnection, runs: Sequence[str], by: str | None) -> list[str]:
    """Return the tables below the verdict: classes and metrics, or a verdict for each place."""
    if by is not None:
        return [_limited(bottlenecks_by(con, runs, by))]
    slots = topdown(con, runs)
    if slots.limit(1).fetchall():
        return [_limited(slots.project("* EXCLUDE (run_id)"))]
    classes = bottleneck_classes(con, runs).project("class, samples, share, probability")
    return [_limited(classes), _limited(bottleneck_metrics(con, runs))]


def _limited(relation: Any) -> str:
    rows = relation.limit(_SHOWN + 1).fetchall()
    text = table_text(relation.columns, rows[:_SHOWN])
    if len(rows) > _SHOWN:
        text += f"\nonly the first {_SHOWN} are shown; --format csv gives all"
    return text
