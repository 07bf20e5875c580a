"""Questions about why workers idle."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from apps.queries.base import ask

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

Window = tuple[int, int]


class Reading(NamedTuple):
    """How waits are attributed, as in idle_attribution, and of which window: None for all time.

    `mode` is direct, propagated or transitive, `latency_rule` union or last_arrival; a window is
    from and to, in ns after clock correction.
    """

    mode: str = "direct"
    latency_rule: str = "union"
    window: Window | None = None


def _within(
    window: Window | None, con: DuckDBPyConnection, name: str, **params: Any
) -> DuckDBPyRelation:
    """Return the rows of a question about a whole run, or of NAME_window about a part of it."""
    if window is None:
        return ask(con, name, **params)
    return ask(con, f"{name}_window", **params, t0=window[0], t1=window[1])


def _in_reading(
    reading: Reading, con: DuckDBPyConnection, name: str, **params: Any
) -> DuckDBPyRelation:
    mode, latency_rule, window = reading
    return _within(window, con, name, **params, mode=mode, latency_rule=latency_rule)


def idle_readings(
    con: DuckDBPyConnection, run_id: str, window: Window | None = None
) -> DuckDBPyRelation:
    """Return where the workers' time went, a row for each mode and latency rule."""
    return _within(window, con, "idle/readings", run_id=run_id)


def idle_by(con: DuckDBPyConnection, run_id: str, by: str, reading: Reading) -> DuckDBPyRelation:
    """Return idle time by worker, node, type (of task) or blamed (type), the largest first."""
    return _in_reading(reading, con, "idle/by", run_id=run_id, by=by)


def slow_workers(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the workers on which tasks of the same type take longer than on the others."""
    return ask(con, "idle/slow_workers", run_id=run_id)


def tasks_in_turn(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return tasks that never run two at a time, though several workers run them: all, or types."""
    return ask(con, "idle/turns", run_id=run_id)


def long_calls(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return how many workers are in one call for nearly all of their time, one row; else none."""
    return ask(con, "idle/long_calls", run_id=run_id)


def clocks_apart(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the nodes whose clocks are furthest apart, one row; none where it is unproven."""
    return ask(con, "idle/clocks", run_id=run_id)


def nodes_apart(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the nodes that never ran at the same time, and were longer apart than any ran."""
    return ask(con, "idle/nodes_apart", run_id=run_id)


def idle_contradictions(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return how many idle intervals contradict themselves as skewed clocks make them, one row."""
    return ask(con, "idle/contradictions", run_id=run_id)


def lifecycle(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return how long tasks waited for inputs, waited to run, and ran, one row."""
    return ask(con, "idle/lifecycle", run_id=run_id)


def idle_what_if(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return what no latency, no overhead or one more worker would gain: bounds and replays."""
    return ask(con, "idle/what_if", run_id=run_id)


def idle_flags(con: DuckDBPyConnection, run_id: str, reading: Reading) -> DuckDBPyRelation:
    """Return the flags of a run's recording, with the number of idle intervals of each."""
    return _in_reading(reading, con, "idle/flags", run_id=run_id)


def critical_path(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the critical path of a run, by type of task and cause."""
    return ask(con, "idle/critical_path", run_id=run_id)


def idle_of_runs(
    con: DuckDBPyConnection, before: Sequence[str], after: Sequence[str]
) -> DuckDBPyRelation:
    """Return where the workers' time went in two sets of runs, a row for each side and cause."""
    sides = {"before": json.dumps(list(before)), "after": json.dumps(list(after))}
    return ask(con, "idle/of_runs", **sides)


MOST_WORKERS = 32
_MOST = 12


def idle_workers(con: DuckDBPyConnection, run_id: str, reading: Reading) -> DuckDBPyRelation:
    """Return the time shares of the workers that idled most, one row per worker and cause."""
    return _in_reading(reading, con, "idle/workers", run_id=run_id, most=MOST_WORKERS)


def idle_blame(con: DuckDBPyConnection, run_id: str, reading: Reading) -> DuckDBPyRelation:
    """Return the types of tasks and the workers that others waited for most, by cause."""
    return _in_reading(reading, con, "idle/blame", run_id=run_id, most=_MOST)


def idle_awaited(con: DuckDBPyConnection, run_id: str, reading: Reading) -> DuckDBPyRelation:
    """Return the workers that others starve for, the longest waits first, and their busy share."""
    params = {"mode": reading.mode, "latency_rule": reading.latency_rule}
    return ask(con, "idle/awaited", run_id=run_id, **params)


def path_parts(
    con: DuckDBPyConnection, run_id: str, window: Window | None = None
) -> DuckDBPyRelation:
    """Return the time on the critical path by type of task and cause, the longest types first."""
    return _within(window, con, "idle/path_parts", run_id=run_id, most=_MOST)
