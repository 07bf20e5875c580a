"""Attribution of idle time row by row against the slow reference and against simulated truth."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from tests.helpers.idle_reference import MODES, RULES, Reference
from tests.helpers.schedules import land_schedules, random_schedule
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
    "not_recorded",
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
SELECTED = ", ".join(COLUMNS).replace("flags", "flag_codes(flags)")


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


def assert_as_reference(con, schedules):
    """Compare every row and every piece in every reading; the runs must be all there are."""
    found = defaultdict(list)
    for *reading, row in rows(
        con,
        f"SELECT run_id, mode, latency_rule, ({SELECTED}) FROM idle_attribution",
    ):
        found[tuple(reading)].append(row)
    pieces = defaultdict(list)
    for *reading, piece in rows(
        con,
        "SELECT run_id, mode, latency_rule, (worker, t_start, t_end, class) FROM idle_segments",
    ):
        pieces[tuple(reading)].append(piece)
    for run, schedule in schedules.items():
        reference = Reference(schedule)
        for mode in MODES:
            for rule in RULES:
                reading = (run, mode, rule)
                expected = reference.attribute(mode, rule)
                assert sorted(found.pop(reading, []), key=str) == sorted(
                    (tuple(row[c] for c in COLUMNS) for row in expected), key=str
                ), reading
                assert sorted(pieces.pop(reading, [])) == sorted(
                    (row["worker"], p, q, name)
                    for row in expected
                    for name, intervals in row["sets"].items()
                    for p, q in intervals
                ), reading
    assert not found and not pieces


def by_run(schedules):
    return {f"r{number}": schedule for number, schedule in enumerate(schedules)}


def is_long(schedule):
    """Whether times span so much that workers have to be searched one by one."""
    return any(
        abs(value) > 10**15
        for table in schedule.values()
        for row in table
        for field, value in row.items()
        if field.startswith("t_") and value is not None
    )


def check(con, schedules):
    """Land schedules, short ones and long ones together, and compare them with the reference."""
    runs = by_run(schedules)
    for length in (False, True):
        alike = {run: each for run, each in runs.items() if is_long(each) is length}
        if alike:
            land_schedules(con, alike)
    assert_as_reference(con, runs)


@pytest.mark.parametrize("block", range(4))
def test_schedules_in_which_anything_may_happen(warehouse, block):
    check(warehouse, [random_schedule(seed) for seed in range(block * 1000, block * 1000 + 25)])


@pytest.mark.parametrize("block", range(3))
def test_schedules_that_could_have_run(warehouse, block):
    seeds = range(block * 1000, block * 1000 + 12)
    check(warehouse, [simulate(machine(seed), seed).recorded for seed in seeds])


def test_direct_mode_finds_what_the_simulation_did(warehouse):
    simulations = by_run(
        simulate(Machine(detours=0.3, skew=100, dispatch=seed), seed) for seed in range(20)
    )
    land_schedules(warehouse, {run: each.recorded for run, each in simulations.items()})
    assert sorted(
        rows(
            warehouse,
            "SELECT run_id, worker, t_start, t_end, task, starvation, latency, overhead "
            "FROM idle_attribution WHERE mode = 'direct' AND latency_rule = 'union'",
        ),
        key=str,
    ) == sorted(((run, *row) for run, each in simulations.items() for row in each.truth), key=str)


def test_many_workers_over_a_long_time_are_searched_one_by_one(warehouse, monkeypatch):
    monkeypatch.setattr(timeline.Axes, "packed", property(lambda self: False))
    check(warehouse, [simulate(machine(seed), seed).recorded for seed in range(8)])


def test_long_runs_take_the_same_path_in_chunks(warehouse, monkeypatch):
    monkeypatch.setattr("udfs.idle._CHUNK", 3)
    check(warehouse, [simulate(Machine(tasks=80, totals=0.5, dispatch=10), 7).recorded])
