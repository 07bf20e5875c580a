"""Metric sets: which one fits, what its metrics are, and when a sample cannot be judged."""

from __future__ import annotations

import pytest

from tests.helpers.support import given, rows

METRICS = "SELECT metric, value FROM pmu_standardised ORDER BY ALL"
GEM5 = ("cycles 1000", "uops 2000", "issue_width 4", "mem_reads 50", "l3_misses 30")


def sample(con, *events, **constants):
    """Put one sample of r1 there, from 'event value' lines."""
    given(con, "pmu_samples", "event value\n" + "\n".join(events), sample=0, **constants)


def metrics(con, *names):
    """Return the metrics of the only sample by name."""
    found = dict(rows(con, "SELECT metric, value FROM pmu_standardised"))
    return tuple(found[name] for name in names)


def test_a_metric_is_a_count_over_the_cycles_of_the_same_sample(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        sample  event            value
        0       cycles           1000
        0       instructions     2000
        0       cache-misses     30
        1       cycles           500
        1       instructions     100
        1       cache-misses     40
        """,
    )
    assert rows(
        warehouse,
        "SELECT sample, metric, value FROM pmu_standardised WHERE value IS NOT NULL ORDER BY ALL",
    ) == [
        (0, "IPC", 0.5),
        (0, "MEMAPC", 0.03),
        (1, "IPC", 0.05),
        (1, "MEMAPC", 0.08),
    ]


def test_each_kind_of_cores_of_a_hybrid_processor_is_a_region(warehouse):
    counts = {"cpu_core": (1000, 3000), "cpu_atom": (2000, 1000)}
    sample(
        warehouse,
        *(
            f"{core}/{event}/ {value}"
            for core, values in counts.items()
            for event, value in zip(("cycles", "instructions"), values, strict=True)
        ),
    )
    assert rows(
        warehouse,
        "SELECT region, metrics[1], cycles FROM sample_metrics ORDER BY region",
    ) == [("cpu_atom", 0.125, 2000), ("cpu_core", 0.75, 1000)]


def test_the_issue_width_is_an_event_a_tag_the_machines_or_assumed(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        run_id   event         value
        event    cycles        100
        event    uops          100
        event    mem_reads  1
        event    issue_width   2
        tag      cycles        100
        tag      uops          100
        tag      mem_reads  1
        machine  cycles        100
        machine  uops          100
        machine  mem_reads  1
        assumed  cycles        100
        assumed  uops          100
        assumed  mem_reads  1
        """,
    )
    given(warehouse, "runs", "run_id machine\nevent m6\nmachine m6\nassumed other")
    warehouse.execute("INSERT INTO runs (run_id, tags) VALUES ('tag', MAP {'issue_width': '8'})")
    given(warehouse, "machine_settings", "machine issue_width\nm6 6")
    assert rows(
        warehouse,
        "SELECT run_id, issue_width, round(metrics[1], 4), list_contains(flag_codes(flags), "
        "'issue_width_assumed') FROM sample_metrics ORDER BY run_id",
    ) == [
        ("assumed", 4.0, 0.25, True),
        ("event", 2.0, 0.5, False),
        ("machine", 6.0, 0.1667, False),
        ("tag", 8.0, 0.125, False),
    ]


@pytest.mark.parametrize(
    ("metric_set", "events"),
    [
        ("gem5", GEM5),
        ("gem5-l2", (*GEM5, "l2d_misses 7")),
        ("linux", ("cycles 9", "instructions 8")),
        ("linux", ("cycles:u 9", "instructions:u 8", "cache-misses:u 1")),
        ("linux", ("cpu_core/cycles/ 9", "cpu_core/instructions/u 8", "branch-misses 1")),
        (
            "linux-intel",
            ("CPU_CLK_UNHALTED.THREAD 9", "INST_RETIRED.ANY 8", "LONGEST_LAT_CACHE.MISS 1"),
        ),
        ("linux-amd", ("cycles 9", "ex_ret_instr 8", "ls_dispatch.ld_dispatch 3")),
        ("linux-aarch64", ("CPU_CYCLES 9", "INST_RETIRED 8", "armv8_pmuv3_0/l1i_cache_refill/ 3")),
        ("papi", ("PAPI_TOT_CYC 9", "PAPI_TOT_INS 8", "PAPI_TLB_DM 1")),
        ("nsight-compute", ("sm__cycles_active.sum 9", "sm__inst_executed.sum 8")),
        ("topdown", ("topdown.retiring 0.4", "topdown.backend_bound 0.6")),
        ("topdown", ("tma_retiring 40", "tma_backend_bound 60")),
        ("topdown-slots", ("slots 9", "topdown-retiring 4", "topdown-be-bound 5")),
        ("sunway", ("cycles 9", "instructions 8", "gld 2", "gst 1")),
    ],
)
def test_the_set_with_the_most_metrics_is_used(warehouse, metric_set, events):
    sample(warehouse, *events)
    assert rows(warehouse, "SELECT metric_set FROM metric_coverage WHERE is_used") == [
        (metric_set,)
    ]
    assert metric_set in {
        name for (name,) in rows(warehouse, "SELECT metric_set FROM sample_metrics")
    }


def test_a_set_can_be_said_for_a_machine(warehouse):
    sample(warehouse, "cycles 9", "instructions 8", "cache-misses 1")
    given(warehouse, "runs", "machine\nm")
    given(warehouse, "machine_settings", "machine metric_set\nm linux-amd")
    assert rows(warehouse, "SELECT metric_set, metrics_used FROM bottlenecks") == [
        ("linux-amd", ["IPC"])
    ]


def test_a_missing_event_makes_its_metric_null_and_not_zero(warehouse):
    sample(warehouse, *GEM5)
    assert metrics(warehouse, "IPC", "MEMRPC", "DTBMPC") == (0.5, 0.05, None)
    assert rows(
        warehouse, "SELECT list_contains(missing, 'DTBMPC') FROM metric_coverage WHERE is_used"
    ) == [(True,)]
    assert rows(
        warehouse,
        "SELECT list_contains(metrics_used, 'DTBMPC'), "
        "list_contains(flag_codes(flags), 'metrics_missing') FROM bottlenecks",
    ) == [(False, True)]


def test_a_metric_of_two_events_needs_both(warehouse):
    sample(
        warehouse,
        "cycles 10",
        "inst_retired.any 8",
        "l2_rqsts.code_rd_miss 1",
        "dtlb_load_misses.walk_completed 2",
    )
    assert metrics(warehouse, "L2ICMPC", "DTBMPC") == (0.1, None)


def test_of_two_names_of_one_event_one_is_used(warehouse):
    sample(warehouse, "cycles 10", "cycles:u 4", "instructions 8", "instructions:u 2")
    assert metrics(warehouse, "IPC") == (0.2,)


def test_a_share_is_not_divided_and_per_cent_are_made_shares(warehouse):
    sample(
        warehouse,
        "tma_retiring 40",
        "tma_bad_speculation 10",
        "tma_frontend_bound 20",
        "tma_backend_bound 30",
    )
    assert metrics(warehouse, "retiring", "backend_bound") == (0.4, 0.3)


def test_a_persons_own_set_is_rows(warehouse):
    given(
        warehouse,
        "metric_sets",
        "metric_set platform description preference models_of\nours lab ours 0 ours",
    )
    given(
        warehouse,
        "metric_definitions",
        """
        metric_set  position  metric  event  coefficient  role
        ours        NULL      NULL    ticks  1            denominator
        ours        0         A       a1     1            numerator
        ours        0         A       a2     -1           numerator
        """,
    )
    sample(warehouse, "ticks 10", "a1 8", "a2 3")
    assert rows(warehouse, METRICS) == [("A", 0.5)]


def test_other_processors_and_systems_name_cycles_and_instructions_their_way(warehouse):
    names = [("PM_RUN_CYC", "PM_RUN_INST_CMPL"), ("FIXED_CYCLES", "FIXED_INSTRUCTIONS")]
    names += [("mcycle", "minstret"), ("TotalCycles", "InstructionRetired")]
    for i, (cycles, instructions) in enumerate(names):
        for event, value in ((cycles, 100), (instructions, 200), ("PM_CYC", 300)):
            warehouse.execute(
                "INSERT INTO pmu_samples (run_id, source_id, sample, event, value) "
                "VALUES (?, 1, 0, ?, ?)",
                [f"r{i}", event, value if event != "PM_CYC" or i == 0 else None],
            )
    found = rows(
        warehouse, "SELECT metric_set, metrics[1] * issue_width FROM sample_metrics ORDER BY run_id"
    )
    assert found == [("linux", 2)] * 4


def test_every_set_has_its_definitions_and_fits_the_pass_over_the_counters(warehouse):
    assert (
        rows(
            warehouse,
            """
        SELECT metric_set FROM metric_sets
        WHERE metric_set NOT IN (SELECT metric_set FROM _set_layout WHERE metrics <= 16)
        """,
        )
        == []
    )
    assert rows(warehouse, "SELECT max(bit) < power(2, 62) FROM _event_bits") == [(True,)]
    assert (
        rows(
            warehouse,
            "SELECT event, alias FROM event_aliases WHERE alias <> _event_name(alias) "
            "OR event NOT IN (SELECT event FROM _set_definitions)",
        )
        == []
    )
    assert (
        rows(warehouse, "SELECT event FROM metric_definitions WHERE event <> _event_name(event)")
        == []
    )
