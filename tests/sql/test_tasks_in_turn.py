"""Locks that tasks take inside: simulated ones are named, and hardly ever tasks without one."""

from __future__ import annotations

from collections import Counter
from random import Random

import pyarrow as pa

from tests.helpers.locks import FREE, HOLDS, independent, locked
from tests.helpers.support import rows

TIMES = 300


def test_locks_are_named_on_a_busy_machine_too_and_tasks_without_one_hardly_ever(warehouse):
    rng = Random(7)
    runs = {}
    for i in range(TIMES):
        hold = list(HOLDS)[i % len(HOLDS)]
        runs[f"{hold} lock {i}"] = locked(rng, HOLDS[hold], is_fair=i % 2 == 0)
        runs[f"none {i}"] = independent(rng, FREE[i % len(FREE)])
    found = [
        {"run_id": run, "source_id": 1, "worker": f"w{w}", "task": f"t{i}", "name": "work"}
        | {"t_start": int(start * 1e6), "t_end": int(end * 1e6)}
        for run, tasks in runs.items()
        for i, (w, start, end) in enumerate(tasks)
    ]
    warehouse.register("found", pa.Table.from_pylist(found))
    warehouse.execute("INSERT INTO tasks BY NAME FROM found")
    warehouse.unregister("found")
    named = Counter(
        run.rpartition(" ")[0]
        for (run,) in rows(warehouse, "SELECT DISTINCT run_id FROM tasks_in_turn WHERE within")
    )
    assert named["none"] < TIMES / 100
    assert named["even lock"] > 0.85 * TIMES / 3
    assert named["loaded lock"] > 0.75 * TIMES / 3
    # of some there is no telling
    assert named["very loaded lock"] > 0.5 * TIMES / 3
