"""Windows and the critical path, part by part against the slow reference; awkward schedules."""

from __future__ import annotations

import random

import pytest

from tests.helpers.awkward import awkward_schedule
from tests.helpers.idle_questions import critical_path, cut_to
from tests.helpers.idle_reference import MODES, RULES, Reference
from tests.helpers.schedules import land_schedule, land_schedules, random_schedule
from tests.helpers.support import rows
from tests.sql.test_idle_reference import COLUMNS, SELECTED, assert_as_reference, by_run, check

READINGS = [(mode, rule) for mode in MODES for rule in RULES]


def plain(rows_of_one):
    return sorted((tuple(row[c] for c in COLUMNS) for row in rows_of_one), key=str)


def cuts(rng, reference):
    """Windows that begin and end at, just beside, and far from where something happens."""
    idle = reference.idle()
    times = [t for row in idle for t in (row["a"], row["b"])]
    low, high = min(times, default=0) - 2, max(times, default=0) + 2
    for _ in range(2):
        t0, t1 = (rng.choice([rng.randint(low, high), *times[:9]]) for _ in range(2))
        yield min(t0, t1), max(t0, t1) + rng.choice([0, 1])


@pytest.mark.parametrize("block", range(4))
def test_awkward_schedules_row_by_row(warehouse, block):
    check(warehouse, [awkward_schedule(seed) for seed in range(block * 1000, block * 1000 + 25)])


@pytest.mark.parametrize("seed", range(10))
def test_windows_row_by_row(warehouse, seed):
    schedule = (random_schedule if seed % 3 == 2 else awkward_schedule)(seed)
    land_schedule(warehouse, schedule)
    reference = Reference(schedule)
    expected = {reading: reference.attribute(*reading) for reading in READINGS}
    for t0, t1 in cuts(random.Random(seed), reference):
        window = f"SELECT mode, latency_rule, {SELECTED} FROM idle_window('r1', ?, ?)"
        found = rows(warehouse, window, t0, t1)
        sums = "SELECT mode, latency_rule, starvation, latency, overhead, tail FROM slo_window"
        slo = {r[:2]: r[2:] for r in rows(warehouse, f"{sums}('r1', ?, ?)", t0, t1)}
        for reading in READINGS:
            part = cut_to(reference, expected[reading], t0, t1)
            assert sorted((r[2:] for r in found if r[:2] == reading), key=str) == plain(part)
            waits = [row for row in part if row["kind"] != "tail"]
            tail = sum(row["t_end"] - row["t_start"] for row in part if row["kind"] == "tail")
            added = [sum(r[c] for r in waits) for c in ("starvation", "latency", "overhead")]
            assert slo[reading] == (*added, tail)


@pytest.mark.parametrize("block", range(2))
def test_critical_path_part_by_part(warehouse, block):
    runs = by_run(awkward_schedule(seed) for seed in range(block * 100, block * 100 + 20))
    land_schedules(warehouse, runs)
    for run, schedule in runs.items():
        reference = Reference(schedule)
        expected = critical_path(reference, reference.attribute("direct", "union"))
        found = rows(warehouse, "SELECT task, cause, ns FROM critical_paths WHERE run_id = ?", run)
        assert expected is None or sorted(found) == sorted(expected)


def test_an_empty_window_is_empty(warehouse):
    land_schedule(warehouse, awkward_schedule(3))
    ((a, b),) = rows(
        warehouse, "SELECT t_start, t_end FROM idle_intervals ORDER BY t_end - t_start DESC LIMIT 1"
    )
    middle = (a + b) // 2
    assert rows(warehouse, "FROM idle_window('r1', ?, ?)", middle, middle) == []
    assert rows(warehouse, "FROM idle_window('r1', ?, ?)", b, a) == []
    assert rows(
        warehouse, "SELECT DISTINCT intervals, wall FROM slo_window('r1', ?, ?)", middle, middle
    ) == [(0, 0)]


def test_runs_landed_one_by_one_do_not_meet(warehouse):
    """Their workers, tasks and data have equal names, at equal times."""
    runs = by_run(awkward_schedule(seed) for seed in range(6))
    for source, (run, schedule) in enumerate(runs.items(), 1):
        land_schedule(warehouse, schedule, run, source)
    assert_as_reference(warehouse, runs)
