"""Views over basic blocks."""

from __future__ import annotations

from tests.helpers.support import given, rows


def test_probability_is_of_all_times_a_block_was_left(warehouse):
    given(
        warehouse,
        "bb_edges",
        """
        launch  kernel  thread  src  dst  count
        0       k       0       0    1    3
        0       k       1       0    1    3
        0       k       1       0    2    2
        1       k       0       0    2    5
        """,
    )
    assert rows(
        warehouse,
        "SELECT launch, src, dst, count, probability FROM bb_transitions ORDER BY ALL",
    ) == [(0, 0, 1, 6, 0.75), (0, 0, 2, 2, 0.25), (1, 0, 2, 5, 1.0)]


def test_vectors_are_sparse_and_over_all_intervals(warehouse):
    given(
        warehouse,
        "bb_visits",
        """
        launch  thread  interval  bb  visits  instructions
        0       1       0         7   NULL    10
        0       1       1         7   NULL    5
        0       1       1         3   NULL    2
        0       2       0         3   4       8
        """,
    )
    assert rows(
        warehouse, "SELECT thread, bbs, visits, instructions FROM bb_vectors ORDER BY thread"
    ) == [(1, [3, 7], [None, None], [2, 15]), (2, [3], [4], [8])]


def test_launch_summary_counts_threads_barriers_and_lanes(warehouse):
    given(
        warehouse,
        "bb_launches",
        """
        launch  kernel  warp_size  granularity  instructions  warp_instructions
        0       k       32         thread       96            4
        """,
    )
    given(warehouse, "bb_blocks", "kernel bb size barriers\nk 0 4 0\nk 1 3 2")
    given(
        warehouse,
        "bb_visits",
        """
        launch  kernel  block  thread  bb  visits  instructions
        0       k       0      0       0   1       4
        0       k       0      0       1   3       9
        0       k       1      0       0   4       16
        """,
    )
    assert rows(
        warehouse,
        "SELECT threads, blocks_visited, visits, instructions, barriers, sync_rate, "
        "simt_efficiency FROM launch_summary",
    ) == [(2, 2, 8, 96, 6, 0.75, 0.75)]


def test_launch_summary_has_launches_that_only_visits_describe(warehouse):
    given(warehouse, "bb_visits", "launch kernel block thread bb visits\n4 k 0 0 0 2\n4 k 0 1 0 2")
    given(warehouse, "bb_blocks", "kernel bb size barriers source_id\nk 0 5 1 1\nk 0 5 1 2")
    assert rows(
        warehouse,
        "SELECT launch, kernel, threads, visits, instructions, barriers, simt_efficiency "
        "FROM launch_summary",
    ) == [(4, "k", 2, 4, 20, 4, None)]
