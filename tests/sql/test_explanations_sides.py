"""Explanations: what is compared with what, and what could be examined."""

from __future__ import annotations

from tests.helpers.support import given, rows
from tests.sql.test_explanations import counters, functions, history


def test_a_run_is_compared_across_the_last_change_of_its_series(warehouse):
    runs = history(warehouse, 10, 12, 15)
    history(warehouse, 20, machine="other", app="pond")
    for run, changed, against in (
        ("heat24", "heat20", runs[10:20]),
        ("heat10", "heat10", runs[:10]),
    ):
        assert rows(
            warehouse, "SELECT chosen_by, changed, runs[1], against FROM explain_baseline(?)", run
        ) == [("change", changed, changed, against)]
    assert rows(warehouse, "SELECT chosen_by, runs, against FROM explain_baseline('heat4')") == [
        ("version", ["heat4"], ["heat3"])
    ]


def drifting(warehouse, *, slope, step):
    warehouse.execute(
        """
        INSERT INTO runs (run_id, app, version, machine, started_at, wall_seconds)
        SELECT 'r' || i, 'heat', i, 'm', TIMESTAMPTZ '2026-01-01' + to_days(i::INTEGER),
            100 + $slope * i + (i * 7919 % 101) / 50 + CASE WHEN i < 40 THEN 0 ELSE $step END
        FROM range(80) AS t (i)
        """,
        {"slope": slope, "step": step},
    )


def test_a_change_of_what_drifts_has_the_size_of_the_change_alone(warehouse):
    drifting(warehouse, slope=2, step=8)
    found = 'SELECT "before", "after", p_value FROM '
    (change,) = rows(warehouse, f"{found} change_points")
    assert change[1] - change[0] < 12
    explained = f"{found} explanations WHERE topic = 'metric'"
    for side in ("runs", "against"):
        warehouse.execute(f"SET VARIABLE {side} = (SELECT {side} FROM explain_baseline('r79'))")
    asked = "explain_run(getvariable('runs'), getvariable('against')) WHERE topic = 'metric'"
    assert rows(warehouse, explained) == rows(warehouse, found + asked) == [change]


def test_only_near_runs_are_compared_where_the_levels_drift(warehouse):
    drifting(warehouse, slope=1, step=-10)
    near = [f"r{i}" for i in range(32, 48)]
    assert rows(warehouse, "SELECT runs, against FROM explain_baseline('r79')") == [
        (near[8:], near[:8])
    ]
    assert rows(warehouse, 'SELECT run_id, direction, "after" < "before" FROM change_points') == [
        ("r40", "better", True)
    ]


def test_without_a_change_it_is_compared_with_the_version_before(warehouse):
    given(
        warehouse,
        "runs",
        """
        run_id  app   version  machine  ranks
        a       heat  1.9      m        4
        b       heat  1.10     m        4
        c       heat  1.10     m        4
        d       heat  1.9      other    4
        e       heat  1.9      m        8
        """,
    )
    assert rows(warehouse, "SELECT chosen_by, runs, against FROM explain_baseline('c')") == [
        ("version", ["b", "c"], ["a"])
    ]
    for alone in "ade":
        assert rows(warehouse, "FROM explain_baseline(?)", alone) == []


def test_of_versions_that_have_no_order_none_is_the_one_before(warehouse):
    given(warehouse, "runs", "run_id app version\na heat 9f3c\nb heat 0a1d\nc heat 77e0")
    assert rows(warehouse, "FROM explain_baseline('c')") == []
    given(
        warehouse,
        "runs",
        """
        run_id  app   version  started_at
        d       heat  c1       2026-01-01
        e       heat  b2       2026-01-01
        f       heat  a3       2026-01-02
        g       heat  02       2026-01-03
        """,
    )
    asked = "SELECT runs, against FROM explain_baseline(?)"
    assert rows(warehouse, asked, "f") == []  # d or e was before
    assert rows(warehouse, asked, "g") == [(["g"], ["f"])]


def test_coverage_tells_what_could_be_examined(warehouse):
    runs = history(warehouse, 10, 12)
    functions(warehouse, runs[:12], solve=6)
    counters(warehouse, runs[10:], strange=10)
    assert rows(
        warehouse,
        "SELECT topic, runs_before, runs_after, note IS NOT NULL FROM explain_coverage(?, ?)",
        runs[10:],
        runs[:10],
    ) == [
        ("function", 10, 2, False),
        ("counter", 0, 10, False),
        ("bottleneck", 0, 0, True),
        ("scaling", 0, 0, False),
        ("idle", 0, 0, False),
        ("threads", 0, 0, False),
        ("benchmark", 0, 0, False),
    ]


def test_what_has_nothing_in_common_is_not_compared(warehouse):
    counters(warehouse, ["a"], misses=10)
    given(warehouse, "pmu_samples", "run_id sample event value\nb 0 stalls 5")
    given(
        warehouse,
        "bb_visits",
        """
        run_id  launch  kernel  block  thread  bb  visits
        a       0       k       0      0       0   1
        b       0       other   0      0       0   1
        """,
    )
    assert rows(
        warehouse,
        """SELECT topic, runs_before, runs_after, flag_text(note) FROM explain_coverage('b', 'a')
           WHERE topic IN ('counter', 'threads')""",
    ) == [("counter", 0, 0, "other events"), ("threads", 0, 0, "other kernels")]
