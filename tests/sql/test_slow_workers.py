"""Workers on which tasks of the same type take longer than elsewhere."""

from __future__ import annotations

import random

import pytest

from tests.helpers.schedules import land_schedule
from tests.helpers.support import rows


def schedule(durations):
    """Return tasks one after the other on each worker from {worker: [(type, ns), ...]}."""
    fragments = []
    for worker, tasks in durations.items():
        at = 0
        for i, (kind, ns) in enumerate(tasks):
            fragments.append(
                {
                    "fragment_id": f"{worker}{i}",
                    "worker_id": worker,
                    "ftype": kind,
                    "t_start": at,
                    "t_end": at + ns,
                }
            )
            at += ns
    return {
        "workers": [{"worker_id": worker, "node_id": "n"} for worker in durations],
        "fragments": fragments,
    }


def noisy(rng, kinds, factor, count):
    return [
        (kind, round(1000 * (1 + place) * factor * rng.lognormvariate(0, 0.2)))
        for _ in range(count)
        for place, kind in [rng.choice([*enumerate(kinds)])]
    ]


@pytest.mark.parametrize("workers", [2, 4, 16])
def test_a_slow_worker_is_found_with_its_factor(warehouse, workers):
    rng = random.Random(workers)
    tasks = {f"w{w}": noisy(rng, "abc", 4 if w == 1 else 1, 40) for w in range(workers)}
    land_schedule(warehouse, schedule(tasks))
    ((worker, factor, low, high),) = rows(
        warehouse, "SELECT worker, factor, low, high FROM worker_slowdown WHERE is_slow"
    )
    assert worker == "w1" and low < 4 < high and factor == pytest.approx(4, rel=0.2)


def test_even_workers_are_not_slow(warehouse):
    rng = random.Random(1)
    land_schedule(warehouse, schedule({f"w{w}": noisy(rng, "ab", 1, 30) for w in range(12)}))
    assert rows(warehouse, "SELECT count(*), count(*) FILTER (is_slow) FROM worker_slowdown") == [
        (12, 0)
    ]


def test_longer_types_do_not_make_a_worker_slow(warehouse):
    rng = random.Random(2)
    tasks = {"w0": noisy(rng, "a", 1, 20) + noisy(rng, "c", 9, 20)}
    tasks |= {f"w{w}": noisy(rng, "a", 1, 38) + noisy(rng, "c", 9, 2) for w in (1, 2, 3)}
    land_schedule(warehouse, schedule(tasks))
    assert rows(warehouse, "SELECT count(*) FILTER (is_slow) FROM worker_slowdown") == [(0,)]


def test_durations_without_noise(warehouse):
    tasks = {f"w{w}": [("a", 400 if w == 2 else 100)] * 10 for w in range(4)}
    land_schedule(warehouse, schedule(tasks))
    assert rows(warehouse, "SELECT worker, factor FROM worker_slowdown WHERE is_slow") == [
        ("w2", pytest.approx(4))
    ]


@pytest.mark.parametrize(
    "tasks",
    [
        {"w0": [("a", 100)] * 5},
        {"w0": [("a", 100)] * 5, "w1": [("b", 900)] * 5},
        {"w0": [(None, 100)] * 5, "w1": [(None, 900)] * 5},
        {"w0": [("a", 0)] * 5, "w1": [("a", 0)] * 5},
    ],
)
def test_what_cannot_be_compared_is_left_out(warehouse, tasks):
    land_schedule(warehouse, schedule(tasks))
    assert rows(warehouse, "FROM worker_slowdown") == []
    assert rows(warehouse, "SELECT count(*) FROM slo_by_worker") == [(6 * len(tasks),)]


def test_one_long_task_is_no_slow_worker(warehouse):
    land_schedule(warehouse, schedule({"w0": [("a", 900)], "w1": [("a", 100)] * 2}))
    assert rows(warehouse, "SELECT count(*) FILTER (is_slow) FROM worker_slowdown") == [(0,)]


def test_explanations_find_the_worker_that_became_slow(warehouse):
    rng = random.Random(3)
    for run, factor in (("before", 1), ("after", 4)):
        tasks = {f"{run}{w}": noisy(rng, "ab", factor if w == 1 else 1, 30) for w in range(4)}
        land_schedule(warehouse, schedule(tasks), run, source=factor)
    ((label, was, becomes, direction, certain, flags),) = rows(
        warehouse,
        "SELECT after_label, before, after, direction, certain, flag_codes(flags) "
        "FROM explain_run('after', 'before') WHERE metric = 'slowdown'",
    )
    assert (label, was, direction, certain) == ("after1", 1.0, "worse", True)
    assert becomes == pytest.approx(4, rel=0.2) and flags == []
