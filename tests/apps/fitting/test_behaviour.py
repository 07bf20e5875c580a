"""References of behaviour, and the thresholds that follow from them."""

from __future__ import annotations

import pytest

from apps.fitting.behaviour import add_reference
from tests.helpers.support import given, rows, settle
from warehouse.errors import NothingToAnalyse, UsageError


@pytest.fixture
def two_threads(warehouse):
    given(
        warehouse,
        "bb_visits",
        """
        launch  kernel  block  warp  thread  bb  visits  instructions
        0       k       0      0     0       0   1       5
        0       k       0      0     1       0   3       15
        """,
    )
    given(warehouse, "bb_blocks", "kernel bb size barriers\nk 0 5 1")
    settle(warehouse)
    return warehouse


def test_the_behaviour_of_a_launch_is_stored_with_its_rates(two_threads):
    assert add_reference(two_threads, "r1", 0, ["divergent", "synchronising"], "Kim", "mine") == [
        ("mine", "divergent", "Kim", 1.0, None, 1.0, None),
        ("mine", "synchronising", "Kim", 1.0, None, 1.0, None),
    ]


def test_thresholds_follow_at_once_and_a_change_of_mind_counts(two_threads):
    two_threads.execute("DELETE FROM behaviour_references")
    add_reference(two_threads, "r1", 0, ["divergent"], "Kim")
    threshold = "SELECT rate, threshold, showing, others FROM behaviour_thresholds ORDER BY rate"
    assert rows(two_threads, threshold) == [
        ("fluctuation", 1.0, 1, 0),
        ("idle_lanes", None, 0, 0),
    ]
    add_reference(two_threads, "r1", 0, ["not divergent"], "Kim")
    assert rows(two_threads, threshold) == [
        ("fluctuation", None, 0, 1),
        ("idle_lanes", None, 0, 0),
    ]


@pytest.mark.parametrize("said", [["odd"], ["divergent", "not divergent"]])
def test_contradictory_behaviours_are_refused(two_threads, said):
    with pytest.raises(UsageError):
        add_reference(two_threads, "r1", 0, said, "Kim")


def test_a_launch_that_is_not_there_is_named(two_threads):
    with pytest.raises(NothingToAnalyse, match="no launch 7"):
        add_reference(two_threads, "r1", 7, ["divergent"], "Kim")


def test_thresholds_lie_midway_on_the_scale_of_square_roots(warehouse):
    warehouse.execute("DELETE FROM behaviour_references")
    warehouse.execute(
        "INSERT INTO behaviour_references (program, behaviour, said_by, sync_rate) VALUES "
        "('a', 'synchronising', 'x', 0.36), ('b', 'synchronising', 'x', 0.16), "
        "('c', 'not synchronising', 'x', 0.01)"
    )
    assert rows(
        warehouse,
        "SELECT rate, round(threshold, 9), showing, round(mean_showing, 9), others, misjudged "
        "FROM behaviour_thresholds",
    ) == [("sync_rate", 0.09, 2, 0.25, 1, 0)]


def test_the_shipped_references_are_all_on_the_right_side(warehouse):
    assert rows(warehouse, "SELECT rate, misjudged FROM behaviour_thresholds ORDER BY rate") == [
        ("fluctuation", 0),
        ("idle_lanes", 0),
        ("memory_share", 0),
        ("sync_rate", 0),
    ]
