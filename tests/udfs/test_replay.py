"""Replay of task graphs: against a naive simulation, and where the answer is known."""

from __future__ import annotations

import random

import pytest

from udfs.replay import Graph


def graph(tasks, workers=1, kinds=None):
    """Return a graph from (worker, start, end, producers) by task, without waits."""
    n = len(tasks)
    first, producer = [0], []
    for *_, needs in tasks:
        producer += needs
        first.append(len(producer))
    return Graph(
        begins=[0] * workers,
        kind=kinds or [0] * workers,
        worker=[task[0] for task in tasks],
        start=[task[1] for task in tasks],
        end=[task[2] for task in tasks],
        early=[0] * n,
        late=[0] * n,
        overhead=[0] * n,
        unknown=[0] * n,
        submit=[0] * n,
        ready=[0] * n,
        first=first,
        producer=producer,
        made=[tasks[p][2] for p in producer],
        more=[0],
    )


def stepwise(tasks, workers):
    """Return the end of list scheduling, found unit of time by unit of time."""
    end: dict[int, int] = {}
    free = [0] * workers
    t = 0
    while len(end) < len(tasks):
        for i, (_, start, stop, needs) in enumerate(tasks):
            if i not in end and all(end.get(p, t + 1) <= t for p in needs) and min(free) <= t:
                free[free.index(min(free))] = end[i] = t + stop - start
        t += 1
    return max(end.values())


@pytest.mark.parametrize("seed", range(20))
def test_list_scheduling_is_that_of_a_naive_simulation(seed):
    rng = random.Random(seed)
    workers = rng.randint(1, 4)
    tasks, at = [], 0
    for i in range(rng.randint(1, 25)):
        at += rng.randint(0, 4)
        needs = rng.sample(range(i), min(i, rng.randint(0, 2)))
        tasks.append((0, at, at + rng.randint(1, 9), needs))
    assert graph(tasks, workers).listed() == stepwise(tasks, workers)
    assert graph(tasks, workers).listed(0) == stepwise(tasks, workers + 1)


def test_a_chain_gains_nothing_and_independent_tasks_gain_all():
    chain = graph([(0, 0, 10, []), (0, 10, 20, [0]), (0, 20, 30, [1])])
    assert chain.gains([("compute", {0, 1, 2})]) == {
        "no_latency": 0,
        "no_overhead": 0,
        "one_more_worker": 0,
        "listed": 30,
        "halved": [15],
    }
    three = graph([(0, 0, 10, []), (1, 0, 10, []), (0, 10, 20, [])], workers=2)
    assert three.gains([])["one_more_worker"] == 10


def test_tasks_that_share_a_worker_are_not_replayed_with_one_more():
    both = graph([(0, 0, 10, []), (0, 5, 15, [])])
    assert both.gains([]).get("one_more_worker") is None
    assert both.in_order(both.overlap()[0], latency=True, overhead=True) == 15


def test_tasks_run_on_workers_of_their_kind_only():
    """Two kernels, one after another on the one stream, and three threads that hardly run."""
    kernels = [(0, 0, 50, []), (0, 50, 100, []), (1, 0, 1, [])]
    mixed = graph(kernels, workers=4, kinds=[1, 0, 0, 0])
    assert mixed.listed() == mixed.listed(0) == 100 and mixed.listed(1) == 50
    assert graph(kernels, workers=4).listed() == 50
    # a kernel that follows a task of a thread waits for it
    chain = graph([(1, 0, 30, []), (0, 30, 80, [0]), (1, 80, 90, [1])], 2, [1, 0])
    assert [chain.listed(kind) for kind in (None, 0, 1)] == [90] * 3
