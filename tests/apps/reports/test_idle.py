"""What is told of idle time: the cause that matters comes first, and advice follows it."""

from __future__ import annotations

import json

import pytest

from apps.queries.idle import Reading
from apps.reports.idle import idle_sentences
from tests.helpers import notation
from tests.helpers.schedules import land_schedule, write_schedule
from tests.helpers.simulated import Machine, simulate
from tests.helpers.support import by_hand, given, land, rows
from tests.sql.test_slow_workers import schedule
from warehouse.errors import NothingToAnalyse


def task(name, worker, start, end, submit=None):
    return {
        "fragment_id": name,
        "worker_id": worker,
        "t_start": start,
        "t_end": end,
        "t_submit": submit,
        "ftype": name[0],
    }


def waiting_for_overhead():
    """B and C wait for A's task, before which A's runtime was in the way for 90 ns."""
    workers = [{"worker_id": w, "node_id": "n", "t_begin": 0} for w in "ABC"]
    return {
        "workers": workers,
        "fragments": [task("p", "A", 90, 100), task("m", "B", 100, 110), task("k", "C", 100, 110)],
        "data": [{"data_id": "x", "producer_fragment": "p"}, {"data_id": "z", "t_ready": 0}],
        "inputs": [{"fragment_id": name, "data_id": "x"} for name in "mk"]
        + [{"fragment_id": "p", "data_id": "z"}],
    }


def test_advice_follows_the_root_cause_and_both_are_named(warehouse):
    land_schedule(warehouse, waiting_for_overhead())
    sentences = idle_sentences(warehouse, "r1")
    (headline,) = [s for s in sentences if "root cause is" in s]
    assert headline.startswith("At first sight starvation dominates (60.6 %), but the root cause ")
    assert "overhead (81.8 %)" in headline and "an inefficient runtime. Or nothing" in headline
    deep = " ".join(idle_sentences(warehouse, "r1", Reading("transitive")))
    assert "Overhead dominates. Tasks too fine" in deep
    window = " ".join(idle_sentences(warehouse, "r1", Reading(window=(0, 100))))
    assert "root cause is overhead" in window


def test_a_worker_that_is_busy_while_the_others_wait_for_it_is_named(warehouse):
    """As a GPU for which the thread that launched its kernels waits."""
    gpu_bound = {
        "workers": [{"worker_id": w, "node_id": "n", "t_begin": 0, "t_end": 100} for w in "gt"],
        "fragments": [task("k", "g", 2, 98), task("l", "t", 0, 2), task("s", "t", 98, 100)],
        "data": [{"data_id": "x", "producer_fragment": "k"}],
        "inputs": [{"fragment_id": "s", "data_id": "x"}],
    }
    land_schedule(warehouse, gpu_bound)
    told = "100 % of the starvation waits for g, busy 96 % of the time: what runs there holds up"
    assert any(sentence.startswith(told) for sentence in idle_sentences(warehouse, "r1"))


def test_flags_are_those_of_the_window(warehouse):
    late = waiting_for_overhead()
    late["data"][0]["t_ready"] = 105
    land_schedule(warehouse, late)
    for window, flagged in ((None, True), ((0, 50), True), ((100, 110), False)):
        told = " ".join(idle_sentences(warehouse, "r1", Reading(window=window)))
        assert ("intervals flagged causality" in told) is flagged


@pytest.mark.parametrize("window", [(200, 300), (-9, 0), (50, 50), (90, 20)])
def test_a_window_without_workers_says_where_they_were(warehouse, window):
    land_schedule(warehouse, waiting_for_overhead())
    with pytest.raises(NothingToAnalyse, match=r"the window from") as error:
        idle_sentences(warehouse, "r1", Reading(window=window))
    assert error.value.hint == "The workers of r1 were there from 0 to 110 ns."


def test_sums_are_those_of_the_thesis(warehouse):
    land_schedule(warehouse, waiting_for_overhead())
    (line,) = [s for s in idle_sentences(warehouse, "r1") if s.startswith("TS ")]
    assert line.startswith("TS 200 ns, TL 0 ns, TO 90 ns, ThreadT 30 ns, WallT 330 ns,")


def test_a_slow_worker_comes_first(warehouse):
    tasks = {f"w{w}": [("a", 400 if w == 2 else 100)] * 10 for w in range(4)}
    by_hand(warehouse)
    land_schedule(warehouse, schedule(tasks))
    first = idle_sentences(warehouse, "r1")[0]
    assert first.startswith("The worker w2 is slow, or has the larger tasks: they take 4 times as")


def test_skewed_clocks_come_before_all_else_and_the_command_is_named(warehouse, another, tmp_path):
    recorded = simulate(Machine(tasks=200, nodes=2, skew=4000, network=2), 3).recorded
    recorded["nodes"] = []
    folder = write_schedule(tmp_path / "skewed", recorded)
    (landed,) = land(warehouse, folder)
    first = idle_sentences(warehouse, landed.runs[0])[0]
    assert first.startswith("The clocks of n0 and n1 are ") and "are wrong" in first
    assert f"pwh ingest {folder / 'fragments.csv'} --replace --align-clocks" in first
    told = " ".join(idle_sentences(warehouse, landed.runs[0]))
    assert "is unknown until the clocks are set right" in told
    assert not [word for word in ("dominates", "path", "blamed", "replay") if word in told]
    for source in ("slo_by_run", "slo_by_kind", "slo_by_worker", "idle_by_node", "idle_by_type"):
        assert rows(warehouse, f"SELECT DISTINCT dominant FROM {source}") == [(None,)]
    window = f"FROM slo_window('{landed.runs[0]}', 0, 100000)"
    verdicts = "SELECT DISTINCT dominant, root_cause, reason.code"
    assert rows(warehouse, f"{verdicts} {window}") == [(None, None, "clocks_disagree")]
    (landed,) = land(another(), folder, align_clocks=True)
    assert len(landed.clocks) == 2
    land(warehouse, folder, align_clocks=True, replace=True)
    assert "clocks" not in " ".join(idle_sentences(warehouse, landed.runs[0]))


def test_contradictions_without_messages_both_ways_name_the_other_option(warehouse):
    workers = [{"worker_id": w, "node_id": f"n{w}"} for w in "AB"]
    made = [task(f"p{i}", "A", 100 + 20 * i, 110 + 20 * i) for i in range(5)]
    read = [task(f"m{i}", "B", 50 + 20 * i, 60 + 20 * i) for i in range(5)]
    data = [{"data_id": f"x{i}", "producer_fragment": f"p{i}"} for i in range(5)]
    inputs = [{"fragment_id": f"m{i}", "data_id": f"x{i}"} for i in range(5)]
    land_schedule(
        warehouse,
        {"workers": workers, "fragments": made + read, "data": data, "inputs": inputs},
    )
    first = idle_sentences(warehouse, "r1")[0]
    assert first.startswith("In 4 of 9 waits data arrive or are made after their reader began")
    assert first.endswith("pwh ingest FILES --replace --clock-offset NODE=SECONDS")
    told = " ".join(idle_sentences(warehouse, "r1"))
    assert "If the clocks are right: " in told or "dominates" not in told


def test_hardly_any_wait_gets_no_advice(warehouse):
    workers = [{"worker_id": "A", "node_id": "n"}]
    land_schedule(
        warehouse,
        {"workers": workers, "fragments": [task("a", "A", 0, 999), task("b", "A", 1000, 2000)]},
    )
    told = " ".join(idle_sentences(warehouse, "r1"))
    assert "Workers hardly waited" in told and "Tasks too fine" not in told


@pytest.mark.parametrize("chained", [False, True])
def test_tasks_without_recorded_chains_count_as_independent_and_that_is_told(warehouse, chained):
    """A trace of a GPU has which call launched a kernel, and not what the kernel reads."""
    workers = [{"worker_id": name, "node_id": "n"} for name in ("cpu", "gpu")]
    launches = [task(f"c{i}", "cpu", i, i + 1) for i in range(4)]
    kernels = [task(f"k{i}", "gpu", 1 + 10 * i, 11 + 10 * i) for i in range(4)]
    data = [{"data_id": f"d{i}", "producer_fragment": f"c{i}"} for i in range(4)]
    inputs = [{"fragment_id": f"k{i}", "data_id": f"d{i}"} for i in range(4)]
    if chained:
        data += [{"data_id": f"e{i}", "producer_fragment": f"k{i}"} for i in range(3)]
        inputs += [{"fragment_id": f"k{i + 1}", "data_id": f"e{i}"} for i in range(3)]
    tables = {"workers": workers, "fragments": launches + kernels, "data": data, "inputs": inputs}
    land_schedule(warehouse, tables)
    told = " ".join(idle_sentences(warehouse, "r1"))
    assert ("What a replay of the tasks gains: other placement" in told) != chained
    assert ("if every worker can run every task" in told) != chained
    assert ("if tasks need no more than is recorded" in told) != chained


def test_what_gains_nothing_at_most_gains_nothing(warehouse):
    """Tasks of one worker overlap, which no replay places; there is nowhere else to place them."""
    tasks = [task(f"t{i}", "A", 10 * i, 10 * i + 25) for i in range(10)]
    tables = {
        "workers": [{"worker_id": "A", "node_id": "n"}],
        "fragments": [*tasks, task("last", "A", 200, 210)],
        "data": [{"data_id": "d", "producer_fragment": "t9"}],
        "inputs": [{"fragment_id": "last", "data_id": "d"}],
    }
    land_schedule(warehouse, tables)
    told = " ".join(idle_sentences(warehouse, "r1"))
    assert "other placement 0 % (at most 0 %)" in told and "one more worker unknown" in told


def test_what_one_more_worker_gains_is_unknown_without_inputs(warehouse):
    """As of the profile of one thread, whose calls need each other without a word about it."""
    calls = [task(f"a{i}", "A", 10 * i, 10 * i + 10) for i in range(4)]
    workers = [{"worker_id": "A", "node_id": "n"}]
    land_schedule(warehouse, {"workers": workers, "fragments": calls})
    told = idle_sentences(warehouse, "r1")
    assert told[-1] == (
        "What one more worker gains is unknown, as nothing tells which tasks need each other: 50 % "
        "at most, if none do."
    )


@pytest.mark.parametrize("other", [None, "w"])
def test_tasks_of_which_never_two_run_at_a_time_are_named(warehouse, other):
    """Four workers under one lock, and something else beside it."""
    workers = [{"worker_id": w, "node_id": "n"} for w in "ABCD"]
    tasks = [task(f"k{i}", "ABCD"[i % 4], 10 * i, 10 * i + 10) for i in range(12)]
    if other:
        tasks.append(task(other, "D", 0, 30))
    land_schedule(warehouse, {"workers": workers, "fragments": tasks})
    told = idle_sentences(warehouse, "r1")
    (line,) = [s for s in told if s.startswith("Never two tasks")]
    of_type = " of the type k" if other else ""
    assert line == (
        f"Never two tasks{of_type} ran at a time, though 4 workers ran them, and one of them ran "
        "100 % of the time: they take turns, as for a lock or in a chain, and more workers do not "
        "shorten that."
    )
    assert not any("one more worker" in sentence for sentence in told)


def test_what_if_and_life_cycle_are_told(warehouse):
    tasks = [task("a", "A", 0, 10, 0), task("b", "A", 100, 110, 90)]
    workers = [{"worker_id": "A", "node_id": "n"}]
    work = [{"worker_id": "A", "t_start": 5, "t_end": 6}]
    read = {"data": [{"data_id": "x"}], "inputs": [{"fragment_id": "b", "data_id": "x"}]}
    land_schedule(warehouse, {"workers": workers, "fragments": tasks, "runtime": work, **read})
    told = idle_sentences(warehouse, "r1")
    assert (
        "What a replay of the tasks gains: no overhead 9.09 % (at most 9.09 %), "
        "no latency 0 % (at most 0 %), one more worker 0 % (at most 0 %), other placement 0 % (at "
        "most 0 %); no latency and no overhead with each worker's tasks and their order as they "
        "were." in told
    )
    assert (
        "From submission to end, tasks waited 0 % of the time for inputs to be made, then 33.3 % "
        "to run, and ran 66.7 %." in told
    )


def test_a_serial_chain_lacks_parallelism(warehouse):
    workers = [{"worker_id": w, "node_id": "n"} for w in "ABCD"]
    chain = [task(f"t{i}", "A", 110 * i, 110 * i + 100) for i in range(9)]
    land_schedule(warehouse, {"workers": workers, "fragments": chain})
    (headline,) = [s for s in idle_sentences(warehouse, "r1") if s.startswith("Most idle time")]
    assert "75 %" in headline and "too little parallelism" in headline


def test_workers_without_tasks_gain_nothing(warehouse):
    worker = {"worker_id": "A", "node_id": "n", "t_begin": 0, "t_end": 10}
    land_schedule(warehouse, {"workers": [worker]})
    told = " ".join(idle_sentences(warehouse, "r1"))
    assert "1 worker was busy 0 % of its time" in told
    assert "No worker waited" in told and "replay" not in told


def test_waiting_without_inputs_or_runtime_has_no_known_cause(warehouse):
    workers = [{"worker_id": "A", "node_id": "n", "t_begin": 0}]
    tasks = [task("p", "A", 50, 60), task("q", "A", 90, 100)]
    land_schedule(warehouse, {"workers": workers, "fragments": tasks})
    told = " ".join(idle_sentences(warehouse, "r1"))
    assert "Why workers waited is not recorded: of half of the waits" in told
    assert "dominates" not in told and "Tasks too fine" not in told
    for source in ("slo_by_run", "slo_by_worker", "slo_window('r1', 0, 100)"):
        answers = f"SELECT DISTINCT dominant, root_cause, advice, flag_text(reason) FROM {source}"
        ((*unknown, reason),) = rows(warehouse, answers)
        assert unknown == [None] * 3 and reason in told
    for source in ("idle_by_node", "idle_by_type"):
        assert rows(warehouse, f"SELECT DISTINCT dominant FROM {source}") == [(None,)]


def over_two_nodes(first):
    """Return tasks on two nodes in turn, the first of that length, and no transfers of data."""
    workers = [{"worker_id": w, "node_id": n, "t_begin": 0} for w, n in ("Ax", "By")]
    tasks = [
        task("p", "A", 0, first),
        task("q", "B", first + 60, first + 70),
        task("r", "A", first + 150, first + 160),
    ]
    data = [{"data_id": "d", "producer_fragment": "p"}, {"data_id": "e", "producer_fragment": "q"}]
    inputs = [{"fragment_id": "q", "data_id": "d"}, {"fragment_id": "r", "data_id": "e"}]
    return {"workers": workers, "fragments": tasks, "data": data, "inputs": inputs}


def test_waits_for_inputs_whose_way_is_not_recorded_have_no_known_cause(warehouse):
    land_schedule(warehouse, over_two_nodes(50))
    told = " ".join(idle_sentences(warehouse, "r1"))
    reason = "half of the waits or more are for inputs"
    assert f"Why workers waited is not recorded: {reason}" in told
    assert "dominates" not in told and "no overhead" not in told
    for source in ("slo_by_run", "slo_window('r1', 0, 210)"):
        answers = f"SELECT DISTINCT dominant, root_cause, advice FROM {source}"
        assert rows(warehouse, answers) == [(None, None, None)]
    for source in ("idle_by_node", "idle_by_type", "slo_by_worker"):
        assert rows(warehouse, f"SELECT DISTINCT dominant FROM {source}") == [(None,)]


def test_a_few_waits_whose_way_is_not_recorded_leave_the_cause(warehouse):
    land_schedule(warehouse, over_two_nodes(5000))
    told = " ".join(idle_sentences(warehouse, "r1"))
    assert "Starvation dominates in the " in told and "no overhead" in told


def test_nodes_far_apart_in_time_may_have_other_clocks(warehouse):
    workers = [{"worker_id": w, "node_id": w, "t_begin": t} for w, t in (("A", 0), ("B", 900))]
    tasks = [task("p", "A", 0, 60), task("q", "B", 950, 960)]
    data = [{"data_id": "x", "producer_fragment": "p"}]
    inputs = [{"fragment_id": "q", "data_id": "x"}]
    sent = [{"data_id": "x", "src_node": "A", "dst_node": "B", "t_send": 60, "t_recv": 950}]
    rows = {"workers": workers, "fragments": tasks, "data": data, "inputs": inputs}
    land_schedule(warehouse, {**rows, "transfers": sent})
    first, *_ = idle_sentences(warehouse, "r1")
    assert first.startswith("Nothing ran for 890 ns between the tasks of A and those of B,")
    assert "--clock-offset NODE=SECONDS" in first
    given(warehouse, "nodes", "node clock_offset_ns\nB 1")
    assert not idle_sentences(warehouse, "r1")[0].startswith("Nothing ran")


def test_threads_that_are_in_one_call_all_along_were_not_known_to_be_busy(warehouse, tmp_path):
    """As a tracer of calls writes threads that wait for work within their first call."""
    path = tmp_path / "calls.json"
    calls = [
        {"ph": "X", "pid": 1, "tid": tid, "name": name, "ts": start, "dur": length}
        for tid in (1, 2)
        for name, start, length in (("Thread.run", 0, 1000), ("acquire", 10, 900))
    ]
    path.write_text(json.dumps({"traceEvents": calls}))
    land(warehouse, path, run_id="calls")
    told = " ".join(idle_sentences(warehouse, "calls"))
    assert "2 of 2 workers took nearly all of their time for one call, as Thread.run:" in told
    # Tasks without calls below them are work.
    path.write_text(json.dumps({"traceEvents": [c for c in calls if c["name"] != "acquire"]}))
    land(warehouse, path, run_id="tasks")
    assert "for one call" not in " ".join(idle_sentences(warehouse, "tasks"))


def test_overhead_that_the_runtimes_recorded_work_does_not_cover_is_not_all_its_own(warehouse):
    """Tasks of 5 ms wait 20 ms each, of which the runtime worked 1 ms: or 19, or unknown."""
    for run, covered in (("little", 1), ("most", 19)):
        parts = [f"A t{i} {25 * i + 20}-{25 * i + 25} @0" for i in range(12)]
        parts += [f"A ~{25 * i}-{25 * i + covered}" for i in range(12)]
        land_schedule(warehouse, notation.schedule("; ".join(parts)), run)
    advice = dict(rows(warehouse, "SELECT DISTINCT run_id, advice FROM slo_by_run"))
    assert "is recorded for less than half of it" in advice["little"]
    assert advice["most"] == "Tasks too fine, or an inefficient runtime."
