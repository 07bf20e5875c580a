"""comparison: two sets of runs metric by metric, like with like."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.helpers.support import given, keep, rows

BEFORE = (10.0, 10.1, 9.9, 10.05, 9.95)
AFTER = (12.0, 12.1, 11.9, 12.05, 11.95)


def version(con, name, values, *, machine="m", first_day=1, ranks="NULL"):
    """Put in a version: a run a day with that wall time."""
    lines = "\n".join(
        f"{name}{i} app {name} {machine} 2026-01-{first_day + i:02}T06:00:00Z {ranks} {value}"
        for i, value in enumerate(values)
    )
    given(con, "runs", f"run_id app version machine started_at ranks wall_seconds\n{lines}")


def compared(con, before, after, columns="metric, verdict", more=""):
    """Compare two lists of versions or runs."""
    con.execute(
        "CREATE OR REPLACE TEMP MACRO meant(names) AS "
        "(SELECT list(run_id) FROM runs WHERE list_contains(names, coalesce(version, run_id)))"
    )
    keep(con)
    return rows(
        con,
        f"SELECT {columns} FROM comparison(meant($1), meant($2){more}) "
        "ORDER BY metric, CAST(fields_after AS VARCHAR)",
        before,
        after,
    )


def test_runs_of_a_version_are_the_unit(warehouse):
    version(warehouse, "a", BEFORE)
    version(warehouse, "b", AFTER, first_day=11)
    (row,) = compared(
        warehouse,
        ["a"],
        ["b"],
        "metric, unit, verdict, before, ratio, low > 1.17, high < 1.23, p_value < 0.001, "
        "runs_before, runs_after, noise, better, fields_before, share_after",
    )
    same = pytest.approx(10, rel=1e-3), pytest.approx(1.2, rel=1e-3)
    assert row == (
        *("wall_seconds", "s", "worse", *same, True, True, True),
        *(5, 5, "step", "lower", {"machine": "m"}, None),
    )
    assert compared(warehouse, ["b"], ["a"]) == [("wall_seconds", "better")]


def test_counted_costs_do_not_tell_how_times_vary(warehouse):
    version(warehouse, "other", [10] * 6)
    warehouse.execute("UPDATE runs SET app = 'other'")
    version(warehouse, "a", [10], first_day=11)
    version(warehouse, "b", [12], first_day=12)
    others = "\n".join(f"other{i} f {1000000 + i % 2} 1000000" for i in range(6))
    given(warehouse, "pmu_samples", f"run_id region value inclusive\n{others}", event="Ir")
    given(warehouse, "fn_timings", "run_id function seconds\na0 f 10\nb0 f 12")
    asked = ("metric, verdict, noise", ", metrics := ['seconds:*']")
    assert compared(warehouse, ["a"], ["b"], *asked) == [("seconds:f", "unknown", None)]


def test_costs_in_several_units_are_compared_each_by_itself(warehouse):
    given(warehouse, "runs", "run_id\nah\nai\nbh\nbi")
    profile = {"region": "f", "inclusive": 1}
    given(warehouse, "pmu_samples", "run_id value\nah 10\nbh 30", event="peak bytes", **profile)
    given(warehouse, "pmu_samples", "run_id value\nai 100\nbi 200", event="Ir", **profile)
    keep(warehouse)
    assert rows(
        warehouse,
        "SELECT unit, round(before), round(after) FROM explain_run(['bh', 'bi'], ['ah', 'ai']) "
        "WHERE topic = 'function' AND subject = 'f' ORDER BY unit",
    ) == [("bytes", 10, 30), ("instructions", 100, 200)]


def test_the_noise_of_single_runs_does_not_depend_on_the_order_of_landing(warehouse):
    # more equal runs than are used, all equally late, each version with a scatter of its own
    lines = [
        f"n{i}{half} app n{i} other 2026-01-01T06:00:00Z {10 * (1 + half * i / 3000)}"
        for i in range(300)
        for half in (0, 1)
    ]
    lines += [f"{one} app {one} m 2026-01-02T06:00:00Z {10 + (one == 'b')}" for one in "ab"]
    found = []
    for landed in (lines, lines[::-1]):
        warehouse.execute("DELETE FROM runs")
        table = "run_id app version machine started_at wall_seconds\n" + "\n".join(landed)
        given(warehouse, "runs", table)
        found += compared(warehouse, ["a"], ["b"], "low, high")
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_functions_are_compared_one_by_one_and_per_rank(warehouse):
    version(warehouse, "a", [1] * 3)
    version(warehouse, "b", [1] * 3, first_day=11)
    timings = "\n".join(
        f"{side}{i} {function} {rank} {seconds * (1 + shake * (1 + len(function)))}"
        for side, first, ranks in (("a", 1.0, 2), ("b", 1.3, 4))
        for i, shake in enumerate((0.001, -0.002, 0.0005))
        for rank in range(ranks)
        for function, seconds in (("f", first), ("main", 2.0), *([("old", 1)] * (side == "a")))
    )
    given(warehouse, "fn_timings", f"run_id function rank seconds\n{timings}")
    found = compared(
        warehouse, ["a"], ["b"], "metric, verdict, round(ratio, 2), round(share_before, 2)"
    )
    assert found == [
        ("functions:seconds", "better", 0.83, None),
        ("seconds:f", "worse", 1.3, 0.25),
        ("seconds:main", "same", 1.0, 0.5),
        ("seconds:old", "gone", 0.0, 0.25),
        ("wall_seconds", "same", 1.0, None),
    ]


def repeated(con, runs_of, repetitions=5):
    """Put in runs of sides that each repeat a function within their process."""
    given(con, "runs", "run_id version\n" + "\n".join(f"{r} {r[0]}" for r in runs_of))
    timings = "\n".join(
        f"{run} f {i} {value * (1 + 0.001 * i)}"
        for run, value in runs_of.items()
        for i in range(repetitions)
    )
    given(con, "fn_timings", f"run_id function repetition seconds\n{timings}")


def test_repetitions_within_a_run_show_no_noise(warehouse):
    repeated(warehouse, {"a0": 10, "b0": 10.5})
    assert compared(warehouse, ["a"], ["b"], "metric, verdict, round(before, 2), runs_before") == [
        ("functions:seconds", "unknown", 10.02, 1),
        ("seconds:f", "unknown", 10.02, 1),
    ]


def test_repetitions_are_averaged_within_each_run(warehouse):
    repeated(
        warehouse,
        {"a0": 10, "a1": 10.4, "a2": 9.8, "a3": 10.1, "b0": 10.2, "b1": 9.9, "b2": 10.3, "b3": 9.7},
    )
    asked = "verdict, runs_before, runs_after, noise"
    assert compared(warehouse, ["a"], ["b"], asked, ", metrics := ['seconds:*']") == [
        ("same", 4, 4, "runs")
    ]


def test_a_run_without_a_function_spent_no_time_in_it(warehouse):
    version(warehouse, "a", BEFORE)
    version(warehouse, "b", AFTER, first_day=11)
    timings = "\n".join(
        f"{side}{i} {function} {seconds * (1 + 0.01 * (i % 3))}"
        for side in "ab"
        for i in range(5)
        for function, seconds in (
            ("main", 10),
            *([("rare", 0.1)] if i == 0 else []),
            *([("added", 50), ("called", 0)] if side == "b" else []),
        )
    )
    given(warehouse, "fn_timings", f"run_id function seconds\n{timings}")
    assert compared(
        warehouse,
        ["a"],
        ["b"],
        "metric, verdict, before < 0.03, runs_before, runs_after, share_after > 0.8",
        ", metrics := ['seconds:*']",
    ) == [
        ("seconds:added", "new", True, 5, 5, True),
        ("seconds:called", "same", True, 5, 5, False),
        ("seconds:main", "same", False, 5, 5, False),
        ("seconds:rare", "same", True, 5, 5, False),
    ]


def test_a_rate_by_cycles_has_no_direction(warehouse):
    version(warehouse, "a", BEFORE)
    version(warehouse, "b", AFTER, first_day=11)
    warehouse.execute(
        "INSERT INTO pmu_samples (run_id, source_id, sample, event, value) "
        "SELECT run_id, 1, 0, event, value FROM runs, "
        "LATERAL (VALUES ('cycles', wall_seconds * 1e6), ('cache-misses', 1e4)) AS t(event, value)"
    )
    found = compared(warehouse, ["a"], ["b"], more=", metrics := ['*cache*', '*cycles'] ")
    assert found == [
        ("counter:cache-misses", "same"),
        ("counter:cycles", "worse"),
        ("per_cycle:cache-misses", "changed"),
        ("per_cycle:cycles", "same"),
    ]


@pytest.mark.parametrize(
    ("event", "unit", "better"),
    [
        ("task-clock", "msec", "lower"),
        ("cpu-clock:u", "msec", "lower"),
        ("duration_time", "ns", "lower"),
        ("user_time", "ns", "lower"),
        ("bytes allocated", None, "lower"),
        ("power/energy-pkg/", "Joules", "lower"),
        ("LLC-load-misses", None, "lower"),
        ("PAPI_L2_TCM", None, "lower"),
        ("Ir", None, "lower"),
        ("transmissions", None, None),
        ("requests", "1/s", "higher"),
    ],
)
def test_directions_of_counters(event, unit, better, warehouse):
    version(warehouse, "a", BEFORE[:2])
    version(warehouse, "b", AFTER[:2], first_day=11)
    warehouse.execute(
        "INSERT INTO pmu_samples (run_id, source_id, event, value, unit) "
        "SELECT run_id, 1, ?, wall_seconds, ? FROM runs",
        [event, unit],
    )
    assert compared(warehouse, ["a"], ["b"], "better", ", metrics := ['counter:*']") == [(better,)]


def test_configurations_are_compared_like_with_like(warehouse):
    version(warehouse, "a", BEFORE, ranks=2)
    version(warehouse, "c", (5.0, 5.1, 4.9, 5.05), ranks=4, first_day=6)
    version(warehouse, "b", BEFORE, ranks=2, first_day=11)
    version(warehouse, "d", (6.0, 6.1, 5.9, 6.05), ranks=4, first_day=16)
    version(warehouse, "e", (9.0, 9.1), ranks=8, first_day=21)
    assert compared(
        warehouse,
        ["a", "c"],
        ["b", "d", "e"],
        "fields_before['ranks'], fields_after['ranks'], verdict",
    ) == [("2", "2", "same"), ("4", "4", "worse"), (None, "8", "new")]


def test_the_parallelism_of_timings_tells_configurations_apart(warehouse):
    lines = "\n".join(
        f"{side}{p}{i} f {p} {seconds / p * (1 + shake)}"
        for side, seconds in (("a", 8), ("b", 12))
        for p in (1, 2)
        for i, shake in enumerate((0, 0.01, -0.01))
    )
    given(warehouse, "fn_timings", f"run_id function parallelism seconds\n{lines}")
    warehouse.execute(
        "INSERT INTO runs (run_id, version) SELECT DISTINCT run_id, run_id[1] FROM fn_timings"
    )
    assert compared(
        warehouse, ["a"], ["b"], "metric, fields_after, verdict", ", metrics := ['seconds:*']"
    ) == [
        ("seconds:f", {"parallelism": "1"}, "worse"),
        ("seconds:f", {"parallelism": "2"}, "worse"),
    ]


def test_two_runs_of_different_machines_are_compared_as_asked(warehouse):
    version(warehouse, "a", BEFORE, machine="m1")
    version(warehouse, "b", AFTER, machine="m2")
    assert compared(warehouse, ["a"], ["b"], "fields_before, fields_after, verdict") == [
        ({"machine": "m1"}, {"machine": "m2"}, "worse")
    ]


def test_single_runs_have_a_verdict_only_with_a_history(warehouse):
    version(warehouse, "a", [10.0])
    version(warehouse, "b", [12.0], first_day=2)
    asked = "verdict, noise, ratio, p_value, low"
    assert compared(warehouse, ["a"], ["b"], asked) == [
        ("unknown", None, pytest.approx(1.2), None, None)
    ]
    version(warehouse, "h", [*BEFORE, *BEFORE], first_day=3)
    ((verdict, noise, _, _, low),) = compared(warehouse, ["a"], ["b"], asked)
    assert (verdict, noise, low > 1) == ("worse", "history", True)


def test_direction_and_thresholds_are_those_of_the_series(warehouse):
    version(warehouse, "a", BEFORE)
    version(warehouse, "b", AFTER, first_day=11)
    for event, unit in (("pages", None), ("LLC-misses", None), ("bandwidth", "GB/s")):
        warehouse.execute(
            "INSERT INTO pmu_samples (run_id, source_id, event, value, unit) "
            "SELECT run_id, 1, ?, wall_seconds, ? FROM runs",
            [event, unit],
        )
    assert compared(warehouse, ["a"], ["b"]) == [
        ("counter:LLC-misses", "worse"),
        ("counter:bandwidth", "better"),
        ("counter:pages", "changed"),
        ("wall_seconds", "worse"),
    ]
    given(warehouse, "change_thresholds", "app metric smallest_change better\napp * 0.3 higher")
    assert {verdict for _, verdict in compared(warehouse, ["a"], ["b"])} == {"same"}


def test_idle_sums_are_metrics(warehouse):
    for run, t_start in (("a", 40), ("b", 70)):
        given(warehouse, "runs", f"run_id\n{run}")
        given(warehouse, "workers", f"run_id worker t_begin t_end\n{run} w 0 100")
        given(
            warehouse,
            "tasks",
            f"run_id task worker t_ready t_start t_end\n{run} t w {t_start} {t_start} 100",
        )
        warehouse.execute(
            "INSERT INTO idle_intervals BY NAME SELECT $1 AS run_id, 1 AS source_id, "
            "'w' AS worker, 0 AS t_start, $2 AS t_end, 'lead' AS kind, 't' AS task, "
            "$2 AS starvation1, 0 AS ov_concrete, 0 AS ov_uniform, 0 AS ov_rest, "
            "0 AS ov_unsubmitted, $2 AS starvation, 0 AS latency, 0 AS overhead",
            [run, t_start],
        )
    found = compared(
        warehouse, ["a"], ["b"], "metric, before, round(after), verdict", ", metrics := ['idle:*']"
    )
    assert ("idle:starvation", 40.0, 70.0, "unknown") in found


def test_level_and_patterns(warehouse):
    version(warehouse, "a", (10.0, 10.2, 9.8))
    version(warehouse, "b", (10.5, 10.3, 10.1), first_day=11)
    assert compared(warehouse, ["a"], ["b"], "verdict") == [("same",)]
    assert compared(warehouse, ["a"], ["b"], "verdict", ", level := 0.6") == [("worse",)]
    assert compared(warehouse, ["a"], ["b"], "verdict", ", metrics := ['counter:*']") == []


def test_empty_sides_give_no_rows(warehouse):
    assert rows(warehouse, "FROM comparison(['a'], ['b'])") == []


def test_run_configurations(warehouse):
    version(warehouse, "a", [1], ranks=4)
    given(warehouse, "fn_timings", "run_id function parallelism seconds\na0 f 8 1")
    assert rows(warehouse, "SELECT fields, parallelism, configuration FROM run_configurations") == [
        (
            {"machine": "m", "ranks": "4"},
            8,
            {"machine": "m", "ranks": "4", "parallelism": "8"},
        )
    ]


def test_noise_that_hides_ten_per_cent_leaves_it_uncertain(warehouse):
    version(warehouse, "a", [10, 13, 8, 12, 9])
    version(warehouse, "b", [11, 14, 8.5, 12.5, 10], first_day=11)
    assert compared(warehouse, ["a"], ["b"], "verdict, low < 0.9, high > 1.1") == [
        ("uncertain", True, True)
    ]


STORED = (
    "metric, unit, verdict, before, after, ratio, low, high, p_value, runs_before, runs_after, "
    "noise, runs_to_settle, better, fields_before, fields_after, place"
)


def test_each_version_against_the_one_before_it_is_stored(warehouse):
    version(warehouse, "a", BEFORE)
    version(warehouse, "b", BEFORE, first_day=11)
    version(warehouse, "c", AFTER, first_day=21)
    sides = "SELECT DISTINCT version, previous_version, runs, against FROM version_comparisons"
    runs = {name: [f"{name}{i}" for i in range(5)] for name in "abc"}
    assert sorted(rows(warehouse, sides)) == [
        (after, before, runs[after], runs[before]) for before, after in ("ab", "bc")
    ]
    for before, after in ("ab", "bc"):
        stored = rows(
            warehouse,
            f"SELECT app, direction, certain, {STORED} FROM version_comparisons "
            f"WHERE version = '{after}' ORDER BY place",
        )
        verdict = ("worse", True) if after == "c" else (None, False)
        live = compared(warehouse, [before], [after], STORED)
        assert stored == [("app", *verdict, *row) for row in live]
    ids = "SELECT count(*) FROM version_comparisons JOIN series USING (series_id, metric, app)"
    assert rows(warehouse, ids) == [(2,)]


def _one_run_of_each(warehouse, first, last):
    """Write versions of one run each, an hour apart."""
    began = datetime(2026, 1, 1, tzinfo=UTC)
    lines = "\n".join(
        f"r{i} app v{i:03} m {(began + timedelta(hours=i)).isoformat()} {10 + i % 7 / 10}"
        for i in range(first, last)
    )
    given(warehouse, "runs", f"run_id app version machine started_at wall_seconds\n{lines}")


def test_the_newest_fifty_pairs_are_stored(warehouse):
    _one_run_of_each(warehouse, 0, 60)
    pairs = "SELECT count(*), min(version), max(version) FROM version_comparisons"
    assert rows(warehouse, pairs) == [(50, "v010", "v059")]


def test_a_later_version_leaves_earlier_pairs_as_they_are(warehouse):
    _one_run_of_each(warehouse, 0, 30)
    digests = "SELECT key, digest FROM analysis_states WHERE analysis = 'version_comparisons'"
    before = dict(rows(warehouse, digests))
    _one_run_of_each(warehouse, 30, 31)
    after = dict(rows(warehouse, digests))
    assert len(after) == 30
    assert before.items() <= after.items()
    # One that is found to have run before all others shows more of their noise.
    given(
        warehouse,
        "runs",
        "run_id app version machine started_at wall_seconds\nr app old m 2025-01-01T00:00:00Z 10",
    )
    again = dict(rows(warehouse, digests))
    assert not before.items() & again.items()


def test_of_versions_of_one_place_none_is_compared_with_the_other(warehouse):
    version(warehouse, "a", BEFORE)
    version(warehouse, "b", AFTER)
    assert rows(warehouse, "FROM version_comparisons") == []
    version(warehouse, "c", AFTER, first_day=11)
    assert rows(warehouse, "FROM version_comparisons") == []
    version(warehouse, "d", AFTER, first_day=21)
    found = "SELECT DISTINCT version, previous_version FROM version_comparisons"
    assert rows(warehouse, found) == [("d", "c")]


def test_failed_and_invalid_runs_are_on_no_stored_side(warehouse):
    version(warehouse, "a", BEFORE)
    version(warehouse, "b", AFTER, first_day=11)
    version(warehouse, "c", AFTER[:1], first_day=21)
    warehouse.execute("UPDATE runs SET tags = MAP {'exit_code': '1'} WHERE run_id = 'b0'")
    warehouse.execute(
        "INSERT INTO acknowledgements (run_id, app, started_at, metric, reason, said_at) "
        "SELECT run_id, app, started_at, '*', 'invalid run', now() FROM runs "
        "WHERE run_id IN ('a1', 'c0')"
    )
    sides = "SELECT DISTINCT runs, against FROM version_comparisons"
    assert rows(warehouse, sides) == [(["b1", "b2", "b3", "b4"], ["a0", "a2", "a3", "a4"])]


def test_far_histories_do_not_show_noise(warehouse):
    """Of 200 runs up to those compared: those before were noisy, those after are."""
    lines = "\n".join(
        f"r{i} app {i} m {time.isoformat()} {10 + (i % 7 - 3) * (0.001 if 300 <= i < 600 else 1)}"
        for i in range(700)
        for time in (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=i),)
    ).replace("+00:00", "Z")
    given(warehouse, "runs", f"run_id app version machine started_at wall_seconds\n{lines}")
    found = [
        compared(warehouse, [str(at - 1)], [str(at)], "high / low < 1.1, noise")
        for at in (250, 580, 690)
    ]
    assert found == [[(False, "history")], [(True, "history")], [(False, "history")]]
