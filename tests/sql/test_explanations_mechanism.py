"""The mechanism of a change, from generated runs whose mechanism is known."""

from __future__ import annotations

import numpy as np
import pytest

from apps.output.tables import dicts
from apps.queries.base import ask_dicts
from apps.queries.explanations import Comparison, explanation
from apps.reports.explanations import explanation_sentences
from apps.reports.gate import find_sides, gate_cause, judge_metrics
from tests.helpers.support import keep, rows

HEADER = (
    "INSERT INTO runs (run_id, app, version, machine, started_at, wall_seconds) "
    "SELECT $run, 'x', $version, 'm', "
    "TIMESTAMPTZ '2026-01-01 00:00:00Z' + INTERVAL 1 HOUR * $at, $wall"
)
RUNS = 6
BEFORE, AFTER = ([f"r{at:02}" for at in range(first, first + RUNS)] for first in (0, RUNS))


def measured(con, *, counters=(), metrics=(), functions=()):
    """Write six runs a side; a measure is (name, unit, before, after), of functions with calls."""
    for at in range(2 * RUNS):
        is_after, shake = at >= RUNS, 1 + (at * 7 % 5 - 2) / 1000
        run = f"r{at:02}"
        wall = (20.0 if is_after else 10.0) * shake
        version = "2" if is_after else "1"
        con.execute(HEADER, {"run": run, "version": version, "at": at, "wall": wall})
        for event, unit, *sides in counters:
            con.execute(
                "INSERT INTO pmu_samples (run_id, source_id, sample, event, value, unit) "
                "VALUES (?, 0, 0, ?, ?, ?)",
                [run, event, sides[is_after] * shake, unit],
            )
        for metric, unit, *sides in metrics:
            con.execute(
                "INSERT INTO metrics (run_id, source_id, metric, value, unit) "
                "VALUES (?, 0, ?, ?, ?)",
                [run, metric, sides[is_after] * shake, unit],
            )
        for function, before, after in functions:
            seconds, calls = after if is_after else before
            con.execute(
                "INSERT INTO fn_timings (run_id, source_id, function, seconds, calls) "
                "VALUES (?, 0, ?, ?, ?)",
                [run, function, seconds * shake, calls],
            )
    keep(con)


def cause(con):
    sql = """
        SELECT subject, round(share, 2), flags[1].code, flag_text(flags[1])
        FROM explain_run(?, ?)
        WHERE topic = 'cause'
    """
    return rows(con, sql, AFTER, BEFORE)


CPU = ("task-clock", "ms", 9_800.0, 19_800.0)
IDLE = ("task-clock", "ms", 9_800.0, 9_900.0)


@pytest.mark.parametrize(
    ("counters", "metrics", "code", "text"),
    [
        (
            [CPU, ("instructions", None, 1e10, 2e10), ("cycles", None, 1e10, 2e10)],
            [],
            "more_instructions",
            "it executes 2 times the instructions",
        ),
        (
            [
                *(CPU, ("instructions", None, 1e10, 1.01e10), ("cycles", None, 1e10, 2e10)),
                *(("cache-misses", None, 1e6, 5e8), ("branch-misses", None, 1e6, 1.2e6)),
            ],
            [],
            "slower_memory",
            "it waits for main memory: 500 times the cache-misses at the same instructions",
        ),
        (
            [
                *(CPU, ("instructions:u", None, 1e10, 1.01e10), ("cycles:u", None, 1e10, 2e10)),
                *(("cache-misses", None, 1e6, 1e6), ("branch-misses:u", None, 1e6, 6e7)),
            ],
            [],
            "slower_branches",
            "the processor mispredicts its branches: 60 times the branch-misses:u at the same "
            "instructions",
        ),
        (
            [CPU, ("instructions", None, 1e10, 1e10), ("cycles", None, 1e10, 1.01e10)],
            [],
            "slower_clock",
            None,
        ),
        ([IDLE], [], "waits", "it waits more: 99 % of the change is not on the processor"),
        (
            [IDLE],
            [("file_system_outputs", None, 8, 80_000)],
            "waits_writes",
            "it waits for what it writes: 99 % of the change is not on the processor, with 1e+04 "
            "times the file_system_outputs",
        ),
        (
            [],
            [
                *(("user", "s", 9.0, 9.1), ("system", "s", 0.5, 0.6)),
                ("voluntary_context_switches", None, 10, 10_000),
            ],
            "waits_switches",
            None,
        ),
        # the processor is busy with others; and what is on it for longer waits for it longer, too
        (
            [("task-clock", "ms", 5_000.0, 5_100.0)],
            [("run_delay", "s", 4.0, 13.8), ("voluntary_context_switches", None, 10, 10_000)],
            "waits_processor",
            "other programs take the processor: for 97.2 % of the change it is ready to run and "
            "waits for one",
        ),
        (
            [("task-clock", "ms", 4_000.0, 8_000.0)],
            [("run_delay", "s", 5.8, 11.6)],
            "works_longer",
            None,
        ),
        # what gives up the processor more often than it loses it waits
        (
            [IDLE],
            [
                ("voluntary_context_switches", None, 1_000, 10_000),
                ("involuntary_context_switches", None, 10, 1_000),
            ],
            "waits_switches",
            None,
        ),
        (
            [("task-clock", "ms", 2_000.0, 2_100.0)],
            [("run_delay", "s", 4.0, 10.5), ("voluntary_context_switches", None, 10, 10_000)],
            "waits_processor_partly",
            "other programs take the processor for 63 % of the change, in which it is ready to "
            "run, but not for the rest",
        ),
        # a second thread of the program, on the one processor that both may use
        (
            [("task-clock", "ms", 9_800.0, 19_700.0)],
            [("run_delay", "s", 0.1, 9.9)],
            "works_longer",
            None,
        ),
        # half of the change is delay, as others run: of the rest it waits
        (
            [("task-clock", "ms", 2_000.0, 2_100.0)],
            [("run_delay", "s", 7.8, 12.0), ("voluntary_context_switches", None, 10, 10_000)],
            "waits_switches",
            None,
        ),
        (
            [],
            [
                *(("user", "s", 9.0, 9.1), ("system", "s", 0.5, 10.2)),
                ("minor_page_faults", None, 1e3, 1e6),
            ],
            "kernel_faults",
            None,
        ),
    ],
)
def test_the_mechanism_is_named(warehouse, counters, metrics, code, text):
    measured(warehouse, counters=counters, metrics=metrics)
    ((subject, share, found, said),) = cause(warehouse)
    assert (subject, share, found) == (None, None, code)
    assert text is None or said == text


def test_calls_are_more_work_and_as_many_are_none(warehouse):
    functions = [("f", (5.0, 100), (15.0, 300)), ("g", (4.0, 10), (4.0, 10))]
    measured(warehouse, functions=functions)
    assert cause(warehouse) == [("f", 1.0, "more_calls", "it gets 3 times the calls")]


def test_longer_calls_without_counters_leave_the_mechanism_open(warehouse):
    measured(warehouse, functions=[("f", (5.0, 100), (15.0, 100)), ("g", (4.0, 10), (4.0, 10))])
    ((subject, _, code, _),) = cause(warehouse)
    assert (subject, code) == ("f", "slower_calls")


def test_what_was_counted_and_decides_nothing_is_said_to(warehouse):
    measured(
        warehouse,
        counters=[("instructions", None, 1e10, 1.3e10)],
        functions=[("solve", (8.0, None), (18.0, None))],
    )
    ((subject, _, code, text),) = cause(warehouse)
    assert (subject, code) == ("solve", "cause_undecided")
    assert "neither explains it nor rules it out" in text


@pytest.mark.parametrize("event", ["task-clock", "instructions"])
def test_what_noise_hides_is_no_mechanism(warehouse, event):
    # as many on both sides on average, but every other run has three times as many
    measured(warehouse, counters=[(event, "ms" if event == "task-clock" else None, 1e4, 1e4)])
    warehouse.execute("UPDATE pmu_samples SET value = value * (1 + run_id[2:]::INT % 2 * 2)")
    keep(warehouse)
    assert [row for row in cause(warehouse) if row[2] != "cause_unknown"] == []


def test_functions_that_do_the_same_count_together(warehouse):
    kernel = ("clear_page_erms", "rmqueue", "zap_pte_range")
    functions = [("f", (5.0, None), (9.0, None))]
    functions += [(name, (0.1, None), (2.1, None)) for name in kernel]
    measured(warehouse, functions=functions)
    ((subject, _, code, _),) = cause(warehouse)
    assert (subject, code) == ("clear_page_erms", "touches_memory")


@pytest.mark.parametrize(
    ("function", "code"),
    [
        ("runtime.scanobject", "collects_garbage"),
        ("(garbage collector)", "collects_garbage"),
        ("time.sleep", "sleeps"),
        ("model.py(select)", "waits_others"),
    ],
)
def test_what_a_function_does_is_told_by_its_name(warehouse, function, code):
    measured(warehouse, counters=[IDLE], functions=[(function, (5.0, None), (15.0, None))])
    assert cause(warehouse)[0][2] == code


def test_twice_the_work_on_a_busy_machine_is_no_waiting(warehouse):
    # threads but the first are delayed, too, which is not measured
    measured(warehouse, counters=[("task-clock", "ms", 1_000.0, 2_000.0)])
    assert cause(warehouse) == []


def short_sentences(con, *, is_back=False):
    which = Comparison(*((BEFORE, AFTER) if is_back else (AFTER, BEFORE)))
    runs, coverage = (
        ask_dicts(con, f"explanations/{name}", **which.sides) for name in ("runs", "coverage")
    )
    found = dicts(explanation(con, which))
    return explanation_sentences(which, runs, found, coverage, is_short=True)


def first_sentence(con, **options):
    return short_sentences(con, **options)[0].text


def test_on_a_busy_machine_the_function_with_the_work_is_named(warehouse):
    functions = [("f", (0.1, None), (1.0, None)), ("g", (0.8, None), (0.8, None))]
    measured(warehouse, counters=[("task-clock", "ms", 950.0, 1_900.0)], functions=functions)
    ((subject, share, code, _),) = cause(warehouse)
    assert (subject, share, code) == ("f", 0.09, "works_longer")
    told = "f takes 10 times as long, 9 % of the loss (90.5 % is waiting); it is on the processor"
    assert told in first_sentence(warehouse)


def test_a_function_with_little_of_a_loss_that_is_waiting_is_not_named(warehouse):
    functions = [("f", (0.1, None), (1.0, None)), ("g", (7.8, None), (7.8, None))]
    measured(warehouse, counters=[("task-clock", "ms", 8_000.0, 8_900.0)], functions=functions)
    assert [row[0] for row in cause(warehouse)] == [None]


def test_of_waiting_no_function_is_named_that_has_less_of_the_loss(warehouse):
    # as the scheduler's, which a profile of the processor finds where a program waits
    functions = [("schedule", (0.2, None), (4.2, None)), ("g", (0.8, None), (0.8, None))]
    measured(
        warehouse,
        counters=[("task-clock", "ms", 1_000.0, 5_000.0)],
        metrics=[("voluntary_context_switches", None, 100, 2000)],
        functions=functions,
    )
    assert [row[:3] for row in cause(warehouse)] == [(None, None, "waits_switches")]


def test_of_a_loss_that_is_scattered_the_function_that_calls_the_others_is_named(warehouse):
    measured(warehouse, counters=[CPU])
    paths = [
        ("main->work", 8.0, 8.0),
        *((f"main->all->compile->p{i}", 0.1, 1.0) for i in range(10)),
    ]
    for path, *sides in paths:
        warehouse.execute(
            "INSERT INTO fn_timings (run_id, source_id, function, callpath, seconds) "
            "SELECT run_id, 0, $1[-1], array_to_string($1, '->'), "
            "if(version = '1', $2, $3) * (1 + hash(run_id) % 7 / 1000) FROM runs",
            [path.split("->"), *sides],
        )
    keep(warehouse)
    assert [row[:3] for row in cause(warehouse)] == [("compile", 0.9, "works_longer")]
    told = "compile, with what it calls, takes 10 times as long, 90"
    assert told in first_sentence(warehouse)


def test_where_others_take_the_processor_no_function_is_named(warehouse):
    # as long as a profiler's clock goes on, all functions take longer
    functions = [("f", (5.0, None), (12.0, None)), ("g", (5.0, None), (8.0, None))]
    delay = [("run_delay", "s", 0.1, 10.0)]
    busy = [("task-clock", "ms", 5_000.0, 5_000.0)]
    measured(warehouse, counters=busy, metrics=delay, functions=functions)
    assert [row[:3] for row in cause(warehouse)] == [(None, None, "waits_processor")]
    first, *_, last = (one.text for one in short_sentences(warehouse))
    assert "take the processor" in first and "pwh record --against" in last
    (change,) = rows(warehouse, "SELECT moved FROM change_events WHERE metric = 'wall_seconds'")
    sides = find_sides(warehouse, "x", None, "latest")
    judged = dicts(judge_metrics(warehouse, sides, [], None, 0.95))
    assert change == ("machine",)
    assert gate_cause(warehouse, sides, judged)[0].startswith("What moved: the machine")


def test_of_a_gain_less_of_the_mechanism_is_told(warehouse):
    functions = [("time.sleep", (0.5, None), (10.5, None)), ("g", (4.0, None), (4.0, None))]
    measured(warehouse, counters=[IDLE], functions=functions)
    assert first_sentence(warehouse).endswith("of the loss, since it sleeps.")
    assert first_sentence(warehouse, is_back=True).endswith(
        "of the gain, since less of this happens: it sleeps."
    )


def test_who_is_on_the_processor_does_not_wait(warehouse):
    measured(warehouse, counters=[CPU], functions=[("model.py(select)", (5.0, 9), (15.0, 9))])
    assert cause(warehouse)[0][2] == "slower_calls"


def test_that_no_profile_says_where_it_waits_is_the_last_sentence(warehouse):
    measured(warehouse, counters=[IDLE], functions=[("f", (9.5, None), (9.5, None))])
    told = short_sentences(warehouse)
    assert "it waits more: 99 % of the change is not on the processor" in told[0].text
    assert told[-1].text.startswith("No profile of both sides says where it waits")
    assert len(told) <= 6  # five, and what is missing


def test_misses_lead_where_instructions_are_as_before(warehouse):
    measured(warehouse)
    warehouse.execute("UPDATE runs SET wall_seconds = NULL")
    events = (("Ir", 1e9, 1e9), ("D1mr", 1e6, 2e7), ("DLmr", 100, 200))
    for event, *sides in events:
        warehouse.execute(
            "INSERT INTO pmu_samples (run_id, source_id, sample, event, value, region) "
            "SELECT run_id, 0, 0, ?, if(version = '1', ?, ?), 'gather' FROM runs",
            [event, *sides],
        )
    keep(warehouse)
    assert cause(warehouse) == [
        (
            *("gather", 1.0, "slower_cache"),
            "it misses the first cache: 20 times the D1mr at the same instructions",
        )
    ]


def test_equal_sides_have_no_cause(warehouse):
    measured(warehouse, counters=[("instructions", None, 1e10, 2e10)])
    warehouse.execute("UPDATE runs SET wall_seconds = 10 + hash(run_id) % 100 / 1000")
    keep(warehouse)
    assert cause(warehouse) == []


def ledger(con):
    sql = """
        SELECT total, part, subject, round("before", 1), round("after", 1), round(share, 2)
        FROM explain_ledger(
          (SELECT list(run_id) FROM runs WHERE version = '2'),
          (SELECT list(run_id) FROM runs WHERE version = '1')
        )
        ORDER BY place
    """
    return rows(con, sql)


CPU_OF_FEW = ("task-clock", "ms", 5_000.0, 6_000.0)
KERNEL = [("user", "s", 9.0, 12.0), ("system", "s", 0.5, 4.5)]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"counters": [IDLE]},
            [
                ("wall_seconds", "processor", None, 9.8, 9.9, 0.01),
                ("wall_seconds", "waiting", None, 0.2, 10.1, 0.99),
                ("wall_seconds", "not_explained", None, 0.0, 0.0, 0.0),
            ],
        ),
        (
            {"counters": [CPU_OF_FEW], "metrics": [("run_delay", "s", 4.0, 13.0)]},
            [
                ("wall_seconds", "processor", None, 5.0, 6.0, 0.1),
                ("wall_seconds", "run_delay", None, 4.0, 13.0, 0.9),
                ("wall_seconds", "waiting", None, 1.0, 1.0, 0.0),
                ("wall_seconds", "not_explained", None, 0.0, 0.0, 0.0),
            ],
        ),
        (
            {"metrics": KERNEL},
            [
                ("wall_seconds", "user", None, 9.0, 12.0, 0.3),
                ("wall_seconds", "kernel", None, 0.5, 4.5, 0.4),
                ("wall_seconds", "waiting", None, 0.5, 3.5, 0.3),
                ("wall_seconds", "not_explained", None, 0.0, 0.0, 0.0),
            ],
        ),
        (
            {
                "counters": [CPU],
                "functions": [
                    ("f", (8.0, None), (16.0, None)),
                    ("g", (1.0, None), (1.0, None)),
                ],
            },
            [
                ("wall_seconds", "function", "f", 8.0, 16.0, 0.8),
                ("wall_seconds", "function", "g", 1.0, 1.0, 0.0),
                ("wall_seconds", "other_processor", None, 0.8, 2.8, 0.2),
                ("wall_seconds", "waiting", None, 0.2, 0.2, 0.0),
                ("wall_seconds", "not_explained", None, 0.0, 0.0, 0.0),
            ],
        ),
        # a profile of the clock on the wall: what waits is in its functions
        (
            {"counters": [IDLE], "functions": [("f", (9.9, None), (19.9, None))]},
            [
                ("wall_seconds", "function", "f", 9.9, 19.9, 1.0),
                ("wall_seconds", "not_explained", None, 0.1, 0.1, 0.0),
            ],
        ),
        # other programs, during which the clock of the profile goes on
        (
            {
                "counters": [("task-clock", "ms", 5_000.0, 5_000.0)],
                "metrics": [("run_delay", "s", 4.0, 13.0)],
                "functions": [("f", (5.0, None), (12.0, None)), ("g", (5.0, None), (8.0, None))],
            },
            [
                ("wall_seconds", "processor", None, 5.0, 5.0, 0.0),
                ("wall_seconds", "run_delay", None, 4.0, 13.0, 0.9),
                ("wall_seconds", "waiting", None, 1.0, 2.0, 0.1),
                ("wall_seconds", "not_explained", None, 0.0, 0.0, 0.0),
            ],
        ),
        # several threads at once take more than the run
        (
            {"counters": [CPU], "functions": [("f", (30.0, None), (60.0, None))]},
            [
                ("functions:seconds", "function", "f", 30.0, 60.0, 1.0),
                ("functions:seconds", "not_explained", None, 0.0, 0.0, 0.0),
            ],
        ),
        # of several processors
        ({"counters": [("task-clock", "ms", 30_000.0, 60_000.0)]}, []),
    ],
)
def test_the_ledger_of_a_difference(warehouse, given, expected):
    measured(warehouse, **given)
    found = ledger(warehouse)
    assert [(*row[:-1], abs(row[-1]) if row[-1] == 0 else row[-1]) for row in found] == expected


@pytest.mark.parametrize("seed", range(4))
def test_the_parts_of_any_ledger_add_up(warehouse, seed):
    draw = np.random.default_rng(seed)

    def some(names, unit, most):
        amounts = draw.uniform(0.01 * most, most, (len(names), 2))
        kept = draw.random(len(names)) < 0.7
        pairs = zip(names, amounts.tolist(), kept, strict=True)
        return [(name, unit, *sides) for name, sides, is_kept in pairs if is_kept]

    functions = [
        (name, (before, 3), (after, 5))
        for name, _, before, after in some([f"f{n}" for n in range(12)], "s", draw.choice([0.5, 5]))
    ]
    counters = some(["task-clock"], "ms", 2e4) + some(["instructions", "cycles"], None, 1e10)
    metrics = some(["user", "system", "run_delay"], "s", 9.0)
    measured(warehouse, counters=counters, metrics=metrics, functions=functions)
    after, before = [f"r{at:02}" for at in range(6, 12)], [f"r{at:02}" for at in range(6)]
    found = rows(
        warehouse,
        "SELECT total, sum(difference), count(*) "
        f"FROM explain_ledger({after}, {before}) GROUP BY total",
    )
    if found:
        ((total, difference, parts),) = found
        sql = f'SELECT "after" - "before" FROM comparison({before}, {after}) WHERE metric = ?'
        ((change,),) = warehouse.execute(sql, [total]).fetchall()
        assert parts > 1 and difference == pytest.approx(change, rel=1e-12, abs=1e-12)
    assert found or not (functions or metrics or counters)


def test_no_part_of_a_ledger_takes_less_than_no_time(warehouse):
    """Arithmetic means of some functions can be above the geometric mean of all together."""
    functions = [(f"f{n}", (0.05, None), (0.15, None)) for n in range(12)]
    measured(warehouse, functions=functions)
    at, name = (f"CAST(substr({column}, 2) AS INTEGER)" for column in ("run_id", "function"))
    seen = f"CASE WHEN {at} % 6 > 3 THEN 30 WHEN {at} % 6 = {name} % 4 THEN 0 ELSE 1 END"
    warehouse.execute(f"UPDATE fn_timings SET seconds = seconds * {seen}")
    keep(warehouse)
    found = ledger(warehouse)
    parts = [(before, after) for _, part, _, before, after, _ in found if part != "not_explained"]
    assert "other_functions" in {part for _, part, *_ in found}
    assert min(min(sides) for sides in parts) >= 0
    assert sum(share for *_, share in found) == pytest.approx(1, abs=0.05)


def test_a_difference_within_noise_has_no_ledger(warehouse):
    measured(warehouse, counters=[IDLE])
    sql = "FROM explain_ledger(['r00', 'r02', 'r04'], ['r01', 'r03', 'r05'])"
    assert rows(warehouse, sql) == []


def test_a_function_in_another_folder_is_the_same(warehouse):
    functions = [("v1/a.py(f)", (9.0, 5), (0.0, 0)), ("v2/a.py(f)", (0.0, 0), (19.0, 5))]
    measured(warehouse, functions=functions)
    assert ledger(warehouse)[0][1:5] == ("function", "v2/a.py(f)", 9.0, 19.0)
    subject, share, code, _ = cause(warehouse)[0]
    assert (subject, share, code) == ("v2/a.py(f)", 1.0, "slower_calls")
