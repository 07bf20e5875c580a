"""Imbalance across CPU threads: how much, in which functions, and who is left out."""

from __future__ import annotations

import pytest

from tests.helpers.support import given, land, rows, shared

TOTALS = (
    "SELECT run_id, threads, first_thread, round(mean_value, 1), max_value, busiest_thread, "
    "round(imbalance, 3), is_bound, flag_text(note) FROM thread_imbalance "
    "ORDER BY run_id, repetition, rank"
)
FUNCTIONS = (
    "SELECT function, called_on, round(mean_value, 1), max_value, busiest_thread, "
    "round(excess, 1), round(excess_share, 2) FROM function_thread_imbalance "
    "WHERE run_id = ? ORDER BY excess DESC, function"
)
ONE = "one thread works: nothing to compare it with"


def counted(warehouse, text, event="Ir"):
    """Land lines of run, thread, function and instructions, or calls."""
    lines = [line.split() for line in text.strip().splitlines()]
    given(
        warehouse,
        "pmu_samples",
        "run_id thread region event value\n"
        + "\n".join(f"{run} {thread} {name} {event} {value}" for run, thread, name, value in lines),
    )


def test_instructions_of_threads_and_the_functions_that_make_the_difference(warehouse):
    counted(
        warehouse,
        """
        even    1  main  40
        even    2  work  100
        even    3  work  100
        uneven  1  work  100
        uneven  2  work  90
        uneven  3  work  100
        uneven  3  more  110
        alone   1  work  100
        starts  1  main  40
        starts  2  work  100
        nobody  NULL  work  100
        """,
    )
    assert rows(warehouse, TOTALS) == [
        ("alone", 1, None, 100, 100, 1, None, False, ONE),
        ("even", 2, 1, 100, 100, 2, 0, False, None),
        ("starts", 1, 1, 100, 100, 2, None, False, ONE),
        ("uneven", 3, None, 133.3, 210, 3, 0.575, False, None),
    ]
    assert rows(warehouse, FUNCTIONS, "uneven") == [
        ("more", 1, 36.7, 110, 3, 73.3, 0.96),
        ("work", 3, 96.7, 100, 1, 3.3, 0.04),
    ]
    assert rows(warehouse, FUNCTIONS, "alone") == []
    assert rows(
        warehouse,
        "SELECT thread, value, working FROM thread_work WHERE run_id = 'even' ORDER BY thread",
    ) == [(1, 40, False), (2, 100, True), (3, 100, True)]


def test_threads_that_share_evenly_have_no_excess_to_share_among_functions(warehouse):
    counted(warehouse, "r 1 left 1000\nr 2 right 1001")
    assert rows(warehouse, FUNCTIONS, "r") == [
        ("right", 1, 500.5, 1001, 2, 500.5, None),
        ("left", 1, 500, 1000, 1, -500, None),
    ]


def test_a_first_thread_that_works_with_the_others_or_most_is_one_of_them(warehouse):
    counted(
        warehouse,
        """
        less  1  work  20
        less  2  work  100
        less  3  work  100
        most  1  main  300
        most  2  work  100
        most  3  work  100
        """,
    )
    assert rows(warehouse, TOTALS) == [
        ("less", 3, None, 73.3, 100, 2, 0.364, False, None),
        ("most", 3, None, 166.7, 300, 1, 0.8, False, None),
    ]


def test_numbers_that_several_threads_had_are_a_bound(warehouse):
    counted(
        warehouse,
        """
        r  1  main  10
        r  2  work  400
        r  3  work  100
        """,
    )
    counted(warehouse, "r 2 start_thread 2\nr 3 start_thread 1", event="calls")
    note = "several threads had the same number, one after another, and count by their mean: 2"
    assert rows(warehouse, TOTALS) == [("r", 3, 1, 166.7, 200, 2, 0.2, True, note)]
    assert rows(warehouse, FUNCTIONS, "r") == [("work", 2, 166.7, 200, 2, 33.3, 1)]


def test_threads_that_had_one_number_are_counted_by_the_block_that_starts_them(warehouse):
    """Recorded with exp-bbv: block 1 starts a thread, 2 is its work, 3 its end."""
    given(
        warehouse,
        "bb_visits",
        """
        run_id  launch  thread  interval  bb  instructions
        r       0       1       0         9   10
        r       0       2       0         1   4
        r       0       2       0         2   96
        r       0       2       1         2   100
        r       0       2       2         3   5
        r       0       2       2         1   4
        r       0       2       2         2   91
        r       0       3       0         1   4
        r       0       3       0         2   96
        r       0       3       1         3   5
        r       0       3       1         2   45
        """,
    )
    assert rows(warehouse, "SELECT threads FROM thread_work ORDER BY thread") == [(1,), (1,), (1,)]
    warehouse.execute("UPDATE runs SET tags = MAP {'interval_size': '100'}")
    note = "several threads had the same number, one after another, and count by their mean: 2"
    assert rows(warehouse, TOTALS) == [("r", 3, 1, 150, 150, 2, 0, True, note)]


def test_instructions_of_blocks_belong_to_functions(warehouse):
    given(
        warehouse,
        "bb_visits",
        """
        run_id  launch  kernel  thread  interval  bb  visits  instructions
        r       0       NULL    2       0         1   NULL    60
        r       0       NULL    2       1         1   NULL    60
        r       0       NULL    3       0         1   NULL    60
        r       0       NULL    3       0         2   NULL    20
        s       0       NULL    1       NULL      1   10      NULL
        s       0       NULL    2       NULL      1   30      NULL
        t       0       NULL    1       NULL      1   10      NULL
        t       0       NULL    2       NULL      1   30      NULL
        gpu     0       k       1       NULL      1   10      10
        gpu     0       k       2       NULL      1   30      30
        """,
    )
    given(
        warehouse, "bb_blocks", "run_id kernel bb size function\nr NULL 1 4 work\ns NULL 1 4 work"
    )
    assert rows(warehouse, TOTALS) == [
        ("r", 2, None, 100, 120, 2, 0.2, False, None),
        ("s", 2, None, 80, 120, 2, 0.5, False, None),
    ]
    assert rows(warehouse, FUNCTIONS, "r") == [
        ("work", 2, 90, 120, 2, 30, 1.5),
        (None, 1, 10, 20, 3, -10, -0.5),
    ]


def test_seconds_are_those_of_each_process_without_waiting(warehouse):
    given(
        warehouse,
        "fn_timings",
        """
        run_id  rank  thread  repetition  function         seconds
        r       0     0       0           loop             1
        r       0     1       0           loop             3
        r       0     0       0           OMP_Barrier      2
        r       1     0       0           loop             2
        r       1     1       0           loop             2
        r       0     0       1           loop             1
        r       0     1       1           loop             1
        r       0     1       1           other            NULL
        s       0     NULL    0           loop             1
        """,
    )
    assert rows(warehouse, TOTALS) == [
        ("r", 2, None, 2, 3, 1, 0.5, False, None),
        ("r", 2, None, 2, 2, 0, 0, False, None),
        ("r", 2, None, 1, 1, 0, 0, False, None),
    ]


def test_threads_that_did_nothing_have_no_imbalance(warehouse):
    counted(warehouse, "r 1 work 0\nr 2 work 0")
    assert rows(warehouse, TOTALS) == [
        ("r", 2, None, 0, 0, 1, None, False, "the threads did nothing")
    ]


@pytest.mark.parametrize("file", ["thr.callgrind-01.gz", "thr.bb.gz"])
def test_threads_of_a_recording(file, warehouse):
    # Threads 2 and 3 run a hash loop, 4 and 5 a sort, 6 half of each; 1 only waits.
    land(warehouse, shared(f"bb/valgrind/{file}"), run_id="r")
    ((_, threads, first, mean, most, busiest, imbalance, bound, note),) = rows(warehouse, TOTALS)
    assert (threads, first, busiest, bound, note) == (5, 1, 5, False, None)
    assert imbalance == pytest.approx(most / mean - 1, abs=6e-4)
    assert imbalance == pytest.approx(0.149, abs=0.001)
    assert rows(warehouse, FUNCTIONS, "r")[0][0] == "sortloop"
