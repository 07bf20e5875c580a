"""Views over counters."""

from __future__ import annotations

import pytest

from tests.helpers.support import given, rows


def test_per_cycle_divides_by_the_cycles_of_the_same_sample(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        rank  thread  sample  event         value
        0     0       0       cycles        200
        0     0       0       instructions  300
        0     0       1       cycles        100
        0     0       1       instructions  50
        1     0       0       instructions  70
        """,
    )
    assert rows(
        warehouse,
        "SELECT rank, sample, value, cycles, per_cycle FROM pmu_per_cycle "
        "WHERE event = 'instructions' ORDER BY rank, sample",
    ) == [(0, 0, 300, 200, 1.5), (0, 1, 50, 100, 0.5), (1, 0, 70, None, None)]


@pytest.mark.parametrize("cycles", ["cycles", "PAPI_TOT_CYC", "cpu_cycles", "cycles:u"])
def test_cycles_are_known_by_the_names_that_tools_give_them(warehouse, cycles):
    given(warehouse, "pmu_samples", f"event value\n{cycles} 10\nmisses 5")
    assert rows(warehouse, "SELECT per_cycle FROM pmu_per_cycle WHERE event = 'misses'") == [(0.5,)]


def test_no_cycle_and_no_count_are_unknown_not_zero(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        sample  event   value
        0       cycles  0
        0       misses  5
        1       cycles  10
        1       misses  NULL
        """,
    )
    assert rows(warehouse, "SELECT per_cycle FROM pmu_per_cycle WHERE event = 'misses'") == [
        (None,),
        (None,),
    ]


def test_summary_adds_counts_and_averages_rates(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        sample  event   value  unit  running
        0       cycles  100    NULL  1.0
        1       cycles  300    NULL  0.5
        0       busy    10     %     NULL
        1       busy    20     %     NULL
        0       misses  8      NULL  NULL
        1       misses  NULL   NULL  NULL
        """,
    )
    assert rows(
        warehouse,
        "SELECT event, value, per_cycle, samples, not_counted, running "
        "FROM counter_summary ORDER BY event",
    ) == [
        ("busy", 15.0, None, 2, 0, None),
        ("cycles", 400.0, 1.0, 2, 0, 0.5),
        ("misses", 8.0, 0.02, 2, 1, None),
    ]
