"""Why the workers of a run idle: the verdict in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from apps.output import cell, counted, dicts
from apps.queries.idle import Window, idle_by, idle_flags, idle_readings, idle_what_if
from warehouse.errors import NothingToAnalyse

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_PARTS = ("starvation", "latency", "overhead")


def idle_sentences(
    con: DuckDBPyConnection,
    run_id: str,
    mode: str = "direct",
    latency_rule: str = "union",
    window: Window | None = None,
) -> list[str]:
    """Return where the time went, the dominant cause, the tasks to blame, and possible gains.

    Raises `NothingToAnalyse` where the run has no workers.
    """
    readings = {
        (row["mode"], row["latency_rule"]): row for row in dicts(idle_readings(con, run_id, window))
    }
    chosen = readings.get((mode, latency_rule))
    if chosen is None or not chosen["wall"]:
        raise NothingToAnalyse(
            f"the run {run_id} has no workers with recorded time",
            hint="pwh idle is for task runtimes: Dask, StarPU, or the neutral task tables.",
        )
    sentences = [_shares(chosen), _dominant_cause(chosen)]
    if mode == "direct" and (deep := readings.get(("transitive", latency_rule))):
        sentences += _root_causes(chosen, deep)
    sentences += _blamed(con, run_id, mode, latency_rule, window, chosen)
    if window is None:
        sentences += _what_if(con, run_id)
    flags = dicts(idle_flags(con, run_id, mode, latency_rule))
    sentences += [
        f"{counted(row['intervals'], 'interval')} flagged {row['flag']}." for row in flags
    ]
    return [sentence for sentence in sentences if sentence]


def _shares(row: dict[str, Any]) -> str:
    parts = ", ".join(f"{part} {row[f'{part}_percent']:.1f} %" for part in _PARTS)
    return (
        f"{counted(row['workers'], 'worker was', 'workers were')} busy {row['busy_percent']:.1f} % "
        f"of their time; {parts}; {row['tail_percent']:.1f} % is after their last task."
    )


def _dominant_cause(row: dict[str, Any]) -> str:
    if row["dominant"] is None:
        return "No worker waited for anything."
    return f"{row['dominant'].capitalize()} dominates. {row['advice']}"


def _root_causes(direct: dict[str, Any], deep: dict[str, Any]) -> list[str]:
    """Return the root causes, where they differ from the direct mode by a per cent."""
    if all(abs(direct[f"{p}_percent"] - deep[f"{p}_percent"]) < 1 for p in _PARTS):
        return []
    parts = ", ".join(f"{part} {deep[f'{part}_percent']:.1f} %" for part in _PARTS)
    return [f"Traced to its root (transitive): {parts}."]


def _blamed(
    con: DuckDBPyConnection,
    run_id: str,
    mode: str,
    latency_rule: str,
    window: Window | None,
    chosen: dict[str, Any],
) -> list[str]:
    rows = dicts(idle_by(con, run_id, "blamed", mode, latency_rule, window))
    starved = [row for row in rows if row["by"] is not None and row["starvation_seconds"] > 0]
    if not starved or not chosen["starvation"]:
        return []
    most = max(starved, key=lambda row: row["starvation_seconds"])
    share = most["starvation_seconds"] * 1e9 / float(chosen["starvation"])
    return [f"{share:.0%} of the starvation is blamed on tasks of the type {cell(most['by'])}."]


def _what_if(con: DuckDBPyConnection, run_id: str) -> list[str]:
    gains = [
        f"{row['change']} {row['percent']:.1f} %"
        for row in dicts(idle_what_if(con, run_id))
        if row["percent"] is not None
    ]
    return [f"What could be gained at most: {', '.join(gains)}."] if gains else []
