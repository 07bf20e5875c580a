"""Two sets of runs in words: what got worse, by how much, and what cannot be said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from apps.output import Row, amount, cell, interval, ratio_percent, table_text
from apps.reports.series import TOTALS, series_name

_NAMED = 3
_TOTALS_SAID = 4
_LINES = 15


def comparison_text(title: str, rows: Sequence[Row], level: float) -> str:
    """Return the comparison: verdicts first, then a table a topic."""
    said = [*_totals(rows, level), *_counted(rows), *_differences(rows), *_doubts(rows)]
    parts = [title, "\n".join(f"* {sentence}" for sentence in said)]
    apart = _telling(rows)
    for topic, of in topics(both_sides(rows)):
        more = len(of) - _LINES
        end = f"\n... and {more} more; --format csv gives all" if more > 0 else ""
        lines = [metric_line(row, apart) for row in of[:_LINES]]
        parts.append(f"{topic}\n{table_text(METRICS, lines)}{end}")
    return "\n\n".join(parts)


def both_sides(rows: Sequence[Row]) -> list[Row]:
    """Return the rows whose configuration was run on both sides."""
    return [row for row in rows if _paired(row)]


def _paired(row: Row) -> bool:
    return row["fields_before"] is not None and row["fields_after"] is not None


def _fields(row: Row) -> dict[str, str]:
    found: dict[str, str] = row["fields_after"]
    return row["fields_before"] if found is None else found


def _telling(rows: Sequence[Row]) -> set[str]:
    """Return the fields by which configurations are told apart."""
    every = [_fields(row) for row in both_sides(rows)]
    names = {name for fields in every for name in fields}
    return {name for name in names if len({fields.get(name) for fields in every}) > 1}


def change(row: Row, level: float) -> str:
    """Say how much a metric changed, with the interval where there is one."""
    size = ratio_percent(row["ratio"]) or "no ratio"
    about = f"{amount(row['before'], row['unit'])} to {amount(row['after'], row['unit'])}"
    within = interval(row["low"], row["high"])
    return f"{size} ({about}" + (f"; {within} at {level:.0%})" if within else ")")


def _totals(rows: Sequence[Row], level: float) -> list[str]:
    said = []
    totals = [row for row in both_sides(rows) if row["metric"] in TOTALS]
    for row in totals[:_TOTALS_SAID]:
        verdict = {
            "same": "no change beyond the noise",
            "unknown": "the noise is unknown, so there is no verdict",
        }.get(row["verdict"], row["verdict"])
        name = series_name(row["metric"], _fields(row))
        said.append(f"{name}: {verdict}: {change(row, level)}.")
    if len(totals) > _TOTALS_SAID:
        said.append(f"{len(totals) - _TOTALS_SAID} more times of the whole: see the table.")
    return said


def _counted(rows: Sequence[Row]) -> list[str]:
    """Say how many metrics got worse or better, and name the first of them."""
    counts = Counter(row["verdict"] for row in rows)
    tested = sum(counts[v] for v in ("worse", "better", "changed", "same"))
    said = []
    if tested and not counts["worse"]:
        said.append(
            f"Nothing got worse beyond the noise; metrics compared: {tested}, corrected for their "
            "number."
        )
    for verdict, words in (
        ("worse", "got worse beyond the noise"),
        ("changed", "changed, not known to be better or worse"),
        ("better", "got better"),
    ):
        if found := [row for row in rows if row["verdict"] == verdict]:
            said.append(f"{len(found)} of {tested} metrics {words}: {_named(found)}.")
    for verdict, words in (("new", "are new"), ("gone", "are gone")):
        if found := [row for row in both_sides(rows) if row["verdict"] == verdict]:
            said.append(f"{len(found)} metrics {words}: {_named(found)}.")
    return said


def _named(rows: Sequence[Row]) -> str:
    def one(row: Row) -> str:
        size = ratio_percent(row["ratio"])
        return cell(row["metric"]) + (f" {size}" if size else "")

    more = f" and {len(rows) - _NAMED} more" if len(rows) > _NAMED else ""
    return ", ".join(one(row) for row in rows[:_NAMED]) + more


def _differences(rows: Sequence[Row]) -> list[str]:
    """Say what the two sides differ in beside the version, and what only one of them has."""
    said = []
    apart: dict[str, tuple[str | None, str | None]] = {}
    for row in filter(_paired, rows):
        before, after = row["fields_before"], row["fields_after"]
        for field in sorted({*before, *after}):
            if before.get(field) != after.get(field):
                apart[field] = (before.get(field), after.get(field))
    for field, (before, after) in apart.items():
        said.append(f"Mind: the sides differ in {field}: {cell(before)} and {cell(after)}.")
    alone = {(cell(_fields(row)), row["verdict"]) for row in rows if not _paired(row)}
    for fields, verdict in sorted(alone):
        said.append(f"Only {'after' if verdict == 'new' else 'before'}, so left out: {fields}.")
    return said


def _doubts(rows: Sequence[Row]) -> list[str]:
    unknown = [row for row in rows if row["verdict"] == "unknown"]
    said = []
    if unknown:
        said.append(
            f"The noise of {len(unknown)} metrics is unknown: no verdict. Run each side at least "
            "twice, or keep a history of 8 runs on the same machine."
        )
    if history := sum(row["noise"] == "history" for row in rows):
        said.append(f"Of {history} metrics the noise is that of their history: one repetition.")
    if lent := sum(row["noise"] == "other side" for row in rows):
        said.append(f"Of {lent} metrics one side has one repetition: its noise is the other's.")
    return said


METRICS = ("metric", "verdict", "before", "after", "change", "interval", "p", "repetitions", "unit")
_TOPICS = (
    ("Functions", ("seconds",)),
    ("Counters", ("counter", "per_cycle")),
    ("Workers and their idle time", ("tasks", "idle")),
    ("Blocks and instruction streams", ("blocks", "segments")),
)


def topics(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """Put metrics under titles, those without a topic last; empty ones are left out."""
    found: dict[str, list[Row]] = {"Times of the whole": []}
    found |= {title: [] for title, _ in _TOPICS} | {"Other metrics": []}
    for row in rows:
        found[_topic(row["metric"])].append(row)
    return [(title, of) for title, of in found.items() if of]


def _topic(metric: str) -> str:
    if metric in TOTALS:
        return "Times of the whole"
    prefix = metric.partition(":")[0]
    return next((title for title, prefixes in _TOPICS if prefix in prefixes), "Other metrics")


def metric_line(row: Row, apart: Collection[str]) -> tuple[Any, ...]:
    """Return a metric as a line under `METRICS`, with the fields that tell configurations apart."""
    fields = row["fields_after"] or row["fields_before"] or {}
    own = {name: said for name, said in fields.items() if name in apart}
    name = cell(row["metric"], 40) + (f" ({cell(own, 19)})" if own else "")
    p = row["p_value"]
    return (
        name,
        row["verdict"],
        _short(row["before"]),
        _short(row["after"]),
        ratio_percent(row["ratio"]),
        interval(row["low"], row["high"]),
        None if p is None else f"{p:.2g}",
        f"{row['repetitions_before']}, {row['repetitions_after']}",
        row["unit"],
    )


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")
