"""How soon programs can end: never later than any schedule, and where the answer is known."""

from __future__ import annotations

import random
from itertools import permutations

import numpy as np
import pytest

from udfs.earliest import Program


def program(tasks, release=None, kind=None):
    """Return a program from (wait, length, producers) by task, all begun as the first could be."""
    edges = [p for *_, needs in tasks for p in needs]
    wait, length = (np.array(column) for column in list(zip(*tasks, strict=True))[:2])
    return Program(
        start=wait,
        length=length,
        wait=wait,
        occupied=length,
        release=np.array(release or [0] * len(tasks)),
        first=np.cumsum([0, *(len(needs) for *_, needs in tasks)]),
        producer=np.array(edges, np.int64),
        delay=np.array([tasks[p][1] for p in edges], np.int64),
        kind=np.array(kind or [0] * len(tasks)),
    )


def best_end(tasks, release, kind, workers):
    """Return the end of the best schedule, by trying the tasks in every order.

    `workers` are the kinds of the workers.
    """
    best = 10**9
    for order in permutations(range(len(tasks))):
        place = {task: i for i, task in enumerate(order)}
        if any(place[p] > place[i] for i in order for p in tasks[i][2]):
            continue
        free, end = [0] * len(workers), {}
        for i in order:
            at = max([release[i], *(end[p] for p in tasks[i][2])])
            # of the workers that are free by then, the one that became so last
            able = [w for w, its in enumerate(workers) if its == kind[i]]
            w = min(able, key=lambda w: (max(free[w], at), -free[w]))
            free[w] = end[i] = max(free[w], at) + tasks[i][0] + tasks[i][1]
        best = min(best, *[max(end.values())])
    return best


def test_no_schedule_ends_sooner_and_the_best_hardly_later():
    near = []
    for seed in range(160):
        rng = random.Random(seed)
        tasks, release, at = [], [], 0
        for i in range(rng.randint(1, 5)):
            needs = rng.sample(range(i), min(i, rng.randint(0, 2)))
            tasks.append((rng.choice([0, 0, 2]), rng.randint(1, 9), needs))
            release.append(rng.choice([0, 0, 0, at]))
            at += rng.randint(0, 6)
        several = [rng.randint(1, 3), rng.randint(1, 2)][: 1 + seed % 2]
        kind = [rng.randrange(len(several)) for _ in tasks]
        (bound,) = program(tasks, release, kind).ends_on(several)
        workers = [each for each, count in enumerate(several) for _ in range(count)]
        best = best_end(tasks, release, kind, workers)
        assert bound <= best
        near.append(bound / best)
    assert min(near) > 0.85 and np.mean(near) > 0.99


ALONE = (0, 10, [])
SUBMITTED = ([ALONE] * 5, [0, 100, 200, 300, 400])
MAPPED = ([*[ALONE] * 20, (0, 50, list(range(20)))], None)
STAGES = ([ALONE], None)
for _ in range(4):
    STAGES[0].extend([(0, 10, [len(STAGES[0]) - 1])] * 4)
    STAGES[0].append((0, 5, list(range(len(STAGES[0]) - 4, len(STAGES[0])))))
# without a task between
BARRIERS = (
    [(0, 10, list(range(4 * (i // 4) - 4, 4 * (i // 4))) if i > 3 else []) for i in range(12)],
    None,
)


@pytest.mark.parametrize(
    ("tasks", "release", "workers", "end"),
    [
        (*SUBMITTED, 2, 410),
        (*MAPPED, 4, 100),
        (*STAGES, 3, 10 + 4 * 25),
        (*BARRIERS, 3, 60),
        ([ALONE] * 7, None, 3, 30),
        ([(5, 10, [])] * 4, None, 2, 30),
    ],
    ids=[
        "one after another submitted",
        "map and reduce",
        "joined",
        "barriers",
        "alike",
        "with waits",
    ],
)
def test_the_end_of_known_programs(tasks, release, workers, end):
    assert program(tasks, release).ends_on([workers]) == [end]


def test_a_chain_has_no_waits_but_those_for_its_submission():
    chain = [(3, 10, []), (3, 10, [0]), (3, 10, [1])]
    assert program(chain).chain_end(7) == 37
    assert program(chain, [0, 0, 100]).chain_end(7) == 110
    assert program(chain).ends_on([1], [9]) == [39, 39]


def test_kernels_take_the_time_of_their_streams_whatever_idles_beside_them():
    alone = [ALONE] * 8
    kinds = [0] * 6 + [1] * 2
    streams_and_threads = program(alone, kind=kinds).ends_on([2, 4], [3, 4], [2, 5])
    assert streams_and_threads == [30, 20, 30]
    # what all need that comes before
    gate = [*[ALONE] * 4, (0, 5, [0, 1, 2, 3]), (0, 10, [4])]
    assert program(gate, kind=[0, 0, 0, 1, 1, 0]).ends_on([1, 9]) == [30 + 5 + 10]
