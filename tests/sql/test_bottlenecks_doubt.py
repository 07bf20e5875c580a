"""Samples that cannot be judged say why, and those that can carry what to keep in mind."""

from __future__ import annotations

import pytest

from tests.helpers.support import given, rows

NO_SET = (
    "no metric of a known set can be made of its events: cycles, or what they divide, "
    "were not counted, or have names that event_aliases lacks"
)


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        (("uops 10", "mem_reads 3"), NO_SET),
        (("LLC-loads NULL", "uops 10"), NO_SET),
        (("cycles 0", "uops 10", "mem_reads 3"), "the cycles are zero"),
        (
            ("cpu_core/CPU_CYCLES/u NULL", "instructions NULL", "task-clock 10"),
            "no metric of a known set can be made of its events: the tool could not count "
            "cpu_core/CPU_CYCLES/u, instructions; in a virtual machine the host has to pass on its "
            "counters (a virtual PMU)",
        ),
        (
            ("cycles 100", "uops -5"),
            "a counter is negative: it wrapped, or was read the wrong way round",
        ),
        (("cycles 1e14", "uops 281474976710600"), "a counter is just below 2^48: it wrapped"),
        (
            ("cycles 1000", "uops 4294960000"),
            "a counter has more than 1000 counts in a cycle: it, or the cycles, wrapped",
        ),
        (
            ("cycles 10", "uops 90", "issue_width 4"),
            "more than twice the instructions that the core can issue: a counter wrapped",
        ),
        (
            ("cycles 1e9", "instructions 4e10"),
            "more than 16 instructions in a cycle, which no core issues: a counter wrapped, or "
            "they were counted at other times",
        ),
        (
            ("cycles 1e9", "instructions 0", "branches 0"),
            "no instruction in more than a million cycles: the counter did not count",
        ),
        (
            ("cycles 1e9", "instructions 1e9", "branches:u 5e8", "branch-misses:u 7e8"),
            "branch-misses:u are more than branches:u, of which they are a part: they were counted "
            "at other times, or count other things",
        ),
        (
            (
                "topdown.retiring 1.6",
                "topdown.bad_speculation 0.4",
                "topdown.frontend_bound 0.9",
                "topdown.backend_bound 1.4",
            ),
            "the top-level shares add up to 4.3, not 1: a group of regions, several samples in "
            "one, or counts of other times",
        ),
        (
            (
                "slots 100",
                "topdown-retiring 20",
                "topdown-bad-spec 6",
                "topdown-fe-bound 20",
                "topdown-be-bound 54",
                "topdown-mem-bound 78",
            ),
            "a share of level 2 is larger than its category: they were counted at other times",
        ),
    ],
)
def test_what_cannot_be_judged_says_why(warehouse, events, reason):
    given(warehouse, "pmu_samples", "event value\n" + "\n".join(events), sample=0)
    assert rows(warehouse, "SELECT class, flag_text(reason) FROM bottlenecks") == [
        ("Unknown", reason)
    ]


def test_parts_larger_than_their_whole_are_told_of_each_kind_of_cores_and_mode(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        sample  event                    value
        0       cpu_core/branches/       100
        0       cpu_core/branch-misses/  10
        0       cpu_atom/branches/       10
        0       cpu_atom/branch-misses/  20
        1       cpu_atom/branches/       NULL
        1       cpu_atom/branch-misses/  20
        0       cache-references:k       10
        0       cache-misses:u           20
        0       instructions             1000
        0       branches                 1005
        0       L1-dcache-loads          10
        0       L1-dcache-load-misses    20
        """,
    )
    assert rows(warehouse, "SELECT * EXCLUDE (run_id) FROM counter_contradictions") == [
        ("cpu_atom/branch-misses/", "cpu_atom/branches/", 20, 10, 1, 1),
    ]


def test_a_sample_without_cycles_among_others_that_have_them(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        sample  event   value
        0       cycles  10
        0       uops    4
        1       cycles  NULL
        1       uops    4
        2       cycles  NaN
        2       uops    4
        """,
    )
    assert rows(
        warehouse, "SELECT sample, metrics[1], flag_text(reason) FROM sample_metrics ORDER BY 1"
    ) == [
        (0, 0.1, None),
        (1, None, "the cycles were not counted"),
        (2, None, "the cycles were not counted"),
    ]


@pytest.mark.parametrize(
    ("flag", "text"),
    [
        ("multiplexed", "event value running\ncycles 10 1\nuops 4 0.25"),
        ("single_sample", "event value\ncycles 10\nuops 4"),
        ("summed", "event value\ncycles 10\ncycles 10\nuops 4\nuops 4"),
        ("near_32_bits", "event value\ncycles 4294967000\nuops 4000000000"),
    ],
)
def test_flags(warehouse, flag, text):
    given(warehouse, "pmu_samples", text, sample=0)
    assert rows(
        warehouse,
        "SELECT list_contains(flag_codes(flags), ?), flag_text(reason) FROM sample_metrics",
        flag,
    ) == [(True, None)]


def test_flags_stay_away_where_all_is_well(warehouse):
    text = "sample event value running\n"
    for i in range(2):
        text += f"{i} cycles 10 1\n{i} instructions 9 1\n{i} issue_width 4 NULL\n"
        text += f"{i} cache-misses 1 1\n{i} L1-dcache-loads 1 1\n{i} L1-dcache-stores 1 1\n"
        text += f"{i} dTLB-load-misses 1 1\n{i} L1-icache-load-misses 1 1\n{i} branch-misses 1 1\n"
    given(warehouse, "pmu_samples", text)
    assert rows(warehouse, "SELECT DISTINCT flag_codes(flags) FROM sample_metrics") == [([],)]
