"""Attribution of idle time against hand-worked cases, generated truths and real recordings."""

from __future__ import annotations

import csv
import json

import pytest

from tests.helpers.schedules import land_schedule, read_schedule
from tests.helpers.support import rows, shared

DIRECT = "mode = 'direct' AND latency_rule = 'union'"

# Per cent of workers x window as the recordings' README gives them: busy, S, L, O, tail.
SHARES = {
    "dask_map_wide": (90.4, 0.0, 0.0, 9.2, 0.4),
    "dask_tree_reduce": (68.5, 3.1, 2.8, 11.3, 14.3),
    "dask_chain_starve": (31.6, 50.8, 1.4, 12.5, 3.6),
    "dask_transfer_heavy": (24.5, 24.9, 32.9, 17.3, 0.4),
    "dask_tiny_tasks": (0.2, 0.2, 1.2, 97.8, 0.5),
    "dask_late_submit": (26.9, 0.0, 0.0, 72.3, 0.8),
    "starpu_chol": (49.0, 34.8, 0.0, 15.6, 0.6),
    "starpu_tiny": (3.3, 0.0, 0.0, 90.7, 6.0),
    "starpu_mpichol": (2.4, 45.8, 9.7, 32.6, 9.5),
    "gen_small": (41.3, 40.2, 6.8, 8.1, 3.7),
    "gen_skew": (36.8, 36.3, 16.5, 6.3, 4.1),
}
TRANSITIVE = {"starpu_mpichol": (1.1, 20.1, 66.9), "dask_transfer_heavy": (11.3, 45.0, 18.8)}


def land_recording(con, name):
    folder = shared(f"slo/{name}")
    norm = folder / "norm"
    land_schedule(con, read_schedule(norm if norm.exists() else folder), name)


def number(text):
    return int(text) if text.lstrip("-").isdigit() else text or None


def test_hand_worked_cases(warehouse):
    for at, case in enumerate(json.loads(shared("slo/tiny_cases.json").read_text())):
        land_schedule(warehouse, case["tables"], f"r{at}")
        found = rows(
            warehouse,
            "SELECT worker, t_start, t_end, task, starvation, latency, overhead "
            f"FROM idle_attribution WHERE run_id = ? AND {DIRECT} ORDER BY worker, t_start",
            f"r{at}",
        )
        names = ("worker_id", "t0", "t1", "fragment_id", "starvation", "latency", "overhead")
        assert found == [tuple(row[n] for n in names) for row in case["expected"]], case["name"]


@pytest.mark.parametrize("name", ["gen_small", "gen_skew"])
def test_generated_truths(warehouse, name):
    land_recording(warehouse, name)
    columns = (
        "worker_id t0 t1 kind fragment_id blame_fragment blame_worker starvation1 ov_concrete "
        "ov_uniform ov_rest starvation latency overhead"
    )
    names = columns.split()
    with (shared(f"slo/{name}") / "truth.csv").open(newline="") as file:
        truth = [tuple(number(row[n]) for n in names) for row in csv.DictReader(file)]
    found = rows(
        warehouse,
        "SELECT worker, t_start, t_end, kind, task, blamed_task, blamed_worker, starvation1, "
        "ov_concrete, ov_uniform, ov_rest, starvation, latency, overhead "
        f"FROM idle_attribution WHERE {DIRECT}",
    )
    assert sorted(found, key=str) == sorted(truth, key=str)


@pytest.mark.parametrize("name", SHARES)
def test_shares_of_recordings_to_the_printed_digit(warehouse, name):
    land_recording(warehouse, name)
    shares = (
        "SELECT round(busy_percent, 1), round(starvation_percent, 1), round(latency_percent, 1), "
        "round(overhead_percent, 1), round(tail_percent, 1) FROM slo_by_run WHERE latency_rule = "
        "'union' AND mode = ?"
    )
    assert rows(warehouse, shares, "direct") == [SHARES[name]]
    if name in TRANSITIVE:
        assert rows(warehouse, shares, "transitive")[0][1:4] == TRANSITIVE[name]
    assert_parts_add_up(warehouse)


def assert_parts_add_up(con):
    assert (
        rows(
            con,
            """
        SELECT * FROM idle_attribution
        WHERE starvation + latency + overhead <> t_end - t_start OR t_end <= t_start
           OR least(starvation, latency, overhead, ov_concrete, ov_uniform, ov_rest) < 0
           OR ov_unsubmitted NOT BETWEEN 0 AND ov_rest OR lat_inherited > latency
        """,
        )
        == []
    )
    assert (
        rows(con, "FROM slo_by_worker WHERE wall <> busy + starvation + latency + overhead + tail")
        == []
    )


def test_what_the_recordings_are_known_for(warehouse):
    for name in ("dask_chain_starve", "dask_late_submit"):
        land_recording(warehouse, name)
    assert rows(
        warehouse,
        f"SELECT run_id, dominant, round(unsubmitted_percent, 1) FROM slo_by_run WHERE {DIRECT} "
        "ORDER BY run_id",
    ) == [("dask_chain_starve", "starvation", 0.0), ("dask_late_submit", "overhead", 60.7)]
    assert rows(
        warehouse, f"SELECT run_id, blamed_type, blamed_percent FROM idle_by_blamed WHERE {DIRECT}"
    ) == [("dask_chain_starve", "link", 100.0)]
    (advice,) = rows(
        warehouse, f"SELECT advice FROM slo_by_run WHERE {DIRECT} AND run_id = 'dask_late_submit'"
    )
    assert "submitted" in advice[0]


def test_no_inputs_and_one_memory_node_mean_exactly_no_starvation_or_latency(warehouse):
    land_recording(warehouse, "dask_map_wide")
    land_recording(warehouse, "starpu_chol")
    assert rows(
        warehouse,
        "SELECT run_id, starvation, latency FROM slo_by_run WHERE mode = 'transitive' "
        "AND latency_rule = 'last_arrival' ORDER BY run_id",
    )[0] == ("dask_map_wide", 0, 0)
    assert rows(warehouse, "SELECT max(latency) FROM slo_by_run") == [(0,)]
