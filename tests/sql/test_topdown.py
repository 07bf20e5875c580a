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
        ((("memory_bound", 0.75),), (0.45, 0.15)),
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
    assert rows(warehouse, "SELECT part, part_share, flag_text(reason) FROM topdown") == [
        ("memory_bound", 0.5, None)
    ]


def test_shares_that_do_not_add_up_are_none_and_say_why(warehouse):
    slots(warehouse, ("topdown.retiring", 1.6), *LEVEL1[1:])
    ((category, retiring, reason),) = rows(
        warehouse, "SELECT category, retiring, flag_text(reason) FROM topdown"
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
    assert rows(warehouse, "SELECT category, flag_text(reason) FROM topdown") == [
        (None, "not all top-level shares were counted")
    ]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        # perf stat -M PipelineL1 of AMD with two threads on a core
        (
            "retiring 38, bad_speculation 2, frontend_bound 10, backend_bound 30, "
            "smt_contention 20",
            ("retiring", 0.38, 0.3, 0.2),
        ),
        # perf stat -M TopdownL1 of Arm
        (
            "retiring 38, bad_speculation 2, frontend_bound 20, backend_bound 40",
            ("backend_bound", 0.38, 0.4, None),
        ),
        # of Kunpeng 920, as shares of 1
        (
            "retiring .38, bad_speculation .02, frontend_bound .2, backend_bound .4",
            ("backend_bound", 0.38, 0.4, None),
        ),
        # level 2 only
        (
            "tma_light_operations 30.5, tma_heavy_operations 7, tma_branch_mispredicts 1, "
            "tma_machine_clears .5, tma_fetch_latency 5, tma_fetch_bandwidth 3, "
            "tma_memory_bound 11, tma_core_bound 42",
            ("backend_bound", 0.375, 0.53, None),
        ),
    ],
)
def test_names_that_perf_has_on_several_processors(warehouse, events, expected):
    slots(warehouse, *(one.split() for one in events.split(",")))
    warehouse.execute("UPDATE pmu_samples SET event = replace(event, '~', ' ')")
    ((category, *shares),) = rows(
        warehouse, "SELECT category, retiring, backend_bound, smt_contention FROM topdown"
    )
    assert category == expected[0]
    assert shares == [None if one is None else pytest.approx(one) for one in expected[1:]]


def test_each_kind_of_cores_of_a_hybrid_processor_has_its_shares(warehouse):
    kinds = {"cpu_core": (10, 5, 5, 80), "cpu_atom": (20, 5, 60, 15)}
    names = ("retiring", "bad_speculation", "frontend_bound", "backend_bound")
    slots(
        warehouse,
        *(
            (f"tma_{name}~({kind})", share)
            for kind, shares in kinds.items()
            for name, share in zip(names, shares, strict=True)
        ),
    )
    warehouse.execute("UPDATE pmu_samples SET event = replace(event, '~', ' ')")
    assert rows(warehouse, "SELECT region, category, share FROM topdown ORDER BY region") == [
        ("f cpu_atom", "frontend_bound", 0.6),
        ("f cpu_core", "backend_bound", 0.8),
    ]


def test_what_limits_is_advised_against_where_most_slots_retire(warehouse):
    names = (name for name, _ in LEVEL1)
    slots(warehouse, *zip(names, (0.32, 0.29, 0.19, 0.2), strict=True))
    ((category, advice),) = rows(warehouse, "SELECT category, advice FROM topdown")
    assert (category, advice.split(" or ")[0]) == ("retiring", "make branches predictable")


def test_shares_are_there_beside_counts_that_name_a_class(warehouse):
    counts = ("cycles", "instructions", "cache-misses", "L1-dcache-loads", "branch-misses")
    slots(warehouse, *LEVEL1, *((event, 100) for event in counts))
    assert rows(warehouse, "SELECT category FROM topdown") == [("backend_bound",)]
    assert rows(warehouse, "SELECT metric_set FROM bottlenecks") == [("linux",)]


def test_categories_that_change_from_sample_to_sample_are_named(warehouse):
    table = "sample event value\n" + "\n".join(
        f"{sample} topdown.{name} {share}"
        for sample, largest in enumerate(("retiring", "backend_bound", "backend_bound"))
        for name in ("retiring", "bad_speculation", "frontend_bound", "backend_bound")
        for share in (0.7 if name == largest else 0.1,)
    )
    given(warehouse, "pmu_samples", table)
    ((category, over_time),) = rows(warehouse, "SELECT category, largest_over_time FROM topdown")
    assert category == "backend_bound"
    assert [(one["name"], round(one["share"], 3)) for one in over_time] == [
        ("backend_bound", 0.667),
        ("retiring", 0.333),
    ]


def test_names_that_perfspect_writes(warehouse):
    names = ("Retiring", "Bad_Speculation", "Frontend_Bound", "Backend_Bound", "..Memory_Bound")
    shares = zip(names, (12, 4, 6, 78, 70), strict=True)
    slots(warehouse, *((f"TMA_{name}(%)", share) for name, share in shares))
    assert rows(warehouse, "SELECT category, part FROM topdown") == [
        ("backend_bound", "memory_bound")
    ]
    assert rows(warehouse, "SELECT class FROM bottlenecks") == [("Mem",)]
