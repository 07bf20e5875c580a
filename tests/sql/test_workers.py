"""Views over task runtimes: idle intervals and sums of workers."""

from __future__ import annotations

from tests.helpers.support import given, rows

IDLE = "SELECT worker, t_start, t_end, kind, task FROM worker_idle ORDER BY worker, t_start"


def test_lead_inner_and_tail(warehouse):
    given(warehouse, "workers", "worker node t_begin t_end\nw0 n0 0 100\nw1 n0 0 100")
    given(
        warehouse,
        "tasks",
        """
        task  worker  t_start  t_end
        a     w0      10       30
        b     w0      40       60
        """,
    )
    assert rows(warehouse, IDLE) == [
        ("w0", 0, 10, "lead", "a"),
        ("w0", 30, 40, "inner", "b"),
        ("w0", 60, 100, "tail", None),
        ("w1", 0, 100, "tail", None),
    ]


def test_overlapping_tasks_are_busy_once_and_zero_length_ones_split(warehouse):
    given(warehouse, "workers", "worker t_begin t_end\nw 0 50")
    given(
        warehouse,
        "tasks",
        """
        task  worker  t_start  t_end
        long  w       0        30
        in    w       5        10
        point w       40       40
        last  w       45       50
        """,
    )
    assert rows(warehouse, IDLE) == [
        ("w", 30, 40, "inner", "point"),
        ("w", 40, 45, "inner", "last"),
    ]


def test_a_worker_of_instants_was_busy_for_no_time_at_all(warehouse):
    given(warehouse, "workers", "worker t_begin t_end\nw 0 600000001")
    points = [100000001 * n + 7 for n in range(1, 6)]
    tasks = "\n".join(f"p{n} w {at} {at}" for n, at in enumerate(points))
    given(warehouse, "tasks", "task worker t_start t_end\n" + tasks)
    query = "SELECT busy_seconds, idle_seconds + tail_seconds FROM worker_summary"
    assert rows(warehouse, query) == [(0.0, 0.600000001)]


def test_clock_offsets_are_taken_out_and_missing_windows_are_the_programs(warehouse):
    given(warehouse, "nodes", "node clock_offset_ns\nn0 0\nn1 1000")
    given(warehouse, "workers", "worker node\na n0\nb n1")
    given(
        warehouse,
        "tasks",
        """
        task  worker  t_start  t_end
        x     a       0        40
        y     b       1010     1020
        """,
    )
    assert rows(warehouse, IDLE) == [
        ("b", 0, 10, "lead", "y"),
        ("b", 20, 40, "tail", None),
    ]


def test_summary_adds_up_to_the_window(warehouse):
    given(warehouse, "workers", "worker t_begin t_end\nw 0 100")
    given(warehouse, "tasks", "task worker t_start t_end\na w 10 30\nb w 25 60")
    assert rows(
        warehouse,
        "SELECT tasks, wall_seconds * 1e9, busy_seconds * 1e9, idle_seconds * 1e9, "
        "tail_seconds * 1e9 FROM worker_summary",
    ) == [(2, 100.0, 50.0, 10.0, 40.0)]


def test_windows_cover_the_tasks_of_the_worker(warehouse):
    given(warehouse, "workers", "worker t_begin t_end\nw 50 60")
    given(warehouse, "tasks", "task worker t_start t_end\na w 40 70")
    query = "SELECT busy_seconds, wall_seconds FROM worker_summary"
    assert rows(warehouse, query) == [(3e-8, 3e-8)]


def test_runs_do_not_mix(warehouse):
    given(warehouse, "workers", "run_id worker t_begin t_end\nr1 w 0 10\nr2 w 0 20")
    given(warehouse, "tasks", "run_id task worker t_start t_end\nr1 a w 0 10\nr2 a w 0 15")
    assert rows(warehouse, "SELECT run_id, t_start, t_end FROM worker_idle") == [("r2", 15, 20)]
