"""Questions about why workers idle."""

from __future__ import annotations

from typing import Any, NamedTuple

from apps.queries.base import ask
from warehouse.session import Connection, Relation

Window = tuple[int, int]
# Questions about a part of a run that can be narrowed to a worker.
_OF_WORKER = ("idle/blame", "idle/path_parts")


class Reading(NamedTuple):
    """How waits are attributed, as in idle_attribution, and of which window: None for all time.

    `mode` is direct, propagated or transitive, `latency_rule` union or last_arrival; a window is
    from and to, in ns after clock correction.
    """

    mode: str = "direct"
    latency_rule: str = "union"
    window: Window | None = None


def within(
    con: Connection, name: str, window: Window | None, worker: str | None = None, **params: Any
) -> Relation:
    """Return the rows of a question about a whole run, or of NAME_window about a part of it.

    A part can be narrowed to the waits of a `worker`, of the questions in `_OF_WORKER`.
    """
    if window is None:
        return ask(con, name, **params)
    if name in _OF_WORKER:
        params["worker"] = worker
    return ask(con, f"{name}_window", **params, t0=window[0], t1=window[1])


def in_reading(con: Connection, name: str, reading: Reading, **params: Any) -> Relation:
    """Return the rows of a question (`within`) whose waits are attributed in a reading."""
    mode, latency_rule, window = reading
    return within(con, name, window, **params, mode=mode, latency_rule=latency_rule)
