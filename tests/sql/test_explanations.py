"""Explanations: what changed together with a regression, in all kinds of trace."""

from __future__ import annotations

import pytest

from apps.demo.entries import FOLDER
from tests.helpers.support import given, keep, land, rows

WALL = (10.0, 10.1, 9.9, 10.0, 10.2, 9.8, 10.0, 10.1, 9.9, 10.0)


def history(con, *levels, app="heat", machine="m", start=0, **columns):
    """Put in a run a day, ten about each level (10 is 10 s)."""
    values = [level * value / 10 for level in levels for value in WALL]
    said = list(columns.values())
    lines = [
        [f"{app}{i}", app, f"v{i}", machine, f"2026-01-{start + i + 1:02}T06:00:00Z", v, *said]
        for i, v in enumerate(values)
    ]
    header = ["run_id", "app", "version", "machine", "started_at", "wall_seconds", *columns]
    given(con, "runs", "\n".join(" ".join(map(str, line)) for line in [header, *lines]))
    return [line[0] for line in lines]


def functions(con, runs, **seconds):
    """Land these functions for each run, with a little noise of its own."""
    lines = [
        f"{run} {function} {value * WALL[i % 10] / 10}"
        for i, run in enumerate(runs)
        for function, value in seconds.items()
    ]
    given(con, "fn_timings", "run_id function seconds\n" + "\n".join(lines))
    keep(con)


def counters(con, runs, **rates):
    lines = [
        f"{run} 0 {event} {value if event == 'cycles' else value * WALL[i % 10]}"
        for i, run in enumerate(runs)
        for event, value in {"cycles": 1e6, **rates}.items()
    ]
    given(con, "pmu_samples", "run_id sample event value\n" + "\n".join(lines))
    keep(con)


def test_functions_are_named_with_their_share_of_the_loss(warehouse):
    runs = history(warehouse, 10, 12)
    functions(warehouse, runs[:10], solve=6, read=4)
    functions(warehouse, runs[10:], solve=7.5, read=4.5)
    assert rows(
        warehouse,
        """SELECT run_id, app, machine, version, main_metric, len(runs), len(against), topic,
             subject, round(before, 2), round(after, 2), round(share, 4), direction, certain,
             flag_codes(flags)
           FROM explanations ORDER BY topic DESC, share DESC NULLS FIRST""",
    ) == [
        (*("heat10", "heat", "m", "v10", "wall_seconds", 10, 10), *found)
        for found in [
            ("metric", "wall_seconds", 10.0, 12.0, None, "worse", True, []),
            ("function", None, 10.0, 12.0, None, "worse", True, []),
            ("function", "solve", 6.0, 7.5, 0.75, "worse", True, []),
            ("function", "read", 4.0, 4.5, 0.25, "worse", True, []),
            ("cause", "solve", 6.0, 7.5, 0.75, "worse", True, ["cause_unknown"]),
        ]
    ]


def test_what_is_new_and_what_is_gone(warehouse):
    runs = history(warehouse, 10, 12)
    functions(warehouse, runs[:10], solve=6, old=4)
    functions(warehouse, runs[10:], solve=6, young=6)
    assert rows(
        warehouse,
        """SELECT subject, round(before, 2), after, round(share, 2), flag_codes(flags)
           FROM explanations
           WHERE topic = 'function' AND subject IS NOT NULL ORDER BY subject""",
    ) == [("old", 4.0, 0.0, -2.0, ["gone"]), ("young", 0.0, 6.0, 3.0, ["new"])]


def test_an_improvement_and_an_outlier_are_no_regressions(warehouse):
    history(warehouse, 12, 10)
    history(warehouse, 10, 10, app="calm")
    warehouse.execute("UPDATE runs SET wall_seconds = 40 WHERE run_id = 'calm7'")
    assert rows(warehouse, "FROM explanations") == []


def test_noise_is_no_finding(warehouse):
    runs = history(warehouse, 10, 10)
    functions(warehouse, runs, solve=6, read=4)
    assert rows(
        warehouse,
        "SELECT topic, certain FROM explain_run(?, ?)",
        runs[10:],
        runs[:10],
    ) == [("metric", False)]


def test_two_runs_are_compared_without_a_verdict_on_noise(warehouse):
    given(
        warehouse,
        "runs",
        "run_id app version wall_seconds\na heat 1 10\nb heat 2 12",
    )
    functions(warehouse, ["a"], solve=6, read=4)
    functions(warehouse, ["b"], solve=8, read=4)
    found = rows(
        warehouse,
        "SELECT topic, subject, certain, p_value, flag_codes(flags) FROM explain_run('b', 'a') "
        "ORDER BY ALL",
    )
    assert found == [
        ("function", "solve", None, None, ["single_run"]),
        ("function", None, None, None, ["single_run"]),
        ("metric", "wall_seconds", None, None, ["single_run"]),
    ]
    assert rows(warehouse, "SELECT count(*) FROM explain_run(['b'], ['a'])") == [(3,)]


def seconds_of(con, run, **seconds):
    """Land functions of one run with exactly these times."""
    lines = [f"{run} {function} {value}" for function, value in seconds.items()]
    given(con, "fn_timings", "run_id function seconds\n" + "\n".join(lines))


def test_a_new_function_comes_first_with_or_without_a_test(warehouse):
    for count in (1, 2, 5):
        runs = [f"{side}{count}_{i}" for side in "ab" for i in range(count)]
        given(warehouse, "runs", "run_id app\n" + "\n".join(f"{run} heat{count}" for run in runs))
        for i, run in enumerate(runs):
            slow = 1 + 0.3 * (i % 2)
            added = {"added": 60 * slow} if run[0] == "b" else {}
            seconds_of(warehouse, run, work=8 * slow, rest=2 + 0.1 * i, **added)
        keep(warehouse)
        before, after = runs[:count], runs[count:]
        named = rows(
            warehouse,
            """SELECT subject, list_contains(flag_codes(flags), 'new'), share > 0.7
               FROM explain_run(?, ?)
               WHERE topic = 'function' AND subject IS NOT NULL ORDER BY share DESC""",
            after,
            before,
        )
        assert named[0] == ("added", True, True)


def test_the_largest_shares_are_named_where_nothing_is_certain(warehouse):
    given(
        warehouse, "runs", "run_id app\n" + "\n".join(f"{s}{i} heat" for s in "ab" for i in "012")
    )
    for i, scatter in enumerate((1.0, 1.4, 0.8)):
        seconds_of(warehouse, f"a{i}", work=10 * scatter, rest=5)
        seconds_of(warehouse, f"b{i}", work=13 * scatter, rest=5)
    keep(warehouse)
    assert rows(
        warehouse,
        """SELECT subject, certain, flag_codes(flags)
           FROM explain_run(['b0', 'b1', 'b2'], ['a0', 'a1', 'a2'])
           WHERE topic = 'function' ORDER BY subject NULLS FIRST""",
    ) == [(None, False, []), ("work", False, ["largest"])]


def test_five_runs_beyond_five_others_are_a_finding_among_many_functions(warehouse):
    given(
        warehouse,
        "runs",
        "run_id app\n" + "\n".join(f"{side}{i} heat" for side in "ab" for i in range(5)),
    )
    for i, spread in enumerate((1.0, 3.0, 1.2, 6.0, 1.1)):
        noise = {f"f{k}": 1 + ((i * 7 + k * 3) % 5) / 50 for k in range(40)}
        seconds_of(warehouse, f"a{i}", slow=5 + i / 100, **noise)
        seconds_of(warehouse, f"b{i}", slow=6 * spread, **noise)
    keep(warehouse)
    sides = [[f"{side}{i}" for i in range(5)] for side in "ba"]
    assert rows(
        warehouse,
        """SELECT subject, certain, flag_codes(flags) FROM explain_run(?, ?)
           WHERE topic = 'function' AND subject IS NOT NULL""",
        *sides,
    ) == [("slow", False, ["separated"])]


def test_calls_of_functions_are_counted_on_both_sides(warehouse):
    given(warehouse, "runs", "run_id app\na0 x\na1 x\nb0 x\nb1 x")
    lines = [
        f"{side}{i} {name} {seconds} {calls}"
        for side, work in (("a", 10), ("b", 90))
        for i in range(2)
        for name, seconds, calls in (("work", work, 12 * work // 10), ("rest", 5, 1))
    ]
    given(warehouse, "fn_timings", "run_id function seconds calls\n" + "\n".join(lines))
    keep(warehouse)
    assert rows(
        warehouse,
        """SELECT subject, calls_before, calls_after
           FROM explain_run(['b0', 'b1'], ['a0', 'a1']) WHERE topic = 'function'
           ORDER BY subject NULLS FIRST""",
    ) == [(None, None, None), ("work", 12, 108)]


def test_profiles_of_events_count_as_function_times(warehouse):
    lines = [
        f"{side}{i} main->{name} Ir {cost}"
        for side, hot in (("a", 1000), ("b", 5000))
        for i in range(2)
        for name, cost in (("hot", hot), ("cold", 400))
    ]
    given(warehouse, "runs", "run_id app\na0 x\na1 x\nb0 x\nb1 x")
    given(warehouse, "pmu_samples", "run_id region event value\n" + "\n".join(lines))
    keep(warehouse)
    asked = "FROM explain_run(['b0', 'b1'], ['a0', 'a1']) WHERE topic IN ('metric', 'function')"
    assert rows(
        warehouse, f"SELECT topic, subject, metric, unit, before, after, share, certain {asked}"
    ) == [
        ("metric", *["functions:cost"] * 2, "instructions", *map(pytest.approx, (1400, 5400)),
         None, True),
        ("function", None, "functions:cost", "instructions", *map(pytest.approx, (1400, 5400)),
         None, True),
        ("function", "hot", "cost:hot", "instructions", *map(pytest.approx, (1000, 5000)),
         pytest.approx(1), True),
    ]  # fmt: skip
    (query,) = rows(warehouse, f"SELECT query {asked} AND subject = 'hot'")[0]
    assert len(rows(warehouse, query)) == 4


def test_comparison_explanation_and_gate_have_the_same_numbers(warehouse):
    runs = history(warehouse, 10, 12)
    functions(warehouse, runs[:10], solve=6, read=4)
    functions(warehouse, runs[10:], solve=7.5, read=4.5)
    figures = "metric, before, after, p_value"
    sides = [runs[:10], runs[10:]]
    compared = rows(
        warehouse,
        f"SELECT {figures}, low - 1, high - 1 FROM comparison($1, $2) "
        "WHERE metric NOT LIKE 'functions%'",
        *sides,
    )
    explained = rows(
        warehouse,
        f"SELECT {figures}, change_low, change_high FROM explain_run($2, $1) "
        "WHERE subject IS NOT NULL AND topic <> 'cause'",
        *sides,
    )
    assert sorted(compared) == sorted(explained)


def test_counters_are_compared_per_cycle(warehouse):
    runs = history(warehouse, 10, 12)
    counters(warehouse, runs[:10], misses=10, instructions=1e5)
    counters(warehouse, runs[10:], misses=30, instructions=1e5)
    assert rows(
        warehouse,
        """SELECT subject, metric, unit, round(before, 7), round(after, 7), round(change, 6),
             direction, certain,
             flag_codes(flags)
           FROM explanations WHERE topic = 'counter'""",
    ) == [("misses", "per_cycle:misses", "1/cycle", 1e-4, 3e-4, 2.0, "worse", True, [])]


def test_an_event_that_only_its_cycles_moved_is_flagged(warehouse):
    runs = history(warehouse, 10, 12)
    counters(warehouse, runs, instructions=1e5)
    warehouse.execute(
        """UPDATE pmu_samples SET value = 2e6
           FROM runs
           WHERE pmu_samples.run_id = runs.run_id AND event = 'cycles'
             AND started_at >= TIMESTAMPTZ '2026-01-11 00:00:00+00'"""
    )
    keep(warehouse)
    assert rows(
        warehouse,
        """SELECT subject, round(change, 6), direction, flag_codes(flags) FROM explanations
           WHERE topic = 'counter' ORDER BY subject""",
    ) == [("cycles", 1.0, "worse", []), ("instructions", -0.5, None, ["same_count"])]


def test_a_diagnosis_that_moved(warehouse):
    runs = history(warehouse, 10, 12)
    counters(warehouse, runs, misses=10)
    for i, run in enumerate(runs):
        given(
            warehouse,
            "bottleneck_labels",
            f"run_id class said_by\n{run} {'Mem' if i >= 10 else 'Balance'} me",
            said_at="2026-01-01",
        )
    assert rows(
        warehouse,
        """SELECT subject, before_label, after_label, certain FROM explanations
           WHERE topic = 'bottleneck'""",
    ) == [(None, "Balance", "Mem", True)]
    warehouse.execute(
        "UPDATE bottleneck_labels SET class = 'DTB' WHERE run_id IN ('heat11', 'heat12')"
    )
    assert rows(warehouse, "SELECT certain FROM explanations WHERE topic = 'bottleneck'") == []


def test_an_exponent_that_got_worse(warehouse):
    for version, exponent in (("1", -1.0), ("2", -0.5)):
        for ranks in (1, 2, 4, 8, 16, 32):
            given(
                warehouse,
                "runs",
                f"run_id app version machine ranks\nv{version}p{ranks} heat {version} m {ranks}",
            )
            functions(warehouse, [f"v{version}p{ranks}"], solve=8 * ranks**exponent, read=1)
    assert rows(
        warehouse,
        """SELECT subject, round(before, 1), round(after, 1), direction, certain, query
           FROM explain_run('v2p4', 'v1p4') WHERE topic = 'scaling'""",
    ) == [
        (
            *("solve", -1.0, -0.5, "worse", True),
            "SELECT version, exponent, exponent_low, exponent_high, formula FROM scaling_models "
            "WHERE app = 'heat' AND function = 'solve' AND version IN ('1', '2')",
        )
    ]


def test_the_ledger_of_workers_says_what_idle_says(warehouse):
    """What the trace does not tell is no overhead, and cycles have no ledger of seconds."""
    sides = "['r1.23', 'r1.24', 'r1.25'], ['r1.20', 'r1.21', 'r1.22']"
    for run in ("1.20", "1.21", "1.22", "1.23", "1.24", "1.25"):
        land(warehouse, FOLDER / f"history/stencil-{run}.tasks", run_id=f"r{run}")
    warehouse.execute("UPDATE runs SET wall_seconds = if(run_id < 'r1.23', 10, 20)")
    found = rows(
        warehouse, f"SELECT part, round(after, 6), total, difference FROM explain_ledger({sides})"
    )
    parts = {part: after for part, after, *_ in found}
    ((not_recorded, overhead, starvation),) = rows(
        warehouse,
        """SELECT
             avg(not_recorded / workers) / 1e9, avg((overhead - not_recorded) / workers) / 1e9,
             avg(starvation / workers) / 1e9
           FROM slo_by_run
           WHERE mode = 'transitive' AND latency_rule = 'union' AND run_id >= 'r1.23'""",
    )
    assert not_recorded > 0
    assert parts["not_recorded"] == pytest.approx(not_recorded, abs=1e-6)
    assert parts["overhead"] == pytest.approx(overhead, abs=1e-6)
    assert parts["starvation"] == pytest.approx(starvation, abs=1e-6)
    assert {total for _, _, total, _ in found} == {"window"}
    assert parts["not_explained"] == pytest.approx(0, abs=1e-6)
    warehouse.execute("UPDATE runs SET wall_seconds = NULL")
    for run in ("1.20", "1.21", "1.22", "1.23", "1.24", "1.25"):
        warehouse.execute(
            "INSERT INTO pmu_samples (run_id, source_id, sample, event, value) "
            "VALUES (?, 0, 0, 'cycles', ?)",
            [f"r{run}", 1e9 if run < "1.23" else 2e9],
        )
    assert rows(warehouse, f"FROM explain_ledger({sides})") == []


def test_idle_time_that_shifted(warehouse):
    for run in ("1.20", "1.21", "1.22", "1.23", "1.24", "1.25"):
        land(warehouse, FOLDER / f"history/stencil-{run}.tasks", run_id=f"r{run}")
    assert rows(
        warehouse,
        """SELECT subject, unit, round(before), round(after), direction, certain
           FROM explain_run(['r1.23', 'r1.24', 'r1.25'], ['r1.20', 'r1.21', 'r1.22'])
           WHERE topic = 'idle'""",
    ) == [("starvation", "% of workers x window", 9.0, 15.0, "worse", True)]


def test_threads_that_began_to_diverge(warehouse):
    lines = [
        f"{run} 0 k 0 {thread} {bb} {9 if diverges and (thread + bb) % 2 else 1}"
        for run, diverges in (("a", False), ("b", False), ("c", True), ("d", True))
        for thread in range(16)
        for bb in range(2)
    ]
    given(
        warehouse, "bb_visits", "run_id launch kernel block thread bb visits\n" + "\n".join(lines)
    )
    assert rows(
        warehouse,
        """SELECT subject, metric, before, after > 0.5, before_label, after_label, certain
           FROM explain_run(['c', 'd'], ['a', 'b']) WHERE topic = 'threads'""",
    ) == [("k", "fluctuation", 0.0, True, "neither", "divergent", True)]
    assert rows(
        warehouse,
        "SELECT certain, flag_codes(flags) FROM explain_run('c', 'a') WHERE topic = 'threads'",
    ) == [(None, ["single_run"])]


def test_warps_that_began_to_diverge_are_measured_by_their_lanes(warehouse):
    header = "run_id launch kernel granularity warp_size block_size instructions warp_instructions"
    lines = [
        f"{run} 0 k warp 32 64 {instructions} 100"
        for run, instructions in (("a", 3200), ("b", 3200), ("c", 800), ("d", 800))
    ]
    given(warehouse, "bb_launches", "\n".join([header, *lines]))
    assert rows(
        warehouse,
        """SELECT metric, before, after, before_label, after_label, certain
           FROM explain_run(['c', 'd'], ['a', 'b']) WHERE topic = 'threads'""",
    ) == [("simt_efficiency", 1.0, 0.25, "neither", "divergent", True)]


def test_settings_that_differ_between_the_sides_are_told(warehouse):
    history(warehouse, 10, 12)
    warehouse.execute(
        """UPDATE runs SET tags = MAP {
             'compiler': if(started_at < '2026-01-11', 'gcc-12', 'gcc-13'),
             'site': if(started_at < '2026-01-05', 'a', 'b'),
             'user_seconds': CAST(random() AS VARCHAR)
           }"""
    )
    assert rows(
        warehouse,
        """SELECT subject, before_label, after_label, certain FROM explanations
           WHERE topic = 'setting'""",
    ) == [("compiler", "gcc-12", "gcc-13", True)]


def test_the_main_metric_can_be_named_with_a_tag(warehouse):
    runs = history(warehouse, 10, 10)
    functions(warehouse, runs[:10], solve=6, read=4)
    functions(warehouse, runs[10:], solve=9, read=4)
    assert rows(warehouse, "FROM explanations") == []
    warehouse.execute("UPDATE runs SET tags = MAP {'main_metric': 'seconds:solve'}")
    assert rows(
        warehouse,
        "SELECT DISTINCT run_id, main_metric FROM explanations",
    ) == [("heat10", "seconds:solve")]
    warehouse.execute("UPDATE runs SET tags = MAP {'main_metric': 'functions:seconds'}")
    assert rows(
        warehouse, "SELECT main_metric, subject FROM explanations WHERE topic = 'metric'"
    ) == [("functions:seconds", "functions:seconds")]


def test_every_query_shows_the_values_behind_its_row(warehouse):
    names = ["it's", 'say "hello"', "a; DROP TABLE runs", "f<int>(x, y)"]
    runs = history(warehouse, 10, 12)
    functions(warehouse, runs[:10], NAME0=2, NAME1=2, NAME2=2, NAME3=2, read=4)
    functions(warehouse, runs[10:], NAME0=3, NAME1=3, NAME2=3, NAME3=3, read=4)
    counters(warehouse, runs[:10], misses=10)
    counters(warehouse, runs[10:], misses=30)
    for number, name in enumerate(names):
        warehouse.execute(
            "UPDATE fn_timings SET function = ? WHERE function = ?", [name, f"NAME{number}"]
        )
    keep(warehouse)
    found = rows(
        warehouse, "SELECT topic, subject, query FROM explanations ORDER BY topic, subject"
    )
    topics = {"cause", "counter", "function", "metric"}
    assert {topic for topic, _, _ in found} == topics
    for _, _, query in found:
        assert len(rows(warehouse, query)) == 20
    assert {*names} <= {subject for _, subject, _ in found}


def test_benchmarks_that_changed_are_findings(warehouse):
    runs = history(warehouse, 10, 12)
    lines = [
        f"{run} {name} {level * WALL[i % 10]} s lower"
        for i, run in enumerate(runs)
        for name, level in (("sort", 1 + (i >= 10)), ("hash", 1))
    ]
    given(warehouse, "metrics", "run_id metric value unit better\n" + "\n".join(lines))
    keep(warehouse)
    ((subject, change, direction, certain, query),) = rows(
        warehouse,
        "SELECT subject, round(change, 3), direction, certain, query FROM explanations "
        "WHERE topic = 'benchmark'",
    )
    assert (subject, change, direction, certain) == ("sort", 1.0, "worse", True)
    assert len(rows(warehouse, query)) == 20
    assert rows(
        warehouse,
        "SELECT topic, runs_before, runs_after FROM explain_coverage(?, ?) WHERE runs_after > 0",
        runs[10:],
        runs[:10],
    ) == [("benchmark", 10, 10)]
