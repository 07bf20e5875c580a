"""Bounds on what other machines would gain, checked against replays of the task graphs."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tests.helpers.awkward import awkward_schedule
from tests.helpers.schedules import land_schedule, land_schedules, random_schedule, read_schedule
from tests.helpers.simulated import Machine, simulate
from tests.helpers.support import rows, shared
from udfs import replay

RECORDED = ("dask_chain_starve", "dask_late_submit", "dask_tree_reduce", "starpu_mpichol")


def what_if(con, run="r1"):
    """Return (bound, replay) in ns by change."""
    query = "SELECT change, gain_at_most, replay_gain FROM idle_what_if(?) WHERE cause IS NULL"
    return {change: (bound, replay) for change, bound, replay in rows(con, query, run)}


def task(name, worker, start, end, submit=None):
    return {
        "fragment_id": name,
        "worker_id": worker,
        "t_start": start,
        "t_end": end,
        "t_submit": submit,
    }


def chain(gap):
    """Return ten dependent tasks of 100 ns that take turns on two workers, `gap` ns apart."""
    tasks = [task(f"t{i}", "AB"[i % 2], i * (100 + gap), 100 + i * (100 + gap)) for i in range(10)]
    return {
        "workers": [{"worker_id": w, "node_id": "n"} for w in "AB"],
        "fragments": tasks,
        "data": [
            {"data_id": t["fragment_id"], "producer_fragment": t["fragment_id"]} for t in tasks
        ],
        "inputs": [{"fragment_id": f"t{i}", "data_id": f"t{i - 1}"} for i in range(1, 10)],
    }


def test_one_more_worker_brings_nothing_to_a_chain(warehouse):
    land_schedules(warehouse, {"r1": chain(0), "r2": chain(5)})
    assert what_if(warehouse) == {
        "no latency": (0, 0),
        "no overhead": (0, 0),
        "other placement": (0, 0),
        "one more worker": (0, 0),
    }
    # The gaps are overhead, which one more worker leaves.
    assert what_if(warehouse, "r2") == {
        "no latency": (0, 0),
        "no overhead": (45, 45),
        "other placement": (0, 0),
        "one more worker": (0, 0),
    }


def test_independent_tasks_gain_what_the_work_allows(warehouse):
    tasks = [task("a", "A", 0, 10), task("b", "B", 0, 10), task("c", "A", 10, 20)]
    schedule = {
        "workers": [{"worker_id": w, "node_id": "n"} for w in "AB"],
        "fragments": tasks,
    }
    inputs = [{"fragment_id": name, "data_id": "x"} for name in "abc"]
    read = {"data": [{"data_id": "x"}], "inputs": inputs}
    land_schedules(warehouse, {"r1": schedule | read, "r2": schedule})
    assert what_if(warehouse)["one more worker"] == (10, 10)
    # without inputs nothing tells that the tasks do not need each other
    assert what_if(warehouse, "r2")["one more worker"] == (10, None)


def in_turn(gap=0, **more):
    """Return a thread each for 3 workers that computes for 10 ns, then for 20 ns under one lock."""
    tasks, lock_free = [], 0
    for i in range(12):
        start = max(lock_free, 10) + gap
        tasks.append(task(f"c{i}", "ABC"[i % 3], start - 10, start) | {"ftype": "compute"})
        tasks.append(task(f"l{i}", "ABC"[i % 3], start, start + 20) | {"ftype": "locked"})
        lock_free = start + 20
    return {
        "workers": [{"worker_id": w, "node_id": "n"} for w in "ABC"],
        "fragments": tasks,
        "data": [{"data_id": "x"}],
        "inputs": [{"fragment_id": t["fragment_id"], "data_id": "x"} for t in tasks],
    } | more


def test_tasks_that_take_turns_still_do_on_one_more_worker(warehouse):
    """The trace does not record the lock; one holds it for 240 of 250 ns."""
    unrecorded = in_turn(data=[], inputs=[])
    land_schedules(warehouse, {"r1": in_turn(), "r2": unrecorded, "r3": in_turn(gap=9)})
    assert what_if(warehouse)["one more worker"] == (0, 0)
    assert what_if(warehouse)["no overhead"] == (10, 10)
    assert what_if(warehouse, "r2") == {"one more worker": (10, None)}
    # with time between them, the runtime may have handed them out slowly
    assert what_if(warehouse, "r3")["no overhead"][1] > 100
    one = in_turn()
    one["fragments"][-1] |= {"t_start": 210, "t_end": 230, "worker_id": "B"}
    land_schedules(warehouse, {"r4": one})
    assert what_if(warehouse, "r4")["no overhead"][1] > 100


def test_work_of_the_runtime_on_a_datum_after_its_producer_is_overhead(warehouse):
    schedule = {
        "workers": [{"worker_id": w, "node_id": "n"} for w in "AB"],
        "fragments": [task("p", "A", 0, 100), task("c", "B", 300, 400), task("e", "B", 0, 1)],
        "data": [{"data_id": "d", "producer_fragment": "p", "t_ready": 250}],
        "inputs": [{"fragment_id": "c", "data_id": "d"}],
        "runtime": [{"worker_id": "A", "t_start": 100, "t_end": 250}],
    }
    land_schedule(warehouse, schedule)
    # 50 before c, and 150 in which the datum is not made yet
    assert what_if(warehouse)["no overhead"][0] == 200


def test_time_before_submission_is_no_overhead(warehouse):
    tasks = [task("a", "A", 0, 10, 0), task("b", "A", 100, 110, 90)]
    workers = [{"worker_id": "A", "node_id": "n"}]
    work = [{"worker_id": "A", "t_start": 5, "t_end": 6}]
    land_schedule(warehouse, {"workers": workers, "fragments": tasks, "runtime": work})
    assert what_if(warehouse)["no overhead"] == (10, 10)


def test_no_worker_takes_up_a_task_before_it_is_submitted(warehouse):
    tasks = [task(f"t{i}", "A", 1000 * i, 1000 * i + 2, 1000 * i) for i in range(10)]
    read = {
        "workers": [{"worker_id": "A", "node_id": "n"}],
        "data": [{"data_id": "x"}],
        "inputs": [{"fragment_id": t["fragment_id"], "data_id": "x"} for t in tasks],
    }
    at_once = [t | {"t_submit": 0} for t in tasks]
    land_schedules(
        warehouse, {"r1": read | {"fragments": tasks}, "r2": read | {"fragments": at_once}}
    )
    assert what_if(warehouse)["one more worker"] == (0, 0)
    # the time between them is overhead then, which stays
    assert what_if(warehouse, "r2")["one more worker"] == (9002 - 5000, 9002 - 5000)


def test_tasks_placed_anew_are_no_gain_of_one_more_worker(warehouse):
    tasks = [task(f"t{i}", "A", 10 * i, 10 * i + 10) for i in range(12)]
    land_schedule(
        warehouse,
        {
            "workers": [{"worker_id": w, "node_id": "n"} for w in "ABC"],
            "fragments": tasks,
            "data": [{"data_id": "x"}],
            "inputs": [{"fragment_id": t["fragment_id"], "data_id": "x"} for t in tasks],
        },
    )
    gains = what_if(warehouse)
    assert gains["other placement"] == (80, 80) and gains["one more worker"] == (10, 10)
    # what is not replayed may be placed badly, too
    query = "SELECT gain_at_most FROM _gains('r1', 9) WHERE change = 'one more worker'"
    assert rows(warehouse, query) == [(90,)]


def test_what_waits_cost_is_unknown_where_their_causes_are(warehouse):
    tasks = [task("a", "A", 0, 10), task("b", "A", 100, 110)]
    land_schedule(warehouse, {"workers": [{"worker_id": "A", "node_id": "n"}], "fragments": tasks})
    assert what_if(warehouse) == {"one more worker": (100, None)}


def graph_of(con, run):
    """Return the graph that the replay of a run gets, or None where it has no tasks."""
    found: list[replay.Graph] = []
    for _, begins, tasks, inputs in rows(con, "FROM _task_graph(?, 1000000)", run):
        tasks.sort(key=lambda task: (task["t_start"], task["n"]))
        place = {task["n"]: i for i, task in enumerate(tasks)}
        inputs.sort(key=lambda row: place[row["reader"]])
        worker, *waits = ([task[name] for task in tasks] for name in replay._TASK)
        times = ([task[name] for task in tasks] for name in ("t_start", "t_end"))
        readers, producers = (
            [place[row[name]] for row in inputs] for name in ("reader", "producer")
        )
        first = [sum(reader < i for reader in readers) for i in range(len(tasks) + 1)]
        made = [row["t_made"] for row in inputs]
        found.append(replay.Graph(begins, worker, *times, *waits, first, producers, made))
    return found[0] if found else None


def check(con, run):
    graph = graph_of(con, run)
    if graph is None:
        return
    before, _ = graph.overlap()
    assert graph.in_order(before, latency=True, overhead=True) == max(graph.end)
    for bound, replayed in what_if(con, run).values():
        assert replayed is None or 0 <= replayed <= bound


def test_no_bound_lies_below_a_replay_of_generated_schedules(warehouse):
    machines = [Machine(tasks=60, detours=0.3, dispatch=seed) for seed in range(8)]
    runs = {f"s{seed}": simulate(machine, seed).recorded for seed, machine in enumerate(machines)}
    runs |= {f"a{seed}": awkward_schedule(seed) for seed in range(10)}
    runs |= {f"r{seed}": random_schedule(seed) for seed in range(10)}
    land_schedules(warehouse, runs)
    for run in runs:
        check(warehouse, run)


@pytest.mark.parametrize("name", RECORDED)
def test_no_bound_lies_below_a_replay_of_recorded_traces(warehouse, name):
    land_schedule(warehouse, read_schedule(shared(f"slo/{name}/norm")))
    check(warehouse, "r1")


def test_a_long_run_has_bounds_and_no_replay(warehouse):
    land_schedule(warehouse, chain(5))
    query = "SELECT change, gain_at_most, replay_gain FROM _gains('r1', 9) ORDER BY ALL"
    assert rows(warehouse, query) == [
        ("half as long", 22, None),
        ("half as long", 500, None),
        ("no latency", 0, None),
        ("no overhead", 45, None),
        ("one more worker", 0, None),
        ("other placement", 0, None),
    ]


def test_what_is_stored_is_what_the_macros_answer(warehouse):
    machine = Machine(tasks=60, detours=0.3, dispatch=1)
    runs = {f"s{seed}": simulate(machine, seed).recorded for seed in range(3)}
    land_schedules(warehouse, runs | {"turns": in_turn(), "chain": chain(0)})
    for run in (*runs, "turns", "chain"):
        stored = "SELECT * EXCLUDE (run_id) FROM idle_gains WHERE run_id = ? ORDER BY ALL"
        assert rows(warehouse, stored, run) == rows(
            warehouse, "FROM idle_what_if(?) ORDER BY ALL", run
        )
    advice = "SELECT DISTINCT advice FROM slo_by_run WHERE run_id = 'chain'"
    assert [text for (text,) in rows(warehouse, advice)] == [
        "Neither more workers nor less waiting would help: the chain of tasks that need each other "
        "is all of the time."
    ]


def test_where_tasks_run_hardly_ever_no_chain_of_them_is_all_of_the_time(warehouse):
    """No replay gains: each reads what is made later, of most at the same moment."""
    tasks = [
        task(f"t{i}", "ABCD"[i % 4], i // 4 * 100, i // 4 * 100 + 50 * (i % 3 == 0))
        for i in range(40)
    ]
    land_schedule(
        warehouse,
        {
            "workers": [{"worker_id": w, "node_id": "n"} for w in "ABCD"],
            "fragments": tasks,
            "data": [
                {"data_id": t["fragment_id"], "producer_fragment": t["fragment_id"]} for t in tasks
            ],
            "inputs": [{"fragment_id": f"t{i}", "data_id": f"t{i - 1}"} for i in range(1, 40)],
        },
    )
    replayed = "SELECT max(replay_gain) FROM idle_gains WHERE cause IS NULL"
    compute = "SELECT percent < 50 FROM critical_path_shares WHERE cause = 'compute'"
    assert rows(warehouse, replayed) == [(0,)] and rows(warehouse, compute) == [(True,)]
    ((advice,),) = rows(warehouse, "SELECT DISTINCT advice FROM slo_by_run")
    assert "parallelism" in advice and "chain" not in advice


def test_the_function_takes_many_graphs_at_once():
    idle = dict.fromkeys(("n", "t_start", "t_end", "type", *replay._TASK), 0)
    tasks = [idle | {"n": 1, "t_start": 5, "t_end": 9}, idle | {"t_end": 5}]
    one = {"reader": 1, "producer": 0, "t_made": 5}
    part = pa.struct([("type", pa.int64()), ("cause", pa.string())])
    found = replay.replay_tasks(
        pa.array([[0], [0]]),
        pa.array([tasks, tasks]),
        pa.array([[one], []], pa.list_(pa.struct([(name, pa.int64()) for name in one]))),
        pa.array([[{"type": 0, "cause": "compute"}], []], pa.list_(part)),
    )
    assert [(row["halved"], row["one_more_worker"]) for row in found.to_pylist()] == [
        ([5], 0),
        ([], 4),
    ]
