"""History: runs that make one series, its change points, thresholds as rows."""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers.support import given, keep, rows

LEVELS = "10.0 10.1 9.9 10.0 10.2 9.8 10.0 10.1 9.9 10.0"


def history(con, machine, *levels, metric="wall_seconds", app="heat", **columns):
    """Put in a run a day, ten of about each level."""
    values = [level * float(v) / 10 for level in levels for v in LEVELS.split()]
    names = ["run_id", "app", "version", "machine", "started_at", metric, *columns]
    said = columns.values()
    lines = [
        [f"{machine}{i}", app, f"v{i}", machine, f"2026-01-{i + 1:02}T06:00:00Z", value, *said]
        for i, value in enumerate(values)
    ]
    table = "\n".join(" ".join(map(str, line)) for line in [names, *lines])
    given(con, "runs", table)


def test_a_change_is_named_with_run_version_size_and_direction(warehouse):
    history(warehouse, "m1", 10, 12)
    history(warehouse, "m2", 10, 10)
    assert rows(
        warehouse,
        """SELECT app, machine, metric, index, run_id, version, CAST(started_at AS DATE)::VARCHAR,
             round(before, 2), round(after, 2), round(change, 6), direction,
             p_value < significance, significance, previous_run_id, points
           FROM change_points""",
    ) == [
        (
            *("heat", "m1", "wall_seconds", 10, "m110", "v10", "2026-01-11"),
            *(10.0, 12.0, 0.2, "worse", True, 0.002, "m19", 20),
        )
    ]


def test_machines_and_sizes_are_never_mixed(warehouse):
    history(warehouse, "m1", 10)
    history(warehouse, "m2", 12)
    assert rows(warehouse, "FROM change_points") == []
    assert rows(
        warehouse, "SELECT machine, fields, points FROM metric_series ORDER BY machine"
    ) == [("m1", {"machine": "m1"}, 10), ("m2", {"machine": "m2"}, 10)]


def test_runs_that_differ_in_a_configuration_are_apart(warehouse):
    history(warehouse, "a", 10, ranks=4)
    history(warehouse, "b", 12, ranks=8)
    warehouse.execute("DELETE FROM series_fields WHERE field = 'machine'")
    assert rows(warehouse, "SELECT machine, fields FROM metric_series ORDER BY machine") == [
        ("a", {"ranks": "4"}),
        ("b", {"ranks": "8"}),
    ]
    warehouse.execute("DELETE FROM series_fields WHERE field = 'ranks'")
    assert rows(warehouse, "SELECT machine, fields, points FROM metric_series") == [
        ("a, b", {}, 20)
    ]


def test_a_tag_can_tell_machines_apart(warehouse):
    history(warehouse, "m1", 10, 12)
    warehouse.execute("UPDATE runs SET tags = MAP {'compiler': if(wall_seconds < 11, 'g', 'c')}")
    assert rows(warehouse, "SELECT count(*) FROM change_points") == [(1,)]
    given(warehouse, "series_fields", "field\ncompiler")
    assert rows(warehouse, "SELECT count(*) FROM change_points") == [(0,)]
    assert rows(
        warehouse, "SELECT DISTINCT fields['compiler'] AS c FROM metric_series ORDER BY c"
    ) == [
        ("c",),
        ("g",),
    ]


def test_order_is_that_of_time_and_runs_without_one_are_left_out(warehouse):
    history(warehouse, "m1", 12, 10)
    warehouse.execute(
        "UPDATE runs SET started_at = TIMESTAMPTZ '2026-03-01 00:00:00Z' - INTERVAL 1 DAY * "
        "CAST(version[2:] AS INTEGER)"
    )
    given(warehouse, "runs", "run_id app machine wall_seconds\nx heat m1 500")
    assert rows(warehouse, "SELECT index, run_id, points, direction FROM change_points") == [
        (10, "m19", 20, "worse")
    ]


def test_thresholds_are_rows_and_the_closest_wins(warehouse):
    history(warehouse, "m1", 10, 12)
    asked = "SELECT significance, direction FROM change_points"
    given(warehouse, "change_thresholds", "app smallest_change significance\nheat 0.3 0.01")
    assert rows(warehouse, asked) == []
    given(warehouse, "change_thresholds", "app machine smallest_change better\nh*t m1 0.1 higher")
    assert rows(warehouse, asked) == [(0.01, "better")]
    given(warehouse, "change_thresholds", "app machine significance\nheat m1 1e-30")
    assert rows(warehouse, asked) == []


def test_direction_follows_the_metric(warehouse):
    history(warehouse, "m1", 10, 12)
    for event, unit in (("bandwidth", "GB/s"), ("cache-misses", None), ("pages", None)):
        warehouse.execute(
            """INSERT INTO pmu_samples BY NAME
               SELECT run_id, 1 AS source_id, ? AS event, wall_seconds AS value, ? AS unit
               FROM runs""",
            [event, unit],
        )
    keep(warehouse)
    assert rows(warehouse, "SELECT metric, direction FROM change_points ORDER BY metric") == [
        ("counter:bandwidth", "better"),
        ("counter:cache-misses", "worse"),
        ("counter:pages", None),
        ("wall_seconds", "worse"),
    ]


def test_the_commits_of_a_change_are_those_of_the_runs_on_both_sides(warehouse):
    history(warehouse, "m1", 10, 12)
    warehouse.execute("UPDATE runs SET tags = MAP {'commit': 'c' || version[2:]}")
    assert rows(
        warehouse, "SELECT previous_version, version, previous_commit, commit FROM change_points"
    ) == [("v9", "v10", "c9", "c10")]


def test_a_young_level_is_provisional_until_it_is_a_change(warehouse):
    history(warehouse, "m1", 10, 12)
    late = "SELECT index, run_id, age, more_runs, direction, round(change, 2) FROM"
    assert rows(warehouse, f"{late} provisional_changes") == []
    warehouse.execute("DELETE FROM runs WHERE wall_seconds > 11 AND started_at > '2026-01-13'")
    assert rows(warehouse, "SELECT count(*) FROM change_points") == [(0,)]
    assert rows(warehouse, f"{late} provisional_changes") == [(10, "m110", 2, 3, "worse", 0.21)]
    given(warehouse, "change_thresholds", "app smallest_change\nheat 0.3")
    assert rows(warehouse, "FROM provisional_changes") == []


def test_a_burst_is_a_disturbance_and_no_change(warehouse):
    history(warehouse, "m1", 10, 10, 10)
    warehouse.execute("UPDATE runs SET wall_seconds = 30 WHERE run_id IN ('m112', 'm113', 'm114')")
    assert rows(warehouse, "FROM change_points") == []
    assert rows(
        warehouse,
        "SELECT first, last, run_id, last_run_id, usual, disturbed, change FROM disturbances",
    ) == [(12, 14, "m112", "m114", 10, 30, 2)]


def test_the_state_of_a_series_says_what_could_be_seen(warehouse):
    history(warehouse, "m1", 10, 10)
    history(warehouse, "m2", 10)
    warehouse.execute("DELETE FROM runs WHERE machine = 'm2' AND started_at > '2026-01-06'")
    ((steady, level, seen), (short, _, _)) = rows(
        warehouse, "SELECT state, level, smallest_visible FROM series_states ORDER BY machine"
    )
    assert (steady, level, short) == ("steady", 10, "short")
    assert 0.01 < seen < 0.05


def test_a_latest_run_far_from_all_others_is_named(warehouse):
    history(warehouse, "m1", 10, 10)
    outliers = "SELECT latest_outlier, latest_outlier_run_id FROM series_states"
    assert rows(warehouse, outliers) == [(None, None)]
    warehouse.execute("UPDATE runs SET wall_seconds = 20 WHERE run_id = 'm119'")
    assert rows(warehouse, outliers) == [(20.0, "m119")]
    # one like it before
    warehouse.execute("UPDATE runs SET wall_seconds = 20 WHERE run_id = 'm15'")
    assert rows(warehouse, outliers) == [(None, None)]


def test_alternating_levels_are_shown_with_their_shares(warehouse):
    history(warehouse, "m1", 10, 10, 10)
    warehouse.execute(
        "UPDATE runs SET wall_seconds = 15 WHERE CAST(version[2:] AS INTEGER) % 3 = 0"
    )
    assert rows(
        warehouse, "SELECT state, round(low), high, round(high_share, 2) FROM series_states"
    ) == [("alternating", 10, 15, 0.33)]


def acknowledge(con, run_id, reason, metric="*", fixed_in=None):
    """Annotate a change by a run."""
    con.execute(
        "INSERT INTO acknowledgements (run_id, app, version, started_at, metric, reason, fixed_in, "
        "said_at) "
        "SELECT run_id, app, version, started_at, $metric, $reason, $fixed_in, now() FROM runs "
        "WHERE run_id = $run_id",
        {"run_id": run_id, "reason": reason, "metric": metric, "fixed_in": fixed_in},
    )


def test_an_acknowledgement_stays_with_its_change_and_the_latest_counts(warehouse):
    history(warehouse, "m1", 10, 12, 14)
    asked = "SELECT run_id, acknowledged FROM change_points ORDER BY index"
    acknowledge(warehouse, "m112", "expected", metric="wall*")
    acknowledge(warehouse, "m112", "noise", metric="counter:*")
    assert rows(warehouse, asked) == [("m110", "expected"), ("m120", None)]
    # Two runs less before it, and another one as its first.
    warehouse.execute("DELETE FROM runs WHERE run_id IN ('m10', 'm110')")
    assert rows(warehouse, asked) == [("m111", "expected"), ("m120", None)]
    acknowledge(warehouse, "m111", "fixed", fixed_in="v99")
    warehouse.execute(
        "UPDATE acknowledgements SET said_at = now() + INTERVAL 1 DAY WHERE fixed_in IS NOT NULL"
    )
    assert rows(warehouse, asked) == [("m111", "fixed in v99"), ("m120", None)]


def test_invalid_runs_are_in_no_series(warehouse):
    history(warehouse, "m1", 10, 10)
    warehouse.execute("UPDATE runs SET wall_seconds = 99 WHERE run_id = 'm119'")
    acknowledge(warehouse, "m119", "invalid run")
    assert rows(warehouse, "SELECT points, series[-1].run_id FROM metric_series") == [(19, "m118")]


def test_changes_at_one_version_are_one_event(warehouse):
    history(warehouse, "m1", 10, 12)
    history(warehouse, "m2", 10, 12, 9)
    warehouse.execute(
        """INSERT INTO pmu_samples BY NAME
           SELECT run_id, 1 AS source_id, 'cycles' AS event, wall_seconds AS value
           FROM runs WHERE machine = 'm1'"""
    )
    keep(warehouse)
    asked = """SELECT version, previous_version, metric, direction, others, metrics, acknowledged
      FROM change_events ORDER BY started_at"""
    both = ["counter:cycles", "wall_seconds"]
    worse = ("v10", "v9", "wall_seconds", "worse", 2, both)
    better = ("v20", "v19", "wall_seconds", "better", 0, ["wall_seconds"], None)
    assert rows(warehouse, asked) == [(*worse, None), better]
    acknowledge(warehouse, "m110", "expected", metric="wall_seconds")
    ((_, _, metric, _, _, _, open_), _) = rows(warehouse, asked)
    assert (metric, open_) == ("counter:cycles", None)
    acknowledge(warehouse, "m110", "expected")
    assert rows(warehouse, asked) == [(*worse, "expected"), better]
    assert rows(warehouse, "SELECT others FROM _change_events_of(machines := ['m2'])") == [
        (0,),
        (0,),
    ]


def measured(con, app, values, tags=None):
    """Write a run a day of an application on machine m, each of a version of its own."""
    for day, value in enumerate(values):
        con.execute(
            """INSERT INTO runs
                 (run_id, app, version, machine, started_at, wall_seconds, tags, "commit")
               VALUES (?, ?, ?, 'm',
                 TIMESTAMPTZ '2026-01-01 00:00:00Z' + INTERVAL 1 DAY * CAST(? AS INTEGER), ?, ?, ?)
            """,
            [
                *(f"{app}{day:02}", app, f"v{day}", day, value, (tags or {}).get(day, {})),
                f"{day:040}" if app == "a" else None,
            ],
        )


def test_what_moved_is_the_code_the_environment_or_the_machine(warehouse):
    draw = np.random.default_rng(1)
    kernels = {day: {"kernel": "6.1" if day < 30 else "6.2"} for day in range(60)}
    for app in ("a", "b", "c"):
        level = np.ones(60)
        level[15:30] = 1.2  # on the machine, until a newer kernel
        level[45:] *= 1 if app == "c" else 1.3
        measured(warehouse, app, (level * draw.normal(10, 0.1, 60)).tolist(), kernels)
    keep(warehouse)
    asked = "SELECT run_id, moved, environment FROM change_events ORDER BY started_at, app"
    assert rows(warehouse, asked) == [
        *((f"{app}15", "machine", []) for app in ("a", "b", "c")),
        *((f"{app}30", "environment", ["kernel"]) for app in ("a", "b", "c")),
        ("a45", "code", []),
        ("b45", "version", []),
    ]


def test_events_next_to_each_other_are_no_chain(warehouse):
    draw = np.random.default_rng(2)
    places = {"one": 20, "two": 20, "three": 21, "four": 22, "five": 23}
    given(
        warehouse,
        "runs",
        "\n".join(
            ["run_id app version started_at"]
            + [f"r{day:02} x v{day} {np.datetime64('2026-01-01') + day}" for day in range(45)]
        ),
    )
    for name, at in places.items():
        for day in range(45):
            value = float(draw.normal(10, 0.05)) * (1.5 if day >= at else 1)
            warehouse.execute(
                "INSERT INTO metrics (run_id, source_id, metric, value, unit) "
                "VALUES (?, 1, ?, ?, 's')",
                [f"r{day:02}", name, value],
            )
    keep(warehouse)
    asked = "SELECT run_id, metrics FROM change_events ORDER BY started_at, run_id"
    told = [
        ("r20", ["metric:one", "metric:three", "metric:two"]),
        ("r22", ["metric:four"]),
        ("r23", ["metric:five"]),
    ]
    first = rows(warehouse, asked)
    assert sum(len(metrics) for _, metrics in first) == 5
    assert first[0][1] == told[0][1]
    assert all(rows(warehouse, asked) == first for _ in range(3))


@pytest.mark.parametrize(
    ("unit", "better"),
    [
        *(("s", "lower"), ("ms/ggas", "lower"), ("µs", "lower"), ("ns/op", "lower")),
        *(("mgas/s", "higher"), ("op/ms", "higher"), ("B/op", "lower"), ("J/s", "lower")),
        *(("%", None), ("cycles", None)),
    ],
)
def test_a_unit_says_what_is_better(warehouse, unit, better):
    assert rows(warehouse, "SELECT _better_of_unit($1)", unit) == [(better,)]
    # whatever the file says; where the unit says nothing the file does
    warehouse.execute("INSERT INTO runs (run_id, app) VALUES ('r', 'x')")
    warehouse.execute(
        "INSERT INTO metrics (run_id, source_id, metric, value, unit, better) "
        "VALUES ('r', 1, 'm', 1, $1, 'higher')",
        [unit],
    )
    asked = "SELECT _better(NULL, 'x', 'metric:m', $1)"
    assert rows(warehouse, asked, unit) == [(better or "higher",)]
