"""Top-down shares of regions: level 1 and 2, groups, and what is not counted."""

from __future__ import annotations

import pytest

from tests.helpers.support import given, land, rows, shared

LEVEL1 = (
    ("topdown.retiring", 0.1),
    ("topdown.bad_speculation", 0.1),
    ("topdown.frontend_bound", 0.2),
    ("topdown.backend_bound", 0.6),
)


def slots(con, *events, region="f"):
    """Write one sample of shares."""
    text = "\n".join(f"{event} {value}" for event, value in events)
    given(con, "pmu_samples", f"event value\n{text}", region=region, sample=0)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((("memory_bound", 0.45), ("core_bound", 0.15)), (0.45, 0.15)),
        ((("memory_bound", 0.75), ("core_bound", 0.25)), (0.45, 0.15)),
        ((("memory_bound", 0.45),), (0.45, 0.15)),
        ((), (None, None)),
    ],
)
def test_parts_are_shares_of_all_slots_however_the_tool_writes_them(warehouse, parts, expected):
    slots(warehouse, *LEVEL1, *((f"topdown.{name}", value) for name, value in parts))
    ((category, share, memory, core),) = rows(
        warehouse, "SELECT category, share, memory_bound, core_bound FROM topdown"
    )
    assert (category, share) == ("backend_bound", 0.6)
    assert (memory, core) == pytest.approx(expected)


def test_the_larger_part_is_named(warehouse):
    slots(warehouse, *LEVEL1, ("topdown.memory_bound", 0.5), ("topdown.core_bound", 0.1))
    assert rows(warehouse, "SELECT part, part_share, reason FROM topdown") == [
        ("memory_bound", 0.5, None)
    ]


def test_shares_that_do_not_add_up_are_none_and_say_why(warehouse):
    slots(warehouse, ("topdown.retiring", 1.6), *LEVEL1[1:])
    ((category, retiring, reason),) = rows(
        warehouse, "SELECT category, retiring, reason FROM topdown"
    )
    assert (category, retiring) == (None, None)
    assert reason.startswith("the top-level shares add up to 2.5, not 1")


def test_counts_of_slots_are_shares_weighted_by_slots(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        sample  event             value
        0       slots             900
        0       topdown-retiring  90
        0       topdown-bad-spec  90
        0       topdown-fe-bound  90
        0       topdown-be-bound  630
        1       slots             100
        1       topdown-retiring  80
        1       topdown-bad-spec  10
        1       topdown-fe-bound  10
        1       topdown-be-bound  0
        """,
    )
    ((retiring, backend),) = rows(warehouse, "SELECT retiring, backend_bound FROM topdown")
    assert (retiring, backend) == pytest.approx((0.17, 0.63))


def test_counters_of_other_sets_have_no_top_down_rows(warehouse):
    given(warehouse, "pmu_samples", "event value\ncycles 10\ninstructions 9")
    assert rows(warehouse, "FROM topdown") == []


def test_kernels_of_rajaperf_and_a_program_of_perfspect(warehouse):
    land(warehouse, shared("pmu/rajaperf_topdown/clang_1406_BaseSeq_O3_8388608_01.cali"))
    land(warehouse, shared("pmu/perfspect_spec2017_clx/505.csv"))
    assert rows(
        warehouse,
        """
        SELECT parse_filename(replace(region, '->', '/')), category, round(share, 2), part
        FROM topdown
        WHERE region SIMILAR TO '.*(Stream_TRIAD|Algorithm_SORT|Apps_VOL3D)' OR region IS NULL
        ORDER BY 1
        """,
    ) == [
        ("Algorithm_SORT", "bad_speculation", 0.55, "branch_mispredict"),
        ("Apps_VOL3D", "retiring", 0.65, None),
        ("Stream_TRIAD", "backend_bound", 0.96, "memory_bound"),
        (None, "backend_bound", 0.64, None),
    ]


def test_equal_categories_are_all_named(warehouse):
    equal = [(event, 0.25) for event, _ in LEVEL1]
    slots(warehouse, *equal, ("topdown.memory_bound", 0.2), ("topdown.core_bound", 0.05))
    assert rows(warehouse, "SELECT category, share, part FROM topdown") == [
        ("retiring, bad_speculation, frontend_bound, backend_bound", 0.25, None)
    ]


def test_shares_that_were_not_counted_are_the_reason(warehouse):
    slots(warehouse, *LEVEL1[:2])
    assert rows(warehouse, "SELECT category, reason FROM topdown") == [
        (None, "not all top-level shares were counted")
    ]
