"""Clocks of nodes: offsets that the user states, and offsets estimated from messages both ways."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from warehouse import sqlfiles
from warehouse.errors import InputError, UsageError
from warehouse.session import Connection

# By node: the others that it exchanged messages with, each with (error, by what it is ahead), ns.
_Pairs = Mapping[str, list[tuple[float, str, float]]]


@dataclass(frozen=True, slots=True)
class Clock:
    """Offset of a node's clock, ns; `error_ns` of an estimate, 0 of what was stated."""

    run_id: str
    node: str
    ahead_ns: int
    error_ns: int


def set_clocks(
    con: Connection,
    source_id: int,
    run_ids: Iterable[str],
    stated: Mapping[str, int],
    *,
    align: bool,
) -> tuple[Clock, ...]:
    """Set the clock offsets of nodes in place of what was recorded; return those that were set.

    `stated` are offsets by node, ns. With `align` those of all other nodes are estimated relative
    to them (without any: to the first node, which keeps its own). Raises `UsageError` for a node
    that no run has, `InputError` where nodes cannot be aligned. The caller keeps the transaction.
    """
    known: set[str] = set()
    found: list[Clock] = []
    for run_id in run_ids:
        nodes = dict(con.execute(sqlfiles.read("derived/clock_nodes"), [run_id]).fetchall())
        known |= nodes.keys()
        here = {node: ahead for node, ahead in stated.items() if node in nodes}
        if align and nodes:
            found += _aligned(con, run_id, nodes, here)
        else:
            found += [Clock(run_id, node, ahead, 0) for node, ahead in here.items()]
    if unknown := sorted(stated.keys() - known):
        listed = ", ".join(sorted(known)[:8]) or "none"
        raise UsageError(
            f"--clock-offset: the recording has no node {unknown[0]}", hint=f"Its nodes: {listed}."
        )
    for clock in found:
        con.execute(
            sqlfiles.read("derived/clock_offset"),
            {"run_id": clock.run_id, "node": clock.node, "ahead": clock.ahead_ns},
        )
        con.execute(
            sqlfiles.read("derived/clock_node"),
            {
                "run_id": clock.run_id,
                "node": clock.node,
                "ahead": clock.ahead_ns,
                "source_id": source_id,
            },
        )
    return tuple(found)


def _aligned(
    con: Connection, run_id: str, nodes: Mapping[str, int | None], stated: Mapping[str, int]
) -> list[Clock]:
    """Estimate the offsets of a run's nodes from those stated, else from the first node's own."""
    pairs: dict[str, list[tuple[float, str, float]]] = defaultdict(list)
    for node, other, ahead, error in con.execute(
        "SELECT node, other, other_ahead_ns, fastest_ns FROM clock_skew WHERE run_id = ?", [run_id]
    ).fetchall():
        pairs[node].append((abs(error), other, ahead))
        pairs[other].append((abs(error), node, -ahead))
    first = min(nodes)
    reached = offsets(stated or {first: nodes[first] or 0}, pairs)
    if lost := sorted(nodes.keys() - reached.keys()):
        more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
        raise InputError(
            f"the clock of the node {lost[0]}{more} cannot be aligned: no messages with times of "
            "sending went both ways between it and the others",
            expected="messages both ways between the nodes",
            hint="State what the clocks are ahead by: --clock-offset NODE=SECONDS.",
        )
    return [Clock(run_id, node, round(at), round(error)) for node, (at, error) in reached.items()]


def offsets(start: Mapping[str, float], pairs: _Pairs) -> dict[str, tuple[float, float]]:
    """Return (offset, error) of each node that messages connect with those of `start`, ns.

    Errors add up along a chain of nodes; each node is reached on the chain with the smallest
    (Dijkstra's shortest paths).
    """
    reached: dict[str, tuple[float, float]] = {}
    queue = [(0.0, node, ahead) for node, ahead in start.items()]
    heapq.heapify(queue)
    while queue:
        error, node, at = heapq.heappop(queue)
        if node not in reached:
            reached[node] = at, error
            for more, other, ahead in pairs.get(node, ()):
                heapq.heappush(queue, (error + more, other, at + ahead))
    return reached
