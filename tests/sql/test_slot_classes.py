"""Classes of real processors: shares of issue slots from raw events, and the class they name."""

from __future__ import annotations

import pytest

from tests.helpers.support import given, land, rows, shared

SKYLAKE = {
    "cpu_clk_unhalted.thread": 1000,
    "uops_retired.retire_slots": 800,
    "uops_issued.any": 900,
    "int_misc.recovery_cycles": 25,
    "idq_uops_not_delivered.core": 400,
}
MEMORY = {
    "cycle_activity.stalls_mem_any": 600,
    "exe_activity.bound_on_stores": 0,
    "cycle_activity.stalls_total": 650,
    "exe_activity.1_ports_util": 50,
    "exe_activity.2_ports_util": 100,
}
ZEN = {
    "ls_not_halted_cyc": 1000,
    "de_no_dispatch_per_slot.no_ops_from_frontend": 600,
    "de_no_dispatch_per_slot.backend_stalls": 3000,
    "de_no_dispatch_per_slot.smt_contention": 0,
    "de_src_op_disp.all": 2400,
    "ex_ret_ops": 2280,
}
NEOVERSE = {
    "CPU_CYCLES": 1000,
    "STALL_SLOT_FRONTEND": 800,
    "STALL_SLOT_BACKEND": 3200,
    "OP_SPEC": 4000,
    "OP_RETIRED": 3600,
    "BR_MIS_PRED": 0,
}
LEVEL1 = ", ".join(
    f"round({name}, 3)"
    for name in ("retiring", "bad_speculation", "frontend_bound", "backend_bound")
)


def counted(con, events, running=None):
    text = "\n".join(f"{event} {value}" for event, value in events.items())
    given(con, "pmu_samples", f"event value\n{text}", sample=0, running=running)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (SKYLAKE, (0.2, 0.05, 0.1, 0.65)),
        (ZEN, (0.38, 0.02, 0.1, 0.5)),
        # Zen 5 dispatches 8: its width follows from the sum
        (ZEN | {"de_no_dispatch_per_slot.backend_stalls": 5000}, (0.285, 0.015, 0.075, 0.625)),
        (NEOVERSE, (0.45, 0.05, 0.1, 0.4)),
        (NEOVERSE | {"STALL_SLOT_BACKEND": 200}, (0.72, 0.08, 0.16, 0.04)),
    ],
)
def test_shares_follow_from_raw_events_by_the_vendors_formulas(warehouse, events, expected):
    counted(warehouse, events)
    assert rows(warehouse, f"SELECT {LEVEL1} FROM topdown") == [pytest.approx(expected)]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (SKYLAKE | MEMORY, "Mem"),
        (SKYLAKE | MEMORY | {"dtlb_load_misses.walk_active": 450}, "DTB"),
        (SKYLAKE | MEMORY | {"cycle_activity.stalls_mem_any": 100}, "Other"),
        (ZEN | {"ex_no_retire.load_not_complete": 90, "ex_no_retire.not_complete": 100}, "Mem"),
        (NEOVERSE | {"STALL_BACKEND_MEM": 10, "STALL_BACKEND": 400}, "Other"),
        (NEOVERSE | {"STALL_SLOT_BACKEND": 200, "STALL_SLOT_FRONTEND": 300}, "Balance"),
        ({"topdown-retiring": 50, "topdown-bad-spec": 29, "topdown-fe-bound": 10,
          "topdown-be-bound": 11, "slots": 100}, "Other"),
    ],
)  # fmt: skip
def test_shares_name_a_class_with_a_probability(warehouse, events, expected):
    counted(warehouse, events)
    ((found, probability, model, reason),) = rows(
        warehouse, "SELECT class, probability, model, flag_text(reason) FROM bottlenecks"
    )
    assert (found, model, reason) == (expected, "top-down rules", None)
    assert 0.7 <= probability < 1


def test_without_level_2_the_class_is_unknown_and_names_the_events(warehouse):
    counted(warehouse, SKYLAKE)
    ((found, reason),) = rows(warehouse, "SELECT class, flag_text(reason) FROM bottlenecks")
    assert found == "Unknown"
    assert reason.startswith("backend bound takes 65 % of the issue slots; what carries it is told")
    assert reason.endswith(": Intel: perf stat -M TopdownL1,TopdownL2 COMMAND")


def test_a_share_near_its_threshold_is_uncertain(warehouse):
    events = {"retiring": 644, "bad-spec": 156, "fe-bound": 100, "be-bound": 100}
    counted(warehouse, {"slots": 1000} | {f"topdown-{k}": v for k, v in events.items()})
    ((found, reason),) = rows(warehouse, "SELECT class, reason.code FROM bottlenecks")
    assert (found, reason) == ("Unknown", "slots_uncertain")


def test_counters_that_took_turns_are_less_certain(warehouse):
    text = "\n".join(f"{event} {value}" for event, value in (SKYLAKE | MEMORY).items())
    for run, running in (("r1", 1), ("r2", 0.2)):
        given(
            warehouse, "pmu_samples", f"event value\n{text}", run_id=run, sample=0, running=running
        )
    one, two = rows(warehouse, "SELECT probability FROM bottlenecks ORDER BY run_id")
    assert one > two


def test_misses_of_the_last_cache_stand_for_level_2(warehouse):
    shares = {"topdown.retiring": 0.2, "topdown.bad_speculation": 0.05,
              "topdown.frontend_bound": 0.1, "topdown.backend_bound": 0.65}  # fmt: skip
    counts = {"cycles": 1e6, "instructions": 5e5, "cache-misses": 1e4, "branch-misses": 10}
    counted(warehouse, shares | counts)
    assert rows(warehouse, "SELECT class, metric_set FROM bottlenecks") == [("Mem", "linux")]


def test_groups_of_events_that_took_turns_are_averaged(warehouse):
    # perf counts the cycles with each group of events
    events = ZEN | {"ex_no_retire.load_not_complete": 90, "ex_no_retire.not_complete": 100}
    counted(warehouse, events)
    given(warehouse, "pmu_samples", "event value\nls_not_halted_cyc 1000", sample=0)
    assert rows(warehouse, "SELECT round(backend_bound, 3) FROM topdown") == [(0.5,)]


def test_programs_of_spec_by_the_shares_and_misses_of_perfspect(warehouse):
    for number in (505, 525, 541, 548):
        land(warehouse, shared(f"pmu/perfspect_spec2017_clx/{number}.csv"), run_id=str(number))
    assert rows(warehouse, "SELECT run_id, class FROM bottlenecks ORDER BY run_id") == [
        ("505", "Mem"),
        ("525", "Balance"),
        ("541", "Other"),
        ("548", "Other"),
    ]


COUNTS = {"cycles": 1e6, "instructions": 8e5, "branch-misses": 1e3}


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ({"instructions": 3.2e6}, "Balance"),
        ({"branch-misses": 3e4}, "Other"),
        ({"cache-misses": 7e3, "branch-misses": 10}, "Mem"),
        # some may come from a prefetcher, and nothing else was counted
        ({"cache-misses": 2e3}, "Unknown"),
        (
            {"cache-misses": 10, "dTLB-load-misses": 1.5e4, "L1-icache-load-misses": 10},
            "DTB",
        ),
        (
            {"cache-misses": 10, "dTLB-load-misses": 10, "L1-icache-load-misses": 3e4},
            "ICache",
        ),
        ({}, "Unknown"),
    ],
)
def test_counts_without_slots_name_a_class_where_they_tell_one(warehouse, events, expected):
    counted(warehouse, COUNTS | events)
    ((found, probability, model, reason),) = rows(
        warehouse, "SELECT class, probability, model, flag_text(reason) FROM bottlenecks"
    )
    assert (found, model) == (expected, "count rules")
    if found == "Unknown":
        assert probability is None
        assert "Intel: perf stat -M TopdownL1,TopdownL2 COMMAND; AMD" in reason
    else:
        assert (reason, 0.7 <= probability <= 0.8) == (None, True)


def test_what_to_count_is_said_for_the_processor_of_the_run(warehouse):
    cpu = "AMD EPYC 9654 96-Core Processor"
    warehouse.execute("INSERT INTO runs (run_id, environment) VALUES ('r1', MAP {'cpu': ?})", [cpu])
    counted(warehouse, COUNTS)
    ((reason,),) = rows(warehouse, "SELECT flag_text(reason) FROM bottlenecks")
    assert reason.endswith(": AMD Zen 4 and newer: perf stat -M PipelineL1,PipelineL2 COMMAND")


def test_a_sample_at_hand_gets_the_class_of_the_same_counts(warehouse):
    counted(warehouse, COUNTS | {"branch-misses": 3e4})
    stored = rows(warehouse, "SELECT class, probability, drivers, advice FROM bottlenecks")
    at_hand = rows(
        warehouse,
        "SELECT class, probability, drivers, advice "
        "FROM classify({'IPC': 0.2, 'BRMPC': 0.03}, set_name := 'linux')",
    )
    assert at_hand == stored


@pytest.mark.parametrize(
    ("counts", "cycles"),
    [
        ("MAP {'L2ICAPC': 0.02}", 0.28),
        ("MAP {'L2ICMPC': 0.01}", 0.4),
        # half of the fetches are served by the second cache
        ("MAP {'L2ICAPC': 0.02, 'L2ICMPC': 0.01}", 0.54),
    ],
)
def test_fetches_cost_by_where_they_are_served(warehouse, counts, cycles):
    assert rows(warehouse, f"SELECT CAST(_fetch_cost({counts}) AS DOUBLE)") == [
        (pytest.approx(cycles),)
    ]
