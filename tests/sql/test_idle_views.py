"""What is made of attributed idle time: sums, windows, the critical path, bounds, clock skew."""

from __future__ import annotations

import random
from itertools import pairwise, product

import pytest

from apps.queries import idle
from apps.queries.base import ask
from tests.helpers.idle_reference import MODES, RULES, Reference, size, within
from tests.helpers.schedules import land_schedule, land_schedules, random_schedule
from tests.helpers.simulated import Machine, simulate
from tests.helpers.support import rows

# A makes x, B waits for it, then for the network, then for the runtime.
TEXTBOOK = {
    "workers": [
        {"worker_id": "A", "node_id": "n0", "t_begin": 0, "t_end": 100},
        {"worker_id": "B", "node_id": "n1", "t_begin": 0, "t_end": 100},
    ],
    "fragments": [
        {"fragment_id": "p", "worker_id": "A", "t_start": 0, "t_end": 30, "ftype": "make"},
        {"fragment_id": "m", "worker_id": "B", "t_start": 45, "t_end": 90, "ftype": "use"},
    ],
    "data": [{"data_id": "x", "producer_fragment": "p"}],
    "inputs": [{"fragment_id": "m", "data_id": "x"}],
    "transfers": [{"data_id": "x", "src_node": "n0", "dst_node": "n1", "t_send": 32, "t_recv": 40}],
    "runtime": [{"worker_id": "A", "t_start": 10, "t_end": 15}],
}
DIRECT = "mode = 'direct' AND latency_rule = 'union'"


def test_sums_of_workers_nodes_and_the_run(warehouse):
    land_schedule(warehouse, TEXTBOOK)
    assert rows(
        warehouse,
        "SELECT worker, node, intervals, wall, busy, starvation, latency, overhead, tail, dominant "
        f"FROM slo_by_worker WHERE {DIRECT} ORDER BY worker",
    ) == [
        ("A", "n0", 0, 100, 30, 0, 0, 0, 70, None),
        ("B", "n1", 1, 100, 45, 25, 8, 12, 10, "starvation"),
    ]
    assert rows(
        warehouse,
        "SELECT workers, wall, busy, busy_percent, starvation_percent, tail_percent, dominant "
        f"FROM slo_by_run WHERE {DIRECT}",
    ) == [(2, 200, 75, 37.5, 12.5, 40.0, "starvation")]
    assert rows(
        warehouse, f"SELECT node, workers, latency FROM idle_by_node WHERE {DIRECT} ORDER BY node"
    ) == [("n0", 1, 0), ("n1", 1, 8)]


def test_sums_by_type_and_by_whom_is_blamed(warehouse):
    land_schedule(warehouse, TEXTBOOK)
    assert rows(
        warehouse,
        f"SELECT name, starvation, latency, idle_percent FROM idle_by_type WHERE {DIRECT}",
    ) == [("use", 25, 8, 100.0)]
    assert rows(
        warehouse,
        "SELECT blamed_type, starvation1, starvation, overhead, blamed_percent "
        f"FROM idle_by_blamed WHERE {DIRECT}",
    ) == [("make", 30, 25, 5, 100.0)]
    assert rows(
        warehouse, f"SELECT blamed_worker, starvation1 FROM idle_by_blamed_worker WHERE {DIRECT}"
    ) == [("A", 30)]


ASKED = {
    "idle/blame": {"most": None, "worker": None},
    "idle/workers": {"most": 9},
    "idle/by": {"by": "type"},
    "idle/flags": {},
}


@pytest.mark.parametrize("schedule", [TEXTBOOK, *map(random_schedule, range(2))])
def test_stored_sums_are_those_of_the_rows_and_of_a_window_of_the_whole_run(warehouse, schedule):
    land_schedule(warehouse, schedule)
    ((run, t0, t1),) = rows(
        warehouse,
        "SELECT run_id, min(t_begin) - 1, max(t_end) + 1 FROM _worker_windows GROUP BY run_id",
    )
    shown = ask(warehouse, "runs/workers", run_id=run).fetchall()
    raw = rows(warehouse, "FROM worker_summary ORDER BY worker")
    assert [one[:-1] for one in shown] == [one[1:] for one in raw]
    for mode, rule in product(MODES, RULES):
        for name, params in ASKED.items():
            whole, part = (
                idle.in_reading(
                    warehouse, name, idle.Reading(mode, rule, window), run_id=run, **params
                ).fetchall()
                for window in (None, (t0, t1))
            )
            assert whole == part
    for most in (1, 9):
        whole, part = (
            idle.within(
                warehouse, "idle/path_parts", window, run_id=run, most=most, worker=None
            ).fetchall()
            for window in (None, (t0, t1))
        )
        assert whole == part


def test_every_reading_of_every_run_has_its_row(warehouse):
    land_schedule(warehouse, TEXTBOOK)
    assert rows(warehouse, "SELECT count(*), count(DISTINCT (mode, latency_rule)) FROM slo_by_run")[
        0
    ] == (6, 6)


def test_a_window_holds_what_lies_in_it(warehouse):
    land_schedule(warehouse, TEXTBOOK)
    assert rows(
        warehouse,
        "SELECT workers, wall, busy, starvation, latency, overhead, tail "
        f"FROM slo_window('r1', 12, 35) WHERE {DIRECT}",
    ) == [(2, 46, 18, 15, 3, 5, 5)]
    assert rows(
        warehouse,
        "SELECT worker, t_start, t_end, kind, starvation1, ov_concrete, ov_rest "
        f"FROM idle_window('r1', 12, 35) WHERE {DIRECT} ORDER BY worker",
    ) == [("A", 30, 35, "tail", 5, 0, 0), ("B", 12, 35, "lead", 18, 3, 2)]


def test_a_worker_that_was_there_for_a_moment_counts_in_the_window_that_has_it(warehouse):
    window = {"t_begin": 20, "t_end": 20}
    moment = {"worker_id": "C", "node_id": TEXTBOOK["workers"][0]["node_id"], **window}
    land_schedule(warehouse, {**TEXTBOOK, "workers": [*TEXTBOOK["workers"], moment]})
    ((every,),) = rows(warehouse, f"SELECT workers FROM slo_by_run WHERE {DIRECT}")
    sql = f"SELECT workers FROM slo_window('r1', ?, ?) WHERE {DIRECT}"
    assert every == 3
    assert rows(warehouse, sql, 0, 1000) == [(3,)] == rows(warehouse, sql, 12, 20)
    assert rows(warehouse, sql, 21, 35) == [(2,)]


def test_workers_that_were_there_for_decades_are_judged(warehouse):
    tasks = [{"fragment_id": "a", "worker_id": "A", "t_start": 0, "t_end": 7 * 10**17}]
    land_schedule(warehouse, {"workers": [{"worker_id": "A"}], "fragments": tasks})
    assert rows(warehouse, "SELECT DISTINCT is_judged FROM slo_by_worker") == [(True,)]


def schedule(seed):
    if seed % 2:
        return random_schedule(seed)
    machine = Machine(tasks=30, totals=random.Random(seed).choice([0, 0.5, 1]), skew=seed)
    return simulate(machine, seed).recorded


@pytest.mark.parametrize("seed", range(6))
def test_windows_are_exact_and_side_by_side_they_add_up(warehouse, seed):
    land_schedule(warehouse, schedule(seed))
    low, high = rows(warehouse, "SELECT min(t_start), max(t_end) FROM idle_intervals")[0]
    rng = random.Random(seed)
    cuts = sorted({low - 5, high + 5, *(rng.randint(low, high) for _ in range(3))})
    readings = [(mode, rule) for mode in MODES for rule in RULES]
    reference = {r: Reference(schedule(seed)).attribute(*r) for r in readings}
    total = dict.fromkeys(readings, (0, 0, 0, 0))
    for t0, t1 in pairwise(cuts):
        for mode, rule, *parts in rows(
            warehouse,
            "SELECT mode, latency_rule, starvation, latency, overhead, tail "
            "FROM slo_window('r1', ?, ?)",
            t0,
            t1,
        ):
            s, latency, overhead, tail = parts
            sizes = {
                (kind, name): sum(
                    size(within(row["sets"][name], [(t0, t1)]))
                    for row in reference[mode, rule]
                    if (row["kind"] == "tail") == (kind == "tail")
                )
                for kind in ("tail", "")
                for name in "SCXLR"
            }
            assert tail == sizes["tail", "S"]
            assert latency == sizes["", "L"] + sizes["", "X"]
            assert s + overhead == sizes["", "S"] + sizes["", "C"] + sizes["", "R"]
            assert s <= sizes["", "S"]
            total[mode, rule] = tuple(x + y for x, y in zip(total[mode, rule], parts, strict=True))
    for mode, rule, *parts in rows(
        warehouse, "SELECT mode, latency_rule, starvation, latency, overhead, tail FROM slo_by_run"
    ):
        assert total[mode, rule] == tuple(parts)


def test_timeline_is_cut_to_its_window(warehouse):
    land_schedule(warehouse, TEXTBOOK)
    assert rows(
        warehouse,
        "SELECT worker, t_start, t_end, class FROM idle_timeline('r1', 12, 42) "
        f"WHERE {DIRECT} ORDER BY worker, t_start",
    ) == [
        ("A", 30, 42, "S"),
        ("B", 12, 15, "C"),
        ("B", 15, 30, "S"),
        ("B", 30, 32, "R"),
        ("B", 32, 40, "L"),
        ("B", 40, 42, "R"),
    ]


def test_critical_path_goes_back_to_the_producer(warehouse):
    land_schedule(warehouse, TEXTBOOK)
    assert rows(
        warehouse,
        "SELECT task, cause, t_start, t_end, ns FROM critical_paths "
        "WHERE run_id = 'r1' ORDER BY step",
    ) == [
        ("m", "compute", 45, 90, 45),
        ("m", "overhead", 40, 45, 5),
        ("m", "latency", 32, 40, 8),
        ("m", "overhead", 30, 32, 2),
        ("p", "compute", 0, 30, 30),
    ]
    assert rows(
        warehouse,
        "SELECT name, cause, ns FROM critical_path_shares "
        "WHERE run_id = 'r1' ORDER BY ns DESC LIMIT 2",
    ) == [("use", "compute", 45), ("make", "compute", 30)]
    assert rows(
        warehouse,
        "SELECT change, gain_at_most, percent FROM idle_gains WHERE cause IS NULL ORDER BY change",
    ) == [
        ("no latency", 8, 8.0),
        ("no overhead", 7, 7.0),
        ("one more worker", 0, 0.0),
        ("other placement", 0, 0.0),
    ]


def test_critical_path_accounts_for_all_time(warehouse):
    machine = Machine(tasks=60, detours=0.3)
    runs = {f"r{seed}": simulate(machine, seed).recorded for seed in range(8)}
    land_schedules(warehouse, runs)
    for run in runs:
        assert rows(
            warehouse,
            "SELECT sum(ns) = max(t_end) - min(t_start) FROM critical_paths WHERE run_id = ?",
            run,
        ) == [(True,)]


def test_critical_path_ends_where_times_contradict_each_other(warehouse):
    runs = {f"r{seed}": random_schedule(seed) for seed in range(8)}
    land_schedules(warehouse, runs)
    for run in runs:
        assert rows(warehouse, "FROM critical_paths WHERE run_id = ? AND ns <= 0", run) == []


def test_clock_skew_is_half_the_difference_of_the_fastest_ways(warehouse):
    simulation = simulate(Machine(tasks=400, nodes=2, workers=3, skew=5000, network=2), 3)
    land_schedule(warehouse, simulation.recorded)
    ((ahead, recorded, fastest),) = rows(
        warehouse, "SELECT other_ahead_ns, recorded_ahead_ns, fastest_ns FROM clock_skew"
    )
    assert abs(ahead - recorded) <= fastest <= 4


@pytest.mark.parametrize(
    ("ns", "text"),
    [("76::DOUBLE", "76 ns"), ("76", "76 ns"), ("1500", "1.5 µs"), ("2e12", "2,000 s")],
)
def test_durations_in_flags_have_three_digits(warehouse, ns, text):
    assert rows(warehouse, f"SELECT _duration_text({ns})") == [(text,)]
