"""What is measured: seconds of a function at a count, sets of runs, their problem sizes."""

from __future__ import annotations

import pytest

from tests.helpers.scaling import law, measured
from tests.helpers.support import given, rows


def test_ranks_are_averaged_call_paths_added_and_the_longest_thread_counts(warehouse):
    given(warehouse, "runs", "run_id app ranks\nr1 a 2")
    given(
        warehouse,
        "fn_timings",
        """
        function  callpath  rank  thread  seconds
        solve     main->a   0     NULL    1
        solve     main->b   0     NULL    2
        solve     main->a   1     NULL    5
        once      main      0     NULL    4
        loop      main      0     0       3
        loop      main      0     1       2
        loop      main      1     0       1
        """,
    )
    assert rows(warehouse, "SELECT function, seconds FROM scaling_points ORDER BY ALL") == [
        ("loop", 2.0),
        ("once", 2.0),
        ("solve", 4.0),
    ]


def test_repetitions_are_of_a_run_or_runs(warehouse):
    given(warehouse, "runs", "run_id app ranks\nr1 a 2\nr2 a 2")
    given(
        warehouse,
        "fn_timings",
        """
        run_id  function  repetition  seconds
        r1      f         0           1
        r1      f         1           2
        r2      f         0           6
        """,
    )
    assert rows(
        warehouse, "SELECT parallelism, seconds, fastest, slowest, repetitions FROM scaling_points"
    ) == [(2, 2.0, 1.0, 6.0, 3)]


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ("run_id ranks threads nodes\nr1 2 4 1\nr2 4 4 2", [2, 4]),
        ("run_id ranks threads nodes\nr1 1 2 1\nr2 1 4 1", [2, 4]),
        ("run_id ranks threads nodes\nr1 2 2 1\nr2 4 4 1", [4, 16]),
        ("run_id ranks threads nodes\nr1 NULL NULL 1\nr2 NULL NULL 8", [1, 8]),
    ],
)
def test_parallelism_is_what_the_runs_differ_in(warehouse, runs, expected):
    given(warehouse, "runs", runs)
    given(warehouse, "fn_timings", "run_id function seconds\nr1 f 1\nr2 f 1")
    found = rows(warehouse, "SELECT parallelism FROM scaling_points ORDER BY ALL")
    assert [count for (count,) in found] == expected


def test_the_parallelism_of_the_measurement_wins(warehouse):
    given(warehouse, "runs", "run_id ranks\nr1 2")
    given(warehouse, "fn_timings", "function parallelism seconds\nf 8 1\nf 16 2\ng NULL 3")
    assert rows(
        warehouse, "SELECT function, parallelism, seconds FROM scaling_points ORDER BY ALL"
    ) == [("f", 8, 1.0), ("f", 16, 2.0), ("g", 2, 3.0)]


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (lambda count: 1000.0, ("strong", False, 1000.0, [])),
        (lambda count: 1000.0 * count, ("weak", False, None, [])),
        (
            lambda count: None,
            (
                "strong",
                True,
                None,
                ["scaling assumed strong: the problem sizes of the runs are not known"],
            ),
        ),
        (
            lambda count: 1000.0 * count**0.5,
            (
                "weak",
                False,
                None,
                ["weak scaling in part: the problem grows with the parallelism to the power 0.50"],
            ),
        ),
        (
            lambda count: 1000.0 / count,
            (
                "strong",
                False,
                None,
                ["problem sizes differ, but do not grow with the parallelism"],
            ),
        ),
    ],
)
def test_strong_and_weak_are_told_apart(warehouse, size, expected):
    measured(warehouse, {"f": law((10, -1))}, size=size)
    assert rows(
        warehouse, "SELECT scaling, assumed, problem_size, flag_sentences(flags) FROM scaling_sets"
    ) == [expected]


def test_tags_that_tell_problems_apart_are_named(warehouse):
    for tags in ("{'rows': '480', 'run': '1', 'io': '0.1'}", "{'rows': '960', 'run': '2'}"):
        factor = 4 if "960" in tags else 1
        for ranks in (1, 2, 4):
            warehouse.execute(
                "INSERT INTO runs (run_id, app, ranks, wall_seconds, tags) "
                f"VALUES (?, 'a', ?, ?, MAP {tags})",
                [f"{factor}-{ranks}", ranks, factor * 8 / ranks],
            )
            given(warehouse, "fn_timings", f"run_id function seconds\n{factor}-{ranks} f 1")
    flags = rows(warehouse, "SELECT unnest(flag_sentences(flags)) FROM scaling_sets")
    problem = "perhaps several problems: runs at one count differ in rows, run, and up to 4.0-fold"
    assert (f"{problem} in time",) in flags
    warehouse.execute("UPDATE runs SET wall_seconds = 8 / ranks")
    assert (
        len(rows(warehouse, "SELECT unnest(flag_sentences(flags)) FROM scaling_sets"))
        == len(flags) - 1
    )


def test_sets_are_of_one_application_version_and_machine(warehouse):
    measured(warehouse, {"f": law((10, -1))}, version="1")
    measured(warehouse, {"f": law((20, -1))}, version="2")
    measured(warehouse, {"f": law((30, -1))}, version=None)
    assert rows(
        warehouse,
        "SELECT app, version, round(seconds_smallest) FROM program_models ORDER BY version",
    ) == [("stencil", "1", 5), ("stencil", "2", 10), ("stencil", None, 15)]


def test_a_set_crossed_by_sizes_is_modelled_at_its_widest(warehouse):
    for size in (10.0, 20.0):
        counts = (2, 4, 8, 16) if size == 20 else (2, 4)
        measured(warehouse, {"f": law((size, -1), counts=counts)}, size=lambda _, s=size: s)
    assert rows(warehouse, "SELECT crossed, problem_size, counts FROM scaling_sets") == [
        (True, 20.0, 4)
    ]
    assert rows(warehouse, "SELECT x, y FROM scaling_series") == [
        ([2.0, 4.0, 8.0, 16.0], [10.0, 5.0, 2.5, 1.25])
    ]
