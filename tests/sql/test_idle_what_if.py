"""Bounds on what other machines would gain, checked against replays of the task graphs."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from tests.helpers.awkward import awkward_schedule
from tests.helpers.schedules import land_schedule, land_schedules, random_schedule, read_schedule
from tests.helpers.simulated import Machine, simulate
from tests.helpers.support import rows, shared
from udfs import replay
from warehouse import analyses

RECORDED = ("dask_chain_starve", "dask_late_submit", "dask_tree_reduce", "starpu_mpichol")


def what_if(con, run="r1"):
    """Return (bound, replay) in ns by change."""
    query = """
        SELECT change, gain_at_most, replay_gain FROM idle_gains
        WHERE run_id = ? AND cause IS NULL
    """
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


def test_what_waits_cost_is_unknown_where_their_causes_are(warehouse):
    tasks = [task("a", "A", 0, 10), task("b", "A", 100, 110)]
    land_schedule(warehouse, {"workers": [{"worker_id": "A", "node_id": "n"}], "fragments": tasks})
    assert what_if(warehouse) == {"one more worker": (100, None)}


@pytest.fixture
def replays(monkeypatch):
    """Return the (measured, replayed) last ends of all task graphs, with all their waits."""
    found: list[tuple[int, int]] = []
    gains = replay.Graph.gains

    def noted(self, parts):
        found.append((max(self.end), self.in_order(self.overlap()[0])))
        return gains(self, parts)

    monkeypatch.setattr(replay.Graph, "gains", noted)
    return found


def check(con, run):
    for bound, replayed in what_if(con, run).values():
        assert replayed is None or 0 <= replayed <= bound


def test_no_bound_lies_below_a_replay_of_generated_schedules(warehouse, replays):
    machines = [Machine(tasks=60, detours=0.3, dispatch=seed) for seed in range(8)]
    runs = {f"s{seed}": simulate(machine, seed).recorded for seed, machine in enumerate(machines)}
    runs |= {f"a{seed}": awkward_schedule(seed) for seed in range(10)}
    runs |= {f"r{seed}": random_schedule(seed) for seed in range(10)}
    land_schedules(warehouse, runs)
    for run in runs:
        check(warehouse, run)
    assert len(replays) > 20 and all(measured == replayed for measured, replayed in replays)


@pytest.mark.parametrize("name", RECORDED)
def test_no_bound_lies_below_a_replay_of_recorded_traces(warehouse, name):
    land_schedule(warehouse, read_schedule(shared(f"slo/{name}/norm")))
    check(warehouse, "r1")


def test_a_long_run_has_bounds_and_no_replay(warehouse, monkeypatch):
    graphs = next(one for one in analyses.every() if one.name == "_task_graphs")
    short = replace(graphs, rows=graphs.rows.replace("<= 20_000", "<= 9"))
    every = [short if one is graphs else one for one in analyses.every()]
    monkeypatch.setattr(analyses, "every", lambda: every)
    land_schedule(warehouse, chain(5))
    query = "SELECT change, gain_at_most, replay_gain FROM idle_gains ORDER BY ALL"
    assert rows(warehouse, query) == [
        ("half as long", 22, None),
        ("half as long", 500, None),
        ("no latency", 0, None),
        ("no overhead", 45, None),
        ("one more worker", 0, None),
        ("other placement", 0, None),
    ]


def test_a_chain_that_nothing_shortens_is_what_is_advised(warehouse):
    land_schedule(warehouse, chain(0))
    assert {text for (text,) in rows(warehouse, "SELECT advice FROM slo_by_run")} == {
        "Neither more workers nor less waiting would help: the chain of tasks that need each other "
        "is all of the time."
    }


def test_more_workers_than_one_more_may_help_where_that_one_does_not(warehouse):
    """Layers of six tasks on four workers take two rounds, on five too, on six one."""
    tasks = [
        task(
            f"t{i}",
            "ABCD"[i % 6 % 4],
            i // 6 * 20 + i % 6 // 4 * 10,
            i // 6 * 20 + i % 6 // 4 * 10 + 10,
        )
        for i in range(24)
    ]
    land_schedule(
        warehouse,
        {
            "workers": [{"worker_id": w, "node_id": "n"} for w in "ABCD"],
            "fragments": tasks,
            "data": [{"data_id": f"t{i}", "producer_fragment": f"t{i}"} for i in range(24)],
            "inputs": [
                {"fragment_id": f"t{i}", "data_id": f"t{i // 6 * 6 - 6 + j}"}
                for i in range(6, 24)
                for j in range(6)
            ],
        },
    )
    assert what_if(warehouse)["one more worker"][1] == 0
    ((cause, advice),) = rows(warehouse, "SELECT DISTINCT root_cause, advice FROM slo_by_run")
    assert cause == "starvation" and advice.startswith("Too little parallelism here")


def test_what_lost_inputs_would_forbid_is_no_sure_gain(warehouse):
    """A chain on one of four workers, of which every third task's input is not recorded."""
    lost = chain(0)
    for one in lost["fragments"]:
        one["worker_id"] = "A"
    lost["workers"] = [{"worker_id": w, "node_id": "n"} for w in "ABCD"]
    lost["inputs"] = [row for i, row in enumerate(lost["inputs"]) if i % 3 != 2]
    land_schedules(warehouse, {"r1": chain(0), "r2": lost})
    assert rows(
        warehouse,
        """
        SELECT run_id, replay_gain > 0, is_assumed, is_chain
        FROM idle_gains JOIN _run_tasks USING (run_id)
        WHERE change = 'other placement' ORDER BY run_id
        """,
    ) == [("r1", False, False, True), ("r2", True, True, False)]


def test_kernels_are_placed_on_streams_only(warehouse):
    """Four kernels on one of two streams, beside three threads that wait for them."""
    land_schedule(
        warehouse,
        {
            "workers": [{"worker_id": w, "node_id": "n"} for w in ("s7", "s8", "A", "B", "C")],
            "fragments": [
                *[task(f"k{i}", "s7", 10 * i, 10 * i + 10) for i in range(4)],
                *[task(f"h{i}", "ABC"[i], 0, 2) for i in range(3)],
                task("last", "A", 40, 50),
            ],
            "data": [{"data_id": f"k{i}", "producer_fragment": f"k{i}"} for i in range(4)],
            "inputs": [{"fragment_id": "last", "data_id": f"k{i}"} for i in range(4)],
        },
    )
    anywhere = what_if(warehouse)
    warehouse.execute("UPDATE workers SET device = 0 WHERE worker LIKE 's%'")
    assert rows(warehouse, "SELECT kind FROM _worker_kinds ORDER BY worker") == [
        (kind,) for kind in ("cpu", "cpu", "cpu", "stream", "stream")
    ]
    # on two streams the kernels take 20 ns, on five workers one could run beside the others
    assert what_if(warehouse)["other placement"] == (20, 20)
    assert anywhere["other placement"] == (30, 28)
    # one more stream is no more device
    assert "one more worker" in anywhere
    warehouse.execute("UPDATE workers SET device = 0")
    assert "one more worker" not in what_if(warehouse)


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


def test_one_more_worker_is_no_driver(warehouse):
    """A driver makes one task after another, which two workers could run in a third of the time."""
    plans = [task(f"p{i}", "driver", 10 * i, 10 * i + 10) for i in range(10)]
    work = [task(f"w{i}", "AB"[i % 2], 10 * i + 10, 10 * i + 14) for i in range(10)]
    land_schedule(
        warehouse,
        {
            "workers": [{"worker_id": w, "node_id": "n"} for w in ("driver", "A", "B")],
            "fragments": plans + work,
            "data": [{"data_id": f"p{i}", "producer_fragment": f"p{i}"} for i in range(10)],
            "inputs": [{"fragment_id": f"w{i}", "data_id": f"p{i}"} for i in range(10)],
        },
    )
    gains = what_if(warehouse)
    assert gains["one more worker"] == gains["other placement"] == (0, 0)


def test_the_function_takes_many_graphs_at_once():
    names = ("n", "worker", "t_submit", "early", "late", "rest")
    idle = dict.fromkeys((*names, "t_start", "t_end", "idle_from", "is_recorded"), 0) | {
        "task": "t"
    }
    tasks = [idle | {"n": 1, "t_start": 5, "t_end": 9}, idle | {"t_end": 5}]
    one = {"reader": 1, "producer": 0, "t_made": 5, "t_sent": 5, "t_there": 5}
    workers = [{"t_begin": 0, "kind": "cpu"}]
    found = replay.replay_tasks(
        pa.array([tasks, tasks]),
        pa.array([[one], []], pa.list_(pa.struct([(name, pa.int64()) for name in one]))),
        pa.array([workers, workers]),
        pa.array(
            [[{"cause": "compute", "tasks": [0, 1]}], []],
            pa.list_(pa.struct([("cause", pa.string()), ("tasks", pa.list_(pa.int64()))])),
        ),
    )
    assert [(row["halved"], row["one_more_worker"]) for row in found.to_pylist()] == [
        ([5], 0),
        ([], 4),
    ]
