"""Why the workers of a run idle: the verdict in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from apps.output import cell, dicts
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
    """Say what dominates, how much, whom it is blamed on, and what it would bring to mend it.

    Raises `NothingToAnalyse` where the run has no workers.
    """
    readings = {
        (row["mode"], row["latency_rule"]): row for row in dicts(idle_readings(con, run_id, window))
    }
    chosen = readings.get((mode, latency_rule))
    if chosen is None or not chosen["wall"]:
        raise NothingToAnalyse(
            f"the run {run_id} has no workers with time to look at",
            hint="pwh idle is for task runtimes: Dask, StarPU, or the neutral task tables.",
        )
    said = [_where_it_went(chosen), _dominant(chosen)]
    if mode == "direct" and (deep := readings.get(("transitive", latency_rule))):
        said += _root(chosen, deep)
    said += _blamed(con, run_id, mode, latency_rule, window, chosen)
    if window is None:
        said += _what_if(con, run_id)
    flags = dicts(idle_flags(con, run_id, mode, latency_rule))
    said += [f"{row['intervals']} intervals are flagged {row['flag']}." for row in flags]
    return [sentence for sentence in said if sentence]


def _where_it_went(row: dict[str, Any]) -> str:
    parts = ", ".join(f"{part} {row[f'{part}_percent']:.1f} %" for part in _PARTS)
    return (
        f"{row['workers']} workers were busy {row['busy_percent']:.1f} % of their time; {parts}; "
        f"{row['tail_percent']:.1f} % lies after their last task."
    )


def _dominant(row: dict[str, Any]) -> str:
    if row["dominant"] is None:
        return "No worker waited for anything."
    return f"{row['dominant'].capitalize()} dominates. {row['advice']}"


def _root(direct: dict[str, Any], deep: dict[str, Any]) -> list[str]:
    """Say what the root causes are, where they differ from the literal reading by a per cent."""
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
