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


def test_cycles_of_metric_sets_are_cycles_here(warehouse):
    query = """
        SELECT alias FROM event_aliases
        WHERE event = 'cycles' AND NOT (_is_cycles(alias) AND _is_cycles(upper(alias)))
    """
    assert rows(warehouse, query) == []


@pytest.mark.parametrize("view", ["pmu_per_cycle", "counter_summary"])
def test_events_of_one_mode_are_divided_by_the_cycles_of_that_mode(warehouse, view):
    given(
        warehouse,
        "pmu_samples",
        """
        run_id  event           value
        each    cycles:u        300
        each    cycles:k        100
        each    instructions:u  600
        each    instructions:k  50
        each    cache-misses    4
        all     cycles          400
        all     cycles:u        300
        all     instructions:u  600
        all     instructions:k  50
        all     cache-misses    4
        user    cycles:u        300
        user    cache-misses    3
        """,
    )
    query = f"""
        SELECT run_id, event, per_cycle FROM {view}
        WHERE event NOT LIKE 'cycles%' ORDER BY ALL
    """
    assert rows(warehouse, query) == [
        ("all", "cache-misses", 0.01),
        ("all", "instructions:k", None),
        ("all", "instructions:u", 2),
        ("each", "cache-misses", 0.01),
        ("each", "instructions:k", 0.5),
        ("each", "instructions:u", 2),
        ("user", "cache-misses", 0.01),
    ]


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
        ("misses", 8.0, None, 2, 1, None),
    ]


def test_what_several_files_of_a_run_counted_is_not_added_up_twice(warehouse):
    warehouse.execute(
        "INSERT INTO pmu_samples BY NAME FROM (VALUES "
        # perf stat and a profile of the same run
        "('r', 1, NULL, 'cycles', 1000.0), ('r', 1, NULL, 'instructions', 2000.0), "
        "('r', 2, 'a', 'cycles', 900.0), ('r', 2, 'a', 'misses', 90.0), "
        # regions in two files
        "('s', 3, 'x', 'cycles', 10.0), ('s', 3, 'x', 'instructions', 15.0), "
        "('s', 4, 'x', 'cycles', 5.0), "
        # two groups of events, each with cycles, in two passes
        "('t', 5, NULL, 'cycles', 100.0), ('t', 5, NULL, 'instructions', 200.0), "
        "('t', 6, NULL, 'cycles', 100.0), ('t', 6, NULL, 'branches', 30.0)"
        ") AS t(run_id, source_id, region, event, value)"
    )
    found = rows(
        warehouse,
        "SELECT run_id, event, value, per_cycle FROM counter_summary "
        "WHERE event <> 'cycles' OR run_id <> 't' ORDER BY ALL",
    )
    assert found == [
        ("r", "cycles", 1000, 1.0),
        ("r", "instructions", 2000, 2.0),
        ("r", "misses", 90, 0.09),
        ("s", "cycles", 15, 1.0),
        ("s", "instructions", 15, 1.5),
        ("t", "branches", 30, 0.3),
        ("t", "instructions", 200, 2.0),
    ]


def test_parts_of_what_was_counted_as_a_whole_are_not_added_to_it(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        run_id   rank  thread  region  event   value
        program  NULL  NULL    NULL    cycles  100
        program  0     NULL    NULL    cycles  60
        program  1     0       NULL    cycles  40
        rank     0     NULL    NULL    cycles  60
        rank     0     NULL    f       cycles  50
        rank     1     NULL    f       cycles  40
        threads  0     NULL    NULL    cycles  60
        threads  0     0       NULL    cycles  30
        threads  0     1       f       cycles  30
        parts    0     NULL    f       cycles  50
        parts    0     1       g       cycles  30
        """,
    )
    assert rows(warehouse, "SELECT run_id, value, samples FROM counter_summary ORDER BY ALL") == [
        ("parts", 80, 2),
        ("program", 100, 1),
        ("rank", 100, 2),
        ("threads", 60, 1),
    ]


def test_values_of_a_moment_are_averaged(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        sample  t_start  t_end  event  value
        0       0        NULL   rss    100
        1       1000     NULL   rss    300
        0       0        1000   reads  4
        1       1000     2000   reads  5
        """,
    )
    assert rows(warehouse, "SELECT event, value FROM counter_summary ORDER BY event") == [
        ("reads", 9),
        ("rss", 200),
    ]


def test_time_by_the_clock_is_that_of_the_longest_thread(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        cpu  region  event            value  unit
        0    init    Runtime(RDTSC)   1      s
        0    solve   Runtime(RDTSC)   5      s
        1    init    Runtime(RDTSC)   1      s
        1    solve   Runtime(RDTSC)   4      s
        0    solve   cycles           3      NULL
        """,
    )
    warehouse.execute("UPDATE pmu_samples SET event = 'Runtime (RDTSC)' WHERE unit = 's'")
    assert rows(
        warehouse, "SELECT value, per_cycle FROM counter_summary WHERE event <> 'cycles'"
    ) == [(6, None)]


def test_extremes_of_regions_are_no_part_of_one_of_the_run(warehouse):
    """Of nested regions the sum of the largest times would be more than the run took."""
    given(
        warehouse,
        "pmu_samples",
        """
        region     event                            value  unit
        main       max#inclusive#sum#time.duration  1.25   sec
        main->cg   max#inclusive#sum#time.duration  1.0    sec
        main       cycles                           10     NULL
        """,
    )
    summary = "SELECT event, value, per_cycle, samples FROM counter_summary ORDER BY event"
    assert rows(warehouse, summary) == [
        ("cycles", 10, 1, 1),
        ("max#inclusive#sum#time.duration", None, None, 2),
    ]


def test_the_summary_of_a_run_reads_its_samples_once_and_no_others(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        run_id  event   value
        r1      cycles  200
        r2      cycles  300
        """,
    )
    ((_, plan),) = rows(warehouse, "EXPLAIN FROM counter_summary WHERE run_id = 'r1'")
    assert plan.count("SEQ_SCAN") == 1
    assert "Filters:" in plan[plan.index("SEQ_SCAN") :]


def test_the_issue_width_is_a_constant_of_the_core_not_a_count(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        sample  event        value
        0       cycles       100
        0       issue_width  8
        1       cycles       300
        1       issue_width  8
        """,
    )
    width = "WHERE event = 'issue_width'"
    assert rows(warehouse, f"SELECT value, per_cycle FROM counter_summary {width}") == [(8, None)]
    assert rows(warehouse, f"SELECT per_cycle FROM pmu_per_cycle {width}") == [(None,), (None,)]


def test_several_rows_of_one_sample_are_added_up_as_its_cycles_are(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        event         value
        cycles        100
        instructions  200
        cycles        300
        cpu-cycles    390
        instructions  600
        """,
    )
    per_cycle = rows(
        warehouse, "SELECT event, value, cycles, per_cycle FROM pmu_per_cycle ORDER BY ALL"
    )
    assert [row for row in per_cycle if row[0] == "instructions"] == [
        ("instructions", 200, 400, 0.5),
        ("instructions", 600, 400, 1.5),
    ]
    assert rows(
        warehouse, "SELECT event, value, per_cycle FROM counter_summary ORDER BY event"
    ) == [
        ("cpu-cycles", 390, 390 / 400),
        ("cycles", 400, 1),
        ("instructions", 800, 2),
    ]


def test_per_cycle_is_unknown_where_groups_of_events_took_turns(warehouse):
    """Group a was counted in samples 0 and 2, b in 1, cycles in all: a sum says nothing of them."""
    given(
        warehouse,
        "pmu_samples",
        """
        sample  event         value
        0       cycles        100
        0       instructions  200
        0       a             10
        1       cycles        300
        1       instructions  400
        1       b             30
        2       cycles        100
        2       instructions  200
        2       a             10
        """,
    )
    query = "SELECT event, per_cycle FROM counter_summary WHERE event <> 'cycles' ORDER BY event"
    assert rows(warehouse, query) == [("a", None), ("b", None), ("instructions", 1.6)]
    query = "SELECT event, per_cycle FROM pmu_per_cycle WHERE event IN ('a', 'b') ORDER BY sample"
    assert rows(warehouse, query) == [("a", 0.1), ("b", 0.1), ("a", 0.1)]


@pytest.mark.parametrize("view", ["pmu_per_cycle", "counter_summary"])
def test_on_a_hybrid_processor_each_kind_of_cores_has_its_own_cycles(warehouse, view):
    given(
        warehouse,
        "pmu_samples",
        """
        event                   value
        cpu_core/cycles/u       1000
        cpu_core/instructions/u 3000
        cpu_atom/cycles/u       100
        cpu_atom/instructions/u 80
        task-clock              5
        """,
    )
    assert rows(
        warehouse,
        f"SELECT event, per_cycle FROM {view} WHERE NOT contains(event, 'cycles') ORDER BY event",
    ) == [("cpu_atom/instructions/u", 0.8), ("cpu_core/instructions/u", 3), ("task-clock", None)]


@pytest.mark.parametrize(
    "event",
    [
        *("llc hit rate", "L2 miss ratio", "IPC", "CPI", "cpu (%)", "bytes per second", "MPKI"),
        *("package watts", "temperature.gpu"),
        *("system.cpu.dcache.overall_miss_rate::total", "hostInstRate", "overallAvgMissLatency"),
    ],
)
def test_without_a_unit_the_name_shows_what_is_no_count(warehouse, event):
    warehouse.execute(
        "INSERT INTO pmu_samples (run_id, source_id, sample, event, value) "
        "SELECT 'r', 1, unnest([0, 1]), unnest([$event, $event]), unnest([0.25, 0.75])",
        {"event": event},
    )
    warehouse.execute(
        "INSERT INTO pmu_samples (run_id, source_id, sample, event, value) "
        "SELECT 'r', 1, unnest([0, 1]), 'cycles', unnest([100, 300])"
    )
    query = "SELECT value, per_cycle FROM counter_summary WHERE event = ?"
    assert rows(warehouse, query, event) == [(0.5, None)]


@pytest.mark.parametrize(
    ("event", "unit", "value"),
    [("power", "W", 50), ("t", "degC", 50), ("u", "mV", 50), ("used", "Joules", 100)],
)
def test_power_over_time_is_averaged_and_energy_added_up(warehouse, event, unit, value):
    given(warehouse, "pmu_samples", f"sample event value\n0 {event} 40\n1 {event} 60", unit=unit)
    assert rows(warehouse, "SELECT value, unit FROM counter_summary") == [(value, unit)]


@pytest.mark.parametrize(
    ("event", "unit", "value"),
    [
        *(("dp", "MFLOP/s", 100), ("dram", "GB/s", 100), ("dram_bw", None, 100)),
        *(("requests", "1/s", 100), ("power", "W", 100), ("link", "Gbps", 100)),
        *(("clock", "MHz", 50), ("sm", "cycle/second", 50), ("ticks", "Tick/Second", 50)),
        *(("hits", "%", 50), ("L2 miss rate", None, 50), ("bw utilization", None, 50)),
        *(("t", "degC", 50), ("avg bandwidth", "GB/s", 50), ("intensity", "FLOP/Byte", 50)),
        # Nsight Compute
        *(("SM Frequency", "hz", 50), ("Active Warps Per SM", "warp", 50), ("# SMs", "SM", 50)),
        *(("Block Limit Warps", "block", 50), ("stall_per_issue.ratio", "warp", 50)),
    ],
)
def test_amounts_per_second_add_up_over_threads_and_are_averaged_over_time(
    warehouse, event, unit, value
):
    """As LIKWID's own tables of sums do, where a socket's value stands on one of its threads."""
    warehouse.execute(
        "INSERT INTO pmu_samples (run_id, source_id, cpu, region, event, value, unit) "
        "SELECT 'r', 1, cpu, region, $event, value, $unit FROM (VALUES "
        "(0, 'a', 30), (1, 'a', 60), (2, 'a', NULL), (0, 'b', 50), (1, 'b', 60), (2, 'b', NULL)"
        ") AS t(cpu, region, value)",
        {"event": event, "unit": unit},
    )
    assert rows(warehouse, "SELECT value FROM counter_summary") == [(value,)]


def test_means_over_time_are_by_the_length_of_samples_where_it_is_known(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        rank  t_start  t_end  event  value  unit
        0     0        1      bw     10     GB/s
        0     1        4      bw     20     GB/s
        1     0        4      bw     5      GB/s
        0     0        1      clock  1      GHz
        0     1        4      clock  2      GHz
        1     0        4      clock  3      GHz
        """,
    )
    assert rows(warehouse, "SELECT event, value FROM counter_summary ORDER BY event") == [
        ("bw", 22.5),
        ("clock", 2.375),
    ]


def test_regions_count_by_their_length_where_the_tool_states_it(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        cpu  region  seconds  event  value  unit
        0    init    0.1      bw     10     GB/s
        0    solve   9.9      bw     110    GB/s
        1    init    0.1      bw     NULL   GB/s
        1    solve   4.9      bw     20     GB/s
        0    init    0.1      clock  1      GHz
        0    solve   9.9      clock  3      GHz
        """,
    )
    query = "SELECT event, round(value, 6) FROM counter_summary ORDER BY event"
    assert rows(warehouse, query) == [("bw", 109 + 20 * 0.5), ("clock", 2.98)]


def test_rates_of_parts_of_a_machine_add_up_and_of_kernels_that_follow_one_another_do_not(
    warehouse,
):
    """A process counts for the time that it was there; a disk has the bytes of its partition."""
    given(
        warehouse,
        "pmu_samples",
        """
        run_id   thread  region  t_start  event  value  unit
        gpus     NULL    GPU:0   0        p      100    W
        gpus     NULL    GPU:1   2        p      80     W
        gpus     NULL    GPU:0   100      p      300    W
        gpus     NULL    GPU:1   102      p      80     W
        sockets  NULL    S0      NULL     bw     5      GB/s
        sockets  NULL    S1      NULL     bw     7      GB/s
        kernels  NULL    copy    NULL     bw     5      GB/s
        kernels  NULL    add     NULL     bw     7      GB/s
        tasks    1       a       0        rd     10     kB/s
        tasks    1       a       100      rd     20     kB/s
        tasks    2       b       0        rd     30     kB/s
        disks    NULL    sda     0        wr     9      kB/s
        disks    NULL    sda1    0        wr     9      kB/s
        """,
    )
    warehouse.execute("UPDATE pmu_samples SET region = replace(region, ':', ' ')")
    assert rows(warehouse, "SELECT run_id, value FROM counter_summary ORDER BY run_id") == [
        ("disks", None),
        ("gpus", 280),
        ("kernels", 6),
        ("sockets", 12),
        ("tasks", 30),
    ]


def test_names_that_contain_such_words_in_others_are_counts(warehouse):
    names = ["cpu-migrations", "iterations", "branch-misses", "perf_events", "all_loads", "rated"]
    names += ["MAX_CPU_CLOCK"]
    warehouse.executemany(
        "INSERT INTO pmu_samples (run_id, source_id, sample, event, value) "
        "VALUES ('r', 1, 0, $1, 2)",
        [[name] for name in names * 2],
    )
    query = "SELECT DISTINCT value FROM counter_summary"
    assert rows(warehouse, query) == [(4.0,)]
