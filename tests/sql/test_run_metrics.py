"""Every scalar of every run in one view."""

from __future__ import annotations

from tests.helpers.support import given, keep, rows


def test_each_kind_of_trace_gives_its_scalars(warehouse):
    given(warehouse, "runs", "run_id app version machine wall_seconds\nr1 lulesh 2.0 m1 12.5")
    given(warehouse, "pmu_samples", "event value unit\ncycles 100 NULL\ninstructions 150 NULL")
    given(warehouse, "fn_timings", "function seconds\nsolve 3\nhalo 1")
    given(warehouse, "workers", "worker t_begin t_end\nw 0 100")
    given(warehouse, "tasks", "task worker t_start t_end\na w 20 60")
    given(warehouse, "segments", "segment cycles instructions\n0 10 20\n1 NULL 7")
    keep(warehouse)
    assert rows(
        warehouse,
        "SELECT metric, value, unit FROM run_metrics ORDER BY metric",
    ) == [
        ("counter:cycles", 100.0, None),
        ("counter:instructions", 150.0, None),
        ("functions:seconds", 4.0, "s"),
        ("per_cycle:cycles", 1.0, "1/cycle"),
        ("per_cycle:instructions", 1.5, "1/cycle"),
        ("seconds:halo", 1.0, "s"),
        ("seconds:solve", 3.0, "s"),
        ("segments:count", 2.0, None),
        ("segments:ipc", 2.0, "1/cycle"),
        ("tasks:busy_share", 0.4, "1"),
        ("tasks:count", 1.0, None),
        ("tasks:idle_share", 0.2, "1"),
        ("tasks:tail_share", 0.4, "1"),
        ("tasks:workers", 1.0, None),
        ("wall_seconds", 12.5, "s"),
    ]
    assert rows(warehouse, "SELECT DISTINCT run_id, app, version, machine FROM run_metrics") == [
        ("r1", "lulesh", "2.0", "m1")
    ]
