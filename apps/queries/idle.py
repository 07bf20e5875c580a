"""Questions about why workers idle."""

from __future__ import annotations

from typing import Any, NamedTuple

from apps.queries.base import ask
from warehouse.session import Connection, Relation

Window = tuple[int, int]
MODE_MEANINGS = (
    "direct: each wait by itself; propagated: with the overhead in the waits of the worker that "
    "was awaited; transitive: with its latency, too, to the root cause."
)
LATENCY_MEANINGS = (
    "union: time in which any input was in transit; last_arrival: until the last one arrived, for "
    "traces without times of sending."
)


class Reading(NamedTuple):
    """How waits are attributed, as in idle_attribution, and of which window: None for all time.

    `mode` is direct, propagated or transitive, `latency_rule` union or last_arrival; a window is
    from and to, in ns after clock correction.
    """

    mode: str = "direct"
    latency_rule: str = "union"
    window: Window | None = None


def within(con: Connection, name: str, window: Window | None, **params: Any) -> Relation:
    """Return the rows of a question about a whole run, or about a part of it."""
    t0, t1 = window or (None, None)
    return ask(con, name, **params, t0=t0, t1=t1)


def in_reading(con: Connection, name: str, reading: Reading, **params: Any) -> Relation:
    """Return the rows of a question (`within`) whose waits are attributed in a reading."""
    mode, latency_rule, window = reading
    return within(con, name, window, **params, mode=mode, latency_rule=latency_rule)
