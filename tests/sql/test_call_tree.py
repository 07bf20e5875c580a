"""Call trees: own and inclusive costs by call path, of a run and of two sides."""

from __future__ import annotations

import pytest

from tests.helpers.support import given, rows

PATHS = """
    run_id  function  callpath         rank  seconds
    a       main      main             0     1
    a       solve     main->solve      0     4
    a       dot       main->solve->dot 0     2
    a       dot       main->dot        0     1
    b       main      main             0     1
    b       solve     main->solve      0     4
    b       dot       main->solve->dot 0     6
    b       dot       main->dot        0     1
    b       log       main->log->write 0     3
"""


def test_inclusive_costs_are_sums_over_the_paths_below(warehouse):
    given(warehouse, "runs", "run_id\na\nb")
    given(warehouse, "fn_timings", PATHS)
    assert rows(
        warehouse,
        "SELECT callpath, function, depth, own, inclusive FROM call_tree WHERE run_id = 'b' "
        "ORDER BY callpath",
    ) == [
        ("main", "main", 1, 1.0, 15.0),
        ("main->dot", "dot", 2, 1.0, 1.0),
        ("main->log", "log", 2, 0.0, 3.0),
        ("main->log->write", "write", 3, 3.0, 3.0),
        ("main->solve", "solve", 2, 4.0, 10.0),
        ("main->solve->dot", "dot", 3, 6.0, 6.0),
    ]


def test_two_sides_differ_by_call_path(warehouse):
    given(warehouse, "runs", "run_id\na\nb")
    given(warehouse, "fn_timings", PATHS)
    found = rows(
        warehouse,
        """SELECT callpath, own_before, own_after, inclusive_before, inclusive_after,
             round(own_share, 3), round(inclusive_share, 3), flag_codes(flags)
           FROM call_tree_difference('b', 'a') WHERE inclusive_share > 0 ORDER BY callpath""",
    )
    assert found == [
        ("main", 1, 1, pytest.approx(8), pytest.approx(15), 0, 1, []),
        ("main->log", 0, 0, 0, pytest.approx(3), 0, 0.429, ["new"]),
        ("main->log->write", 0, pytest.approx(3), 0, pytest.approx(3), 0.429, 0.429, ["new"]),
        (
            "main->solve",
            pytest.approx(4),
            pytest.approx(4),
            pytest.approx(6),
            pytest.approx(10),
            0,
            0.571,
            [],
        ),
        (
            "main->solve->dot",
            pytest.approx(2),
            pytest.approx(6),
            pytest.approx(2),
            pytest.approx(6),
            0.571,
            0.571,
            [],
        ),
    ]


def test_means_over_ranks_repetitions_and_runs(warehouse):
    given(warehouse, "runs", "run_id\na\nb\nc")
    given(
        warehouse,
        "fn_timings",
        """
        run_id  function  callpath  rank  repetition  seconds
        a       f         main->f   0     0           1
        a       f         main->f   1     0           3
        a       f         main->f   0     1           1
        a       f         main->f   1     1           3
        b       f         main->f   0     0           4
        c       f         main->f   0     0           9
        """,
    )
    assert rows(
        warehouse,
        "SELECT own_before, own_after FROM call_tree_difference(['b', 'c'], 'a') WHERE depth = 2",
    ) == [(2.0, pytest.approx(6))]


def test_flat_profiles_have_what_the_tool_states(warehouse):
    given(warehouse, "runs", "run_id\na")
    given(
        warehouse,
        "fn_timings",
        "run_id function seconds inclusive_seconds\na main 1 9\na operator->() 8 NULL",
    )
    assert rows(
        warehouse, "SELECT callpath, depth, own, inclusive FROM call_tree ORDER BY callpath"
    ) == [("main", 1, 1.0, 9.0), ("operator->()", 1, 8.0, None)]


def test_nothing_in_common_is_no_tree(warehouse):
    given(warehouse, "runs", "run_id\na\nb")
    given(warehouse, "fn_timings", "run_id function seconds\na f 1")
    given(warehouse, "pmu_samples", "run_id region event value\nb f Ir 5")
    assert rows(warehouse, "FROM call_tree_difference('b', 'a')") == []
