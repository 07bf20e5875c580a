"""Regions of counters: groups and leaves."""

from __future__ import annotations

from tests.helpers.support import given, land, rows, shared

LEVEL_1 = ("retiring", "frontend_bound", "backend_bound", "bad_speculation")


def test_a_region_that_others_are_called_from_is_a_group(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        run_id  rank  region             event   value
        r1      0     main               cycles  5
        r1      1     main               cycles  5
        r1      0     main->solve->dot   cycles  3
        r1      0     io                 cycles  1
        r2      0     main               cycles  5
        r2      0     main->p::operator->->get  cycles  1
        r2      0     NULL               cycles  9
        """,
    )
    assert rows(warehouse, "FROM pmu_regions ORDER BY ALL") == [
        ("r1", "io", "io", 1, True),
        ("r1", "main", "main", 1, False),
        ("r1", "main->solve->dot", "dot", 3, True),
        ("r2", "main", "main", 1, False),
        ("r2", "main->p::operator->->get", "get", 3, True),
    ]


def test_shares_of_real_leaves_add_up_and_only_those_of_groups_do_not(warehouse):
    land(warehouse, shared("pmu/rajaperf_topdown"))
    events = [f"topdown.{name}" for name in LEVEL_1]
    sums = """
        SELECT leaf, count(*), count(*) FILTER (abs(total - 1) > 0.02)
        FROM (
            SELECT run_id, region, sum(value) AS total FROM pmu_samples
            WHERE event IN (SELECT unnest(?)) GROUP BY run_id, region
        ) JOIN pmu_regions USING (run_id, region)
        GROUP BY leaf ORDER BY leaf
    """
    assert rows(warehouse, sums, events) == [(False, 84, 21), (True, 816, 0)]
