"""Views over function times."""

from __future__ import annotations

from tests.helpers.support import given, rows


def test_shares_are_of_all_ranks_and_seconds_per_rank(warehouse):
    given(
        warehouse,
        "fn_timings",
        """
        function  callpath    rank  seconds  calls
        solve     main->solve 0     3.0      10
        solve     main->solve 1     5.0      10
        halo      main->halo  0     1.0      2
        halo      main->halo  1     1.0      2
        """,
    )
    assert rows(
        warehouse,
        "SELECT function, seconds, total_seconds, share, calls, total_calls, longest "
        "FROM function_shares ORDER BY share DESC",
    ) == [("solve", 4.0, 8.0, 0.8, 10, 20, 5.0), ("halo", 1.0, 2.0, 0.2, 2, 4, 1.0)]


def test_a_total_is_no_function(warehouse):
    given(
        warehouse,
        "fn_timings",
        """
        function  kind   seconds
        solver    total  4
        solve     NULL   3
        halo      NULL   1
        """,
    )
    shares = "SELECT function, share FROM function_shares ORDER BY share DESC"
    assert rows(warehouse, shares) == [("solve", 0.75), ("halo", 0.25)]
    assert rows(warehouse, "SELECT sum(own) FROM profile_stacks") == [(4.0,)]
    assert rows(warehouse, "SELECT count(*) FROM function_totals") == [(2,)]
    kept = "SELECT metric, value FROM run_metrics ORDER BY metric"
    assert rows(warehouse, kept) == [
        ("functions:seconds", 4.0),
        ("seconds:halo", 1.0),
        ("seconds:solve", 3.0),
        ("seconds:solver", 4.0),
    ]


def test_shares_are_of_one_process_count_and_of_what_has_ranks(warehouse):
    given(
        warehouse,
        "fn_timings",
        """
        function  parallelism  rank  seconds
        solve     1            NULL  9
        solve     2            0     2
        solve     2            1     4
        read      2            NULL  1
        """,
    )
    shares = "SELECT function, seconds, share FROM function_shares ORDER BY share DESC"
    assert rows(warehouse, shares) == [("solve", 3.0, 0.75), ("read", 1.0, 0.25)]


def test_a_run_without_time_has_no_shares(warehouse):
    given(warehouse, "fn_timings", "function seconds\nf 0\ng 0")
    assert rows(warehouse, "SELECT DISTINCT share FROM function_shares") == [(None,)]


def test_totals_count_recursion_once_over_threads_and_ranks(warehouse):
    given(
        warehouse,
        "fn_timings",
        """
        function  callpath         rank  thread  seconds
        main      main             0     1       1
        f         main->f          0     1       2
        f         main->f->g->f    0     1       4
        g         main->f->g       0     2       8
        main      main             1     1       5
        """,
    )
    assert rows(
        warehouse, "SELECT function, unit, own, inclusive FROM function_totals ORDER BY function"
    ) == [("f", "s", 3, 7), ("g", "s", 4, 6), ("main", "s", 3, 10)]


def test_totals_of_flat_profiles_are_as_stated(warehouse):
    given(warehouse, "fn_timings", "function seconds inclusive_seconds\nf 1 3\ng 2 NULL")
    assert rows(warehouse, "SELECT function, own, inclusive FROM function_totals ORDER BY 1") == [
        ("f", 1, 3),
        ("g", 2, None),
    ]


def test_totals_of_paths_that_are_cut_off_above_are_as_stated(warehouse):
    # As callgrind --separate-callers=1 writes main, which calls f and g; f calls g, g calls h.
    given(
        warehouse,
        "pmu_samples",
        """
        event  region       value  inclusive
        Ir     start->main  1      21
        Ir     main->f      2      14
        Ir     f->g         4      12
        Ir     main->g      3      6
        Ir     g->h         11     11
        """,
    )
    assert rows(warehouse, "SELECT function, inclusive FROM function_totals ORDER BY 1") == [
        ("f", 14),
        ("g", 18),
        ("h", 11),
        ("main", 21),
        ("start", None),
    ]
    assert rows(
        warehouse, "SELECT callpath, inclusive FROM call_tree WHERE depth = 2 ORDER BY 1"
    ) == [("f->g", 12), ("g->h", 11), ("main->f", 14), ("main->g", 6), ("start->main", 21)]


def test_costs_are_of_one_event_whatever_perf_calls_it(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        run_id  region   event             value  inclusive
        hybrid  main->f  cpu_core/cycles/  5      5
        hybrid  main->f  cpu_atom/cycles/  2      2
        hybrid  main->f  samples           3      3
        other   main->f  branch-misses:u   7      7
        other   main->f  samples           3      3
        stat    core0    branch-misses     7      NULL
        """,
    )
    assert rows(
        warehouse, "SELECT run_id, event, function, cost, unit FROM function_costs ORDER BY 1"
    ) == [
        ("hybrid", "cycles", "f", 7, "cycles"),
        ("other", "branch-misses", "f", 7, "branch-misses"),
    ]


def test_what_was_sampled_is_a_cost_of_functions_without_call_graphs(warehouse):
    # perf record -e cache-misses: a sample stands for as many as its period is.
    given(
        warehouse,
        "pmu_samples",
        """
        region  event         value
        f       samples       1
        g       samples       3
        f       cache-misses  900
        g       cache-misses  100
        """,
    )
    query = "SELECT event, function, cost, share FROM function_costs ORDER BY share DESC"
    assert rows(warehouse, query) == [
        ("cache-misses", "f", 900, 0.9),
        ("cache-misses", "g", 100, 0.1),
    ]
