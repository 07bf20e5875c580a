"""The history of an application: since when metrics changed, by how much, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from apps.output import Row, amount, cell, chance, day, dicts, signed_percent, table_text
from apps.queries.gate import gate_runs
from apps.queries.trend import EVERY_METRIC, trend_changes, trend_mixed, trend_series
from apps.reports.series import TOTALS, series_name, shown_fields
from warehouse.errors import NothingToAnalyse

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

LEAST_POINTS = 10
_SAID = 12
_CHARTS = 4
_LINES = 30


def trend_text(
    con: DuckDBPyConnection, app: str, metrics: Sequence[str], machine: str | None
) -> str:
    """Return the history in words, charts and tables; raises `NothingToAnalyse` without a series.

    Without `metrics` the times of the whole come first where they changed, then the metrics with
    the largest changes. What all series have in common is said once.
    """
    changes = dicts(trend_changes(con, app, metrics or EVERY_METRIC, machine))
    wanted = metrics or [*_first(changes), *TOTALS]
    series = dicts(trend_series(con, app, wanted, machine))
    if not series and not metrics:
        series = dicts(trend_series(con, app, EVERY_METRIC, machine))
    if not series:
        raise _nothing(con, app, metrics, machine)
    by_series: dict[str, list[Row]] = {}
    for change in changes:
        by_series.setdefault(_key(change), []).append(change)
    if not metrics:
        series.sort(key=lambda row: _rank(row["metric"], by_series.get(_key(row), [])))
    alike = all(row["fields"] == series[0]["fields"] for row in series)
    names = [series_name(row["metric"], None if alike else row["fields"]) for row in series]
    told = [
        (name, row, by_series.get(_key(row), [])) for name, row in zip(names, series, strict=True)
    ]
    said = [sentence for line in told for sentence in _said(*line)]
    if len(said) > _SAID:
        said = [*said[:_SAID], f"{len(said) - _SAID} more: see the tables, or ask with --metric."]
    said += _mixed(con, app)
    heading = f"History of {series_name(app, series[0]['fields'] if alike else None)}"
    parts = [heading, "\n".join(f"* {sentence}" for sentence in said)]
    parts += [chart(*line) for line in told[:_CHARTS]]
    if changes:
        parts.append(_table("Changes", CHANGES, [change_line(row) for row in changes]))
    parts.append(_table("Series", SERIES, [series_line(row) for row in series]))
    return "\n\n".join(parts)


def _table(title: str, names: Sequence[str], lines: Sequence[tuple[Any, ...]]) -> str:
    more = len(lines) - _LINES
    end = f"\n... and {more} more; --format csv gives all" if more > 0 else ""
    return f"{title}\n{table_text(names, lines[:_LINES])}{end}"


def _key(row: Row) -> str:
    return f"{row['metric']} {row['fields']}"


def _first(changes: Sequence[Row]) -> list[str]:
    """Return the metrics with the largest changes, as many as are shown."""
    return list(dict.fromkeys(row["metric"] for row in changes))[:_SAID]


def _rank(metric: str, changes: Sequence[Row]) -> tuple[int, bool, float]:
    """Order series: times of the whole that changed, then changes for the worse or the better."""
    known = any(change["direction"] for change in changes)
    total = bool(changes) and metric in TOTALS
    return (
        not total,
        not known,
        -max((abs(change["change"] or 0) for change in changes), default=-1),
    )


def _said(name: str, row: Row, changes: Sequence[Row]) -> list[str]:
    if changes:
        return [_change(name, change) for change in sorted(changes, key=lambda c: c["index"])]
    if row["points"] < LEAST_POINTS:
        return [
            f"{name}: {row['points']} runs are too few to look for changes; {LEAST_POINTS} are "
            "needed."
        ]
    middle = amount(median(point["value"] for point in row["series"]), row["unit"])
    return [f"{name}: no change in {row['points']} runs; the median is {middle}."]


def _change(name: str, row: Row) -> str:
    """Say of a change since when, how much, which way and how sure."""
    version = f", version {cell(row['version'])}" if row["version"] is not None else ""
    size = signed_percent(row["change"]) or "from nothing"
    direction = row["direction"] or "not known to be better or worse"
    return (
        f"{name}: {size}, {direction}, since run {cell(row['run_id'])}{version}, {day(row)}: "
        f"{amount(row['before'], row['unit'])} before, {amount(row['after'], row['unit'])} after "
        f"({chance(row['p_value'])})."
    )


def _mixed(con: DuckDBPyConnection, app: str) -> list[str]:
    return [
        f"Mind: a series holds {row['most']} values of {row['field']} ({cell(row['said'])}), "
        "which is none of the fields that tell series apart."
        for row in dicts(trend_mixed(con, app))
    ]


def _nothing(
    con: DuckDBPyConnection, app: str, metrics: Sequence[str], machine: str | None
) -> NothingToAnalyse:
    runs = dicts(gate_runs(con, app))
    if not runs:
        return NothingToAnalyse(f"there are no runs of {app!r}", hint="pwh runs lists them.")
    if all(row["started_at"] is None for row in runs):
        return NothingToAnalyse(
            f"no run of {app} says when it started, so there is no order",
            hint="pwh ingest --started-at says it.",
        )
    of = f" of {', '.join(metrics)}" if metrics else ""
    on = f" on {machine}" if machine else ""
    return NothingToAnalyse(
        f"{app} has no series{of}{on}",
        hint=f"pwh sql \"SELECT DISTINCT metric, machine FROM metric_series WHERE app = '{app}'\"",
    )


_BLOCKS = "▁▂▃▄▅▆▇█"
_WIDTH = 72

CHANGES = ("metric", "fields", "run", "version", "date", "before", "after", "change", "is", "p")
SERIES = ("metric", "fields", "runs", "first", "last", "median", "latest", "unit")


def change_line(row: Row) -> tuple[Any, ...]:
    """Return a change point as a line under `CHANGES`."""
    return (
        cell(row["metric"], 40),
        shown_fields(row["fields"]),
        cell(row["run_id"], 24),
        row["version"],
        day(row),
        float(f"{row['before']:.4g}"),
        float(f"{row['after']:.4g}"),
        signed_percent(row["change"]),
        row["direction"],
        f"{row['p_value']:.2g}",
    )


def series_line(row: Row) -> tuple[Any, ...]:
    """Return a series as a line under `SERIES`."""
    points = row["series"]
    values = [point["value"] for point in points]
    return (
        cell(row["metric"], 40),
        shown_fields(row["fields"]),
        row["points"],
        day(points[0]),
        day(points[-1]),
        float(f"{median(values):.4g}"),
        float(f"{values[-1]:.4g}"),
        row["unit"],
    )


def chart(name: str, row: Row, changes: Sequence[Row]) -> str:
    """Draw a series as blocks from its smallest to its largest value, with marks at changes.

    A block is one run, or the median of several where they are too many for a line.
    """
    values = [point["value"] for point in row["series"]]
    per_block = -(-len(values) // _WIDTH)
    groups = [values[i : i + per_block] for i in range(0, len(values), per_block)]
    shown = [median(group) for group in groups]
    low, high = min(shown), max(shown)
    line = "".join(_block(value, low, high) for value in shown)
    places = {change["index"] // per_block for change in changes}
    marks = "".join("^" if i in places else " " for i in range(len(shown))).rstrip()
    runs = "a block a run" if per_block == 1 else f"a block {per_block} runs (median)"
    title = (
        f"{name}: {amount(low, row['unit'])} to "
        f"{amount(high, row['unit'])}, {day(row['series'][0])} to {day(row['series'][-1])}, {runs}"
    )
    return "\n".join([title, f"  {line}", *([f"  {marks}"] if marks else [])])


def _block(value: float, low: float, high: float) -> str:
    if high == low:
        return _BLOCKS[3]
    return _BLOCKS[round((value - low) / (high - low) * (len(_BLOCKS) - 1))]
