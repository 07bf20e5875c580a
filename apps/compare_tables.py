"""Tables of `pwh compare`: metrics by topic."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from apps.history_words import TOTALS, interval, ratio_percent
from apps.output import cell

METRICS = ("metric", "verdict", "before", "after", "change", "interval", "p", "repetitions", "unit")
_TOPICS = (
    ("Functions", ("seconds",)),
    ("Counters", ("counter", "per_cycle")),
    ("Workers and their idle time", ("tasks", "idle")),
    ("Blocks and instruction streams", ("blocks", "segments")),
)
Row = dict[str, Any]


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
    """Give a metric as a line under `METRICS`, with the fields that tell configurations apart."""
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
