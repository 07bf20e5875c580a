"""Clocks of nodes, set by options of ingest: stated, or estimated from messages both ways."""

from __future__ import annotations

import pytest

from ingest.clocks import offsets
from tests.helpers.schedules import write_schedule
from tests.helpers.simulated import Machine, simulate
from tests.helpers.support import land, rows
from warehouse.errors import InputError, UsageError

PARTS = "SELECT worker, starvation, latency, overhead FROM slo_by_worker WHERE {} ORDER BY worker"
DIRECT = "mode = 'direct' AND latency_rule = 'union'"
MACHINE = Machine(tasks=300, nodes=3, workers=2, skew=4000, network=3)


def recorded(seed):
    """Return a schedule with skewed clocks and no offsets, and what the offsets are, ns."""
    schedule = simulate(MACHINE, seed).recorded
    ahead = {row["node_id"]: row["clock_offset_ns"] for row in schedule["nodes"]}
    return schedule | {"nodes": [{"node_id": node} for node in ahead]}, ahead


def test_stated_offsets_are_those_of_a_trace_that_has_them(warehouse, another, tmp_path):
    schedule, ahead = recorded(1)
    land(warehouse, write_schedule(tmp_path / "a", schedule), clock_offsets=ahead)
    other = another()
    land(other, write_schedule(tmp_path / "b", simulate(MACHINE, 1).recorded))
    expected = rows(other, PARTS.format(DIRECT))
    assert rows(warehouse, PARTS.format(DIRECT)) == expected
    assert rows(warehouse, "SELECT wall_seconds FROM runs") == rows(
        other, "SELECT wall_seconds FROM runs"
    )


@pytest.mark.parametrize("seed", [2, 3])
def test_aligned_clocks_are_as_far_apart_as_the_messages_show(warehouse, tmp_path, seed):
    schedule, ahead = recorded(seed)
    (landed,) = land(warehouse, write_schedule(tmp_path / "a", schedule), align_clocks=True)
    assert {clock.node for clock in landed.clocks} == set(ahead)
    for clock in landed.clocks:
        truly = ahead[clock.node] - ahead["n0"]
        assert abs(clock.ahead_ns - truly) <= clock.error_ns + 1 <= 9
    ((flagged,),) = rows(
        warehouse,
        "SELECT count(*) FROM idle_intervals WHERE list_contains(flags, 'neg_transfer')",
    )
    assert flagged <= 5


def test_stated_clocks_are_what_the_others_are_aligned_with(warehouse, tmp_path):
    schedule, ahead = recorded(4)
    folder = write_schedule(tmp_path / "a", schedule)
    land(warehouse, folder, clock_offsets={"n1": ahead["n1"]}, align_clocks=True)
    for node, offset in rows(warehouse, "SELECT node, clock_offset_ns FROM nodes"):
        assert abs(offset - ahead[node]) <= 9


def test_the_chain_with_the_smallest_error_counts():
    pairs = {"a": [(9.0, "b", 5.0), (1.0, "c", 2.0)], "c": [(2.0, "b", 4.0)]}
    assert offsets({"a": 10}, pairs) == {"a": (10, 0.0), "c": (12.0, 1.0), "b": (16.0, 3.0)}


def test_nodes_without_messages_both_ways_are_refused(warehouse, tmp_path):
    schedule, _ = recorded(5)
    schedule["transfers"] = [t for t in schedule["transfers"] if t["src_node"] != "n2"]
    folder = write_schedule(tmp_path / "a", schedule)
    with pytest.raises(InputError, match="node n2 cannot be aligned") as caught:
        land(warehouse, folder, align_clocks=True)
    assert "--clock-offset NODE=SECONDS" in str(caught.value)
    assert rows(warehouse, "SELECT count(*) FROM sources") == [(0,)]


def test_an_unknown_node_is_refused(warehouse, tmp_path):
    schedule, _ = recorded(6)
    with pytest.raises(UsageError, match="no node m1") as caught:
        land(warehouse, write_schedule(tmp_path / "a", schedule), clock_offsets={"m1": 5})
    assert "n0, n1, n2" in str(caught.value)


def test_one_node_needs_no_alignment(warehouse, tmp_path):
    schedule = simulate(Machine(tasks=5, nodes=1), 1).recorded
    (landed,) = land(warehouse, write_schedule(tmp_path / "a", schedule), align_clocks=True)
    assert [(clock.node, clock.ahead_ns) for clock in landed.clocks] == [("n0", 0)]
