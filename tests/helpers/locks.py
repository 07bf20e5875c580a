"""Threads whose tasks take one lock inside, and threads whose tasks do not.

As (worker, start, end), ms. How long a lock is taken for differs as on a machine that others use.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Tasks = list[tuple[int, float, float]]
# How long a lock is taken for: hardly different, as on a busy machine, as on a very busy one.
HOLDS: dict[str, Callable[[Random], float]] = {
    "even": lambda rng: 20 * rng.uniform(0.9, 1.3),
    "loaded": lambda rng: 23 + rng.expovariate(1 / 32),
    "very loaded": lambda rng: 4 + 20 * rng.lognormvariate(0.5, 0.6),
}
FREE = ("plain", "drift", "warm", "cold", "two", "stagger", "dispatched", "phases", "slower")


def locked(rng: Random, hold: Callable[[Random], float], *, is_fair: bool) -> Tasks:
    """Return tasks that work for a while and then take the lock, each to its end."""
    workers, tasks, before = (
        rng.choice(some) for some in ([2, 3, 4, 6, 8], [24, 40, 60, 120], [0, 0, 2, 10, 30])
    )
    done: Tasks = []
    free = 0.0
    waiting = [(before * rng.uniform(0.8, 1.2), w, 0.0) for w in range(workers)]
    while len(done) < tasks:
        now = max(free, min(waiting)[0])
        able = sorted(request for request in waiting if request[0] <= now)
        taken = able[0] if is_fair else rng.choice(able)
        waiting.remove(taken)
        free = now + hold(rng)
        done.append((taken[1], taken[2], free))
        again = free + rng.uniform(0.2, 3)
        waiting.append((again + before * rng.uniform(0.8, 1.2), taken[1], again))
    return done


def independent(rng: Random, kind: str) -> Tasks:
    """Return tasks that wait for none, in one of the ways of FREE, with idle time between."""
    workers, tasks = rng.choice([2, 3, 4, 6, 8]), rng.choice([24, 40, 60, 120])
    if kind == "slower":
        return _pairs(rng, tasks, rng.choice([1.5, 2, 2.5, 3, 4]))
    spread, idle = rng.choice([0, 0.02, 0.1, 0.3, 0.6, 0.8]), rng.choice([0, 5, 30, 100])
    free = [100 * w / workers if kind == "stagger" else 0.0 for w in range(workers)]
    done: Tasks = []
    dispatched, every = 0.0, rng.choice([10, 30, 50, 80])
    for i in range(tasks):
        w = min(range(workers), key=free.__getitem__)
        if kind == "phases" and i % workers == 0:
            free = [max(free)] * workers
        start = free[w] + rng.uniform(0, 2 * idle)
        dispatched += every * rng.uniform(0.9, 1.1)
        if kind == "dispatched":
            start = max(start, dispatched)
        first = {"warm": 0.4, "cold": 3}.get(kind, 1) if i < workers else 1
        later = 1 + 1.5 * i / tasks if kind == "drift" else 1
        lasts = 100 * first * later * (rng.choice([1, 4]) if kind == "two" else 1)
        free[w] = start + lasts * rng.lognormvariate(0, spread)
        done.append((w, start, free[w]))
    return done


def _pairs(rng: Random, tasks: int, factor: float) -> Tasks:
    """Return tasks of two workers that begin two by two, of which one takes so much longer."""
    done: Tasks = []
    start = 0.0
    for _ in range(tasks // 2):
        ends = [start + 20 * one * rng.uniform(0.9, 1.1) for one in (1, factor)]
        done += [(w, start, end) for w, end in enumerate(ends)]
        start = max(ends) + rng.uniform(0, 0.2)
    return done
