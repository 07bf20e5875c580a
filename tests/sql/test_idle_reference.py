"""Attribution of idle time row by row against the slow reference and against simulated truth."""

from __future__ import annotations

import random

import pytest

from tests.helpers.idle_reference import MODES, RULES, Reference
from tests.helpers.schedules import land_schedule, random_schedule
from tests.helpers.simulated import Machine, simulate
from tests.helpers.support import rows
from udfs import timeline

COLUMNS = (
    "worker",
    "t_start",
    "t_end",
    "kind",
    "task",
    "last_data",
    "blamed_task",
    "blamed_worker",
    "starvation1",
    "ov_concrete",
    "ov_uniform",
    "ov_rest",
    "ov_unsubmitted",
    "lat_inherited",
    "starvation",
    "latency",
    "overhead",
    "flags",
)


def machine(seed: int) -> Machine:
    rng = random.Random(seed)
    return Machine(
        tasks=rng.choice([10, 40, 80]),
        nodes=rng.choice([1, 2, 4]),
        workers=rng.choice([1, 2, 3]),
        fan_in=rng.choice([1, 3]),
        reach=rng.choice([3, 12]),
        compute=rng.choice([5, 20]),
        network=rng.choice([1, 8, 40]),
        dispatch=rng.choice([0, 3, 15]),
        detours=rng.choice([0, 0.4]),
        skew=rng.choice([0, 50]),
        totals=rng.choice([0, 0, 0.5]),
    )


def assert_as_reference(con, schedule):
    """Compare every row and every piece in every reading; runs `r1` must be all there is."""
    reference = Reference(schedule)
    found = rows(con, f"SELECT mode, latency_rule, {', '.join(COLUMNS)} FROM idle_attribution")
    pieces = rows(
        con, "SELECT mode, latency_rule, worker, t_start, t_end, class FROM idle_segments"
    )
    for mode in MODES:
        for rule in RULES:
            expected = reference.attribute(mode, rule)
            assert sorted((r[2:] for r in found if r[:2] == (mode, rule)), key=str) == sorted(
                (tuple(row[c] for c in COLUMNS) for row in expected), key=str
            ), (mode, rule)
            assert sorted(p[2:] for p in pieces if p[:2] == (mode, rule)) == sorted(
                (row["worker"], p, q, name)
                for row in expected
                for name, intervals in row["sets"].items()
                for p, q in intervals
            ), (mode, rule)


def lands_anew(con, schedule):
    con.execute("BEGIN")
    for (table,) in rows(
        con, "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND estimated_size > 0"
    ):
        if table not in ("migrations", "view_modules"):
            con.execute(f"DELETE FROM {table}")
    con.execute("COMMIT")
    land_schedule(con, schedule)


@pytest.mark.parametrize("block", range(4))
def test_schedules_in_which_anything_may_happen(warehouse, block):
    for seed in range(block * 1000, block * 1000 + 25):
        schedule = random_schedule(seed)
        lands_anew(warehouse, schedule)
        assert_as_reference(warehouse, schedule)


@pytest.mark.parametrize("block", range(3))
def test_schedules_that_could_have_run(warehouse, block):
    for seed in range(block * 1000, block * 1000 + 12):
        simulation = simulate(machine(seed), seed)
        lands_anew(warehouse, simulation.recorded)
        assert_as_reference(warehouse, simulation.recorded)


def test_direct_mode_finds_what_the_simulation_did(warehouse):
    for seed in range(20):
        simulation = simulate(Machine(detours=0.3, skew=100, dispatch=seed), seed)
        lands_anew(warehouse, simulation.recorded)
        assert sorted(
            rows(
                warehouse,
                "SELECT worker, t_start, t_end, task, starvation, latency, overhead "
                "FROM idle_attribution WHERE mode = 'direct' AND latency_rule = 'union'",
            ),
            key=str,
        ) == sorted(simulation.truth, key=str)


def test_many_workers_over_a_long_time_are_searched_one_by_one(warehouse, monkeypatch):
    monkeypatch.setattr(timeline.Axes, "packed", property(lambda self: False))
    for seed in range(8):
        simulation = simulate(machine(seed), seed)
        lands_anew(warehouse, simulation.recorded)
        assert_as_reference(warehouse, simulation.recorded)


def test_long_runs_take_the_same_path_in_chunks(warehouse, monkeypatch):
    monkeypatch.setattr("udfs.idle._CHUNK", 3)
    simulation = simulate(Machine(tasks=80, totals=0.5, dispatch=10), 7)
    lands_anew(warehouse, simulation.recorded)
    assert_as_reference(warehouse, simulation.recorded)
