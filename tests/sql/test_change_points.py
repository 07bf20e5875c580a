"""History: runs that make one series, its change points, thresholds as rows."""

from __future__ import annotations

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
             before, after, round(change, 6), direction, p_value < significance, significance,
             previous_run_id, points
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
