"""perf stat. The outputs here are perf's own (6.1), or as its source prints them (marked)."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest

from ingest.base import Head
from ingest.parsing import lines
from ingest.readers.counters.perf_stat.reader import PerfStat
from tests.helpers.support import land, rows, shared
from tests.ingest.case import SAMPLES

SAMPLE = SAMPLES / "perf-stat" / "intervals.csv"
REAL = "pmu/perf_stat_vm"
PLACES = "SELECT thread, cpu, region, event, value FROM pmu_samples ORDER BY ALL"
TIMES = "SELECT sample, t_start, t_end, event, value FROM pmu_samples ORDER BY ALL"
HEADER = " Performance counter stats for './mini':\n\n"
FOOTER = "\n       4.319927156 seconds time elapsed\n\n"


def landed(warehouse, folder, text, query):
    path = folder / "counts.csv"
    path.write_text(text, encoding="utf-8")
    assert PerfStat().sniff(Head(text.encode()[: 1 << 16], path))
    land(warehouse, path, reader="perf-stat")
    return rows(warehouse, query)


def test_text_for_people_gives_counts_app_and_seconds(warehouse):
    land(warehouse, shared(f"{REAL}/default.txt"))
    query = "SELECT event, value, unit, running, sample, t_start, t_end FROM pmu_samples"
    assert rows(warehouse, query) == [
        ("task-clock", 1429.58, "msec", 1.0, 0, None, None),
        ("context-switches", 1133.0, None, 1.0, 0, None, None),
        ("cpu-migrations", 21.0, None, 1.0, 0, None, None),
        ("page-faults", 8985.0, None, 1.0, 0, None, None),
        ("cycles", None, None, None, 0, None, None),
        ("instructions", None, None, None, 0, None, None),
    ]
    ((app, wall, started, tags),) = rows(
        warehouse, "SELECT app, wall_seconds, started_at, tags FROM runs"
    )
    assert (app, wall) == ("mini", 4.319927156)
    assert started == datetime(2026, 11, 21, 0, 4, 58, tzinfo=UTC)
    assert tags == {
        "command": "./mini",
        "user_seconds": "1.300851000",
        "sys_seconds": "0.044366000",
    }


@pytest.mark.parametrize(
    ("name", "clock", "switches"),
    [("sep.csv", 1427.36, 1705), ("json.jsonl", 1427.285369, 1367), ("sep_r5.csv", 1448.80, 1743)],
)
def test_real_recordings_have_six_events_two_of_them_not_supported(
    warehouse, name, clock, switches
):
    land(warehouse, shared(f"{REAL}/{name}"))
    assert rows(warehouse, "SELECT event, value, unit, running FROM pmu_samples LIMIT 2") == [
        ("task-clock", clock, "msec", 1.0),
        ("context-switches", switches, None, 1.0),
    ]
    assert rows(warehouse, "SELECT count(*), count(value) FROM pmu_samples") == [(6, 4)]
    assert rows(
        warehouse, "SELECT event, running, deviation FROM pmu_samples WHERE value IS NULL"
    ) == [("cycles", None, None), ("instructions", None, None)]


def test_repetitions_give_a_relative_deviation(warehouse):
    land(warehouse, shared(f"{REAL}/sep_r5.csv"))
    assert rows(warehouse, "SELECT deviation FROM pmu_samples WHERE value IS NOT NULL") == [
        (0.0097,),
        (0.0526,),
        (0.041,),
        (0.0001,),
    ]


def test_per_processor_recording_has_two_events_on_four_processors(warehouse):
    land(warehouse, shared(f"{REAL}/percpu.csv"))
    assert rows(
        warehouse,
        "SELECT event, list(cpu ORDER BY cpu), list(value ORDER BY cpu) FROM pmu_samples"
        " GROUP BY event ORDER BY event",
    ) == [
        ("context-switches", [0, 1, 2, 3], [148.0, 151.0, 150.0, 143.0]),
        ("task-clock", [0, 1, 2, 3], [524.53, 528.31, 528.0, 530.16]),
    ]


@pytest.mark.parametrize(
    ("name", "samples", "second"),
    [
        ("interval.csv", 32, (207528243, 407939146, None)),
        ("interval.jsonl", 29, (211483571, 419496980, 67.220919)),
    ],
)
def test_intervals_are_samples_end_to_end(warehouse, name, samples, second):
    land(warehouse, shared(f"{REAL}/{name}"))
    clock = "SELECT sample, t_start, t_end, value FROM pmu_samples WHERE event = 'task-clock'"
    found = rows(warehouse, f"{clock} ORDER BY sample")
    assert [row[0] for row in found] == list(range(samples))
    assert found[0][1] == 0
    assert found[1][1:] == second
    assert all(this[2] == after[1] for this, after in pairwise(found))
    assert rows(warehouse, "SELECT count(*) FROM pmu_samples") == [(6 * samples,)]


@pytest.mark.parametrize("sep", [",", ";", "\t", "|", ", ", "ab", "::", " "])
def test_any_separator_is_found_out(warehouse, tmp_path, sep):
    text = "0.67,msec,task-clock,673011,100.00,0.013,CPUs utilized\n2,,faults,673011,50.25,,\n"
    assert landed(
        warehouse,
        tmp_path,
        text.replace(",", sep),
        "SELECT event, value, unit, running FROM pmu_samples",
    ) == [("task-clock", 0.67, "msec", 1.0), ("faults", 2.0, None, 0.5025)]


def test_an_event_may_contain_the_separator_and_a_cgroup_may_follow_it(warehouse, tmp_path):
    # As stat-display.c prints them: no quotes around fields.
    text = (
        "5,,cpu/event=0x3c,umask=0x1/u,91,100.00,,\n"
        "6,,cpu/event=0x3c,umask=0x1/u,/sys.slice,0.03%,91,100.00,,\n"
        "7,,cycles,/,91,100.00,,\n"
    )
    assert landed(warehouse, tmp_path, text, PLACES) == [
        (None, None, "/", "cycles", 7.0),
        (None, None, "/sys.slice", "cpu/event=0x3c,umask=0x1/u", 6.0),
        (None, None, None, "cpu/event=0x3c,umask=0x1/u", 5.0),
    ]


def test_sockets_dies_cores_and_nodes_are_regions(warehouse, tmp_path):
    text = (
        "S0,4,3244,,page-faults,406723029,100.00,7.976,K/sec\n"
        "S0-D0,4,65,,page-faults,406168201,100.00,160.032,/sec\n"
        "S0-D0-C1,1,116,,page-faults,102511754,100.00,1.132,K/sec\n"
        "S0-D0-C2,33,,page-faults,102511754,100.00,1.132,K/sec\n"
        "S0-D0-L3-ID0,8,17,,page-faults,102511754,100.00,1.132,K/sec\n"
        "S0-D0-CLS1,8,18,,page-faults,102511754,100.00,1.132,K/sec\n"
        "N0,4,197,,page-faults,418613432,100.00,470.603,/sec\n"
    )
    assert landed(warehouse, tmp_path, text, PLACES) == [
        (None, None, "N0", "page-faults", 197.0),
        (None, None, "S0", "page-faults", 3244.0),
        (None, None, "S0-D0", "page-faults", 65.0),
        (None, None, "S0-D0-C1", "page-faults", 116.0),
        (None, None, "S0-D0-C2", "page-faults", 33.0),
        (None, None, "S0-D0-CLS1", "page-faults", 18.0),
        (None, None, "S0-D0-L3-ID0", "page-faults", 17.0),
    ]


def test_threads_have_their_id_and_their_command_as_region(warehouse, tmp_path):
    text = (
        "memfd:sealed-91-3483,0.07,msec,task-clock,70745,100.00,0.001,CPUs utilized\n"
        "Web Content-15,0.05,msec,task-clock,46470,100.00,0.000,CPUs utilized\n"
        "a,b-16,0.06,msec,task-clock,46470,100.00,0.000,CPUs utilized\n"
    )
    assert landed(warehouse, tmp_path, text, PLACES) == [
        (15, None, "Web Content", "task-clock", 0.05),
        (16, None, "a,b", "task-clock", 0.06),
        (3483, None, "memfd:sealed-91", "task-clock", 0.07),
    ]


@pytest.mark.parametrize("blank", [" ", ""])
def test_json_places_and_the_fields_of_newer_perfs(warehouse, tmp_path, blank):
    # perf 6.1 ("variance"), 6.13 ("metric-threshold") and later ("counters", quoted metrics).
    text = """
{"core" : "S0-D0-C0", "aggregate-number" : 1, "counter-value" : "1.5", "unit" : "msec", \
"event" : "task-clock", "variance" : 2.50, "event-runtime" : 101, "pcnt-running" : 100.00}
{"thread" : "bash-3508", "counter-value" : "2.000000", "unit" : "", "event" : "branches", \
"event-runtime" : 9, "pcnt-running" : 50.00}
{"cpu" : "3", "counter-value" : "3.000000", "unit" : "", "event" : "branch-misses", \
"cgroup" : "/", "event-runtime" : 9, "pcnt-running" : 100.00, "metric-value" : "3.226797", \
"metric-unit" : "of all branches", "metric-threshold" : "good"}
{"socket" : "S1", "counters" : 8, "event-runtime" : 9, "pcnt-running" : 100.00, \
"metricgroup" : "TopdownL1"}
{"socket" : "S1", "counters" : 8, "metric-value" : "12.500000", "metric-unit" : "%  tma_retiring"}
""".replace(" : ", f"{blank}:{blank}").lstrip()
    query = "SELECT thread, cpu, region, event, value, unit, running, deviation FROM pmu_samples"
    assert landed(warehouse, tmp_path, text, f"{query} ORDER BY event") == [
        (None, 3, "/", "branch-misses", 3.0, None, 1.0, None),
        (None, 3, "/", "branch-misses of all branches", 3.226797, "%", None, None),
        (3508, None, "bash", "branches", 2.0, None, 0.5, None),
        (None, None, "S0-D0-C0", "task-clock", 1.5, "msec", 1.0, 0.025),
        (None, None, "S1", "tma_retiring", 12.5, "%", None, None),
    ]


def test_metrics_are_events_but_rates_and_metrics_without_value_are_not(warehouse, tmp_path):
    # As stat-display.c prints them: old and new padding, a metric group, one that is nan.
    text = (
        "9,,instructions,99,100.00,0.52,insn per cycle\n"
        ",,,,3.10,stalled cycles per insn\n"
        ",,,,,,backend bound\n"
        "8,,slots,99,100.00,23.5,%  tma_retiring\n"
        ",,,,,12.5,%  tma_backend_bound\n"
        ",1234,100.00,,,,TopdownL1\n"
        ",1234,100.00,,,2.5,%  tma_frontend_bound\n"
        "7,,faults,99,100.00,1.5,K/sec\n"
    )
    assert landed(
        warehouse, tmp_path, text, "SELECT event, value, unit FROM pmu_samples ORDER BY event"
    ) == [
        ("faults", 7.0, None),
        ("insn per cycle", 0.52, "insn/cycle"),
        ("instructions", 9.0, None),
        ("slots", 8.0, None),
        ("stalled cycles per insn", 3.1, "cycles/insn"),
        ("tma_backend_bound", 12.5, "%"),
        ("tma_frontend_bound", 2.5, "%"),
        ("tma_retiring", 23.5, "%"),
    ]


def test_a_share_below_zero_is_left_out(warehouse, tmp_path):
    text = (
        " Performance counter stats for './a.out':\n\n"
        "     1,000,000,000      CPU_CLK_UNHALTED.THREAD   #     -0.2 %  tma_backend_bound      \n"
        "                                                  #     20.2 %  tma_retiring           \n"
        "                                                  #    -16.7%  tma_fetch_bandwidth\n"
        "       166,666,666      UOPS_ISSUED.ANY\n\n"
        "       1.000000000 seconds time elapsed\n"
    )
    found = landed(warehouse, tmp_path, text, "SELECT event FROM pmu_samples WHERE unit = '%'")
    assert found == [("tma_retiring",)]
    assert rows(warehouse, "SELECT left_out FROM sources") == [
        ("2 metrics (negative, as their events were counted in turns)",)
    ]


def test_sums_after_intervals_are_left_out(warehouse, tmp_path):
    text = (
        "#           time             counts unit events\n"
        "     0.050124314;58;;page-faults;740733;100.00;78.301;K/sec\n"
        "     0.100415866;<not counted>;;page-faults;0;100.00;;\n"
        "         summary;59;;page-faults;832009;100.00;70.913;K/sec\n"
    )
    expected = [
        (0, 0, 50124314, "page-faults", 58.0),
        (1, 50124314, 100415866, "page-faults", None),
    ]
    assert landed(warehouse, tmp_path, text, TIMES) == expected


def test_sums_after_intervals_are_left_out_of_json_and_text(warehouse, tmp_path):
    json = (
        '{"interval" : 0.020126071, "counter-value" : "56.0", "unit" : "", "event" : "faults"}\n'
        '{"counter-value" : "57.0", "unit" : "", "event" : "faults"}\n'
    )
    expected = [(0, 0, 20126071, "faults", 56.0)]
    assert landed(warehouse, tmp_path, json, TIMES) == expected
    warehouse.execute("DELETE FROM pmu_samples")
    text = (
        "#           time             counts unit events\n"
        "     0.020110498                 58      faults                      #  120.583 K/sec\n"
        f"\n{HEADER}                59      faults      #  108.744 K/sec\n{FOOTER}"
    )
    assert landed(warehouse, tmp_path, text, TIMES) == [(0, 0, 20110498, "faults", 58.0)]


def test_text_places_repetitions_multiplexing_and_metrics(warehouse, tmp_path):
    text = (
        " Performance counter stats for 'system wide' (3 runs):\n\n"
        "CPU1                   101.70 msec task-clock       #    1.000 CPUs utilized\n"
        "S0-D0-C1           1                 66      page-faults      #  650.759 /sec\n"
        "            bash-3508          <not counted> msec task-clock           \n"
        "     1,234,567      instructions   #  0.52  insn per cycle  ( +-  0.56% )  (33.35%)\n"
        "                              #     12.3 %  tma_retiring\n"
        "              2.00 Joules power/energy-pkg/  / \n\n"
        "         # Table of individual measurements:\n"
        "         0.1015562 (+0.0000226) #\n\n"
        "         # Final result:\n"
        "         0.1014487 +- 0.0000108 seconds time elapsed  ( +-  0.01% )\n\n"
        "Some events weren't counted. Try disabling the NMI watchdog:\n"
        "\techo 0 > /proc/sys/kernel/nmi_watchdog\n"
    )
    query = "SELECT thread, cpu, region, event, value, unit, running, deviation FROM pmu_samples"
    assert landed(warehouse, tmp_path, text, f"{query} ORDER BY event, cpu") == [
        (None, None, None, "insn per cycle", 0.52, "insn/cycle", None, None),
        (None, None, None, "instructions", 1234567.0, None, 0.3335, 0.0056),
        (None, None, "S0-D0-C1", "page-faults", 66.0, None, 1.0, None),
        (None, None, "/", "power/energy-pkg/", 2.0, "Joules", 1.0, None),
        (None, 1, None, "task-clock", 101.7, "msec", 1.0, None),
        (3508, None, "bash", "task-clock", None, "msec", None, None),
        (None, None, None, "tma_retiring", 12.3, "%", None, None),
    ]
    assert rows(warehouse, "SELECT app, wall_seconds, tags FROM runs") == [
        (None, 0.1014487, {"target": "system wide", "repetitions": "3"})
    ]


def test_output_of_the_program_around_the_counts_is_skipped(warehouse, tmp_path):
    text = f"12 files read\n\n{HEADER}        3      faults\n{FOOTER}   5 msec later\n"
    assert landed(warehouse, tmp_path, text, TIMES) == [(0, None, None, "faults", 3.0)]


def test_appended_executions_are_runs(warehouse, tmp_path):
    once = "# started on Sat Nov 21 01:48:5{}\n\n{}.5,msec,task-clock,508106,100.00,,\n"
    text = once.format("3 2026", 1) + once.format("4 2026", 2)
    query = "SELECT right(run_id, 2), sample, value, second(started_at) FROM pmu_samples"
    assert landed(
        warehouse, tmp_path, text, f"{query} JOIN runs USING (run_id) ORDER BY run_id"
    ) == [(".1", 0, 1.5, 53), (".2", 0, 2.5, 54)]


def test_appended_texts_are_runs_with_their_own_app_and_time(warehouse, tmp_path):
    one = f"{HEADER}        3      faults\n{FOOTER}"
    text = one + one.replace("./mini", "/bin/ls -l").replace("4.3", "5.3")
    query = "SELECT right(run_id, 2), app, wall_seconds, tags['command'] FROM runs ORDER BY ALL"
    assert landed(warehouse, tmp_path, text, query) == [
        (".1", "mini", 4.319927156, "./mini"),
        (".2", "ls", 5.319927156, "/bin/ls -l"),
    ]


def test_times_of_six_decimals_are_no_counts_and_the_last_line_may_lack_its_end(
    warehouse, tmp_path
):
    times = "1.237000 seconds time elapsed\n\n  1.230000 seconds user\n  0.005000 seconds sys"
    query = """SELECT event, value, wall_seconds, tags['sys_seconds']
        FROM pmu_samples JOIN runs USING (run_id)"""
    assert landed(warehouse, tmp_path, f"{HEADER}     3      faults\n\n  {times}", query) == [
        ("faults", 3.0, 1.237, "0.005000")
    ]


def test_executions_that_nothing_distinguishes_are_samples(warehouse, tmp_path):
    text = (
        "1,,faults,9,100.00,,\n2,,cycles,9,100.00,,\n3,,faults,9,100.00,,\n4,,cycles,9,100.00,,\n"
    )
    assert landed(warehouse, tmp_path, text, TIMES) == [
        (0, None, None, "cycles", 2.0),
        (0, None, None, "faults", 1.0),
        (1, None, None, "cycles", 4.0),
        (1, None, None, "faults", 3.0),
    ]


def test_samples_go_on_from_one_chunk_of_the_file_to_the_next(warehouse, tmp_path, monkeypatch):
    whole = landed(warehouse, tmp_path, SAMPLE.read_text(), TIMES)
    warehouse.execute("DELETE FROM sources; DELETE FROM pmu_samples")
    monkeypatch.setattr(lines, "CHUNK_BYTES", 100)
    assert landed(warehouse, tmp_path, SAMPLE.read_text(), TIMES) == whole


UNITS = "SELECT event, value, unit FROM pmu_samples ORDER BY rowid"


@pytest.mark.usefixtures("analyses")
def test_metrics_have_the_unit_that_their_name_implies(warehouse, tmp_path):
    (tmp_path / "p.csv").write_text(
        "1000,,cycles,99,100.00,2.900,GHz\n"
        "300,,stalled-cycles-frontend,99,100.00,30.00,frontend cycles idle\n"
        "520,,instructions,99,100.00,0.52,insn per cycle\n"
        "9,,branch-misses,99,100.00,2.10,of all branches\n"
    )
    land(warehouse, tmp_path / "p.csv")
    assert rows(warehouse, f"{UNITS} OFFSET 4") == [
        ("cycles frequency", 2.9, "GHz"),
        ("frontend cycles idle", 30.0, "%"),
        ("insn per cycle", 0.52, "insn/cycle"),
        ("branch-misses of all branches", 2.1, "%"),
    ]
    query = "SELECT metric FROM run_metrics WHERE metric LIKE 'per_cycle:insn%'"
    assert rows(warehouse, query) == [], "what is per cycle is not divided by cycles again"


def test_metrics_of_hybrid_cores_are_told_apart(warehouse, tmp_path):
    (tmp_path / "p.json").write_text(
        '{"counter-value" : "5.0", "unit" : "", "event" : "cpu_core/instructions/", "event-runtime"'
        ' : 9, "pcnt-running" : 40.00, "metric-value" : "1.5", "metric-unit" : "insn per cycle"}\n'
        '{"counter-value" : "7.0", "unit" : "", "event" : "cpu_atom/instructions/", "event-runtime"'
        ' : 9, "pcnt-running" : 60.00, "metric-value" : "0.8", "metric-unit" : "insn per cycle"}\n'
        '{"metric-value" : "0.3", "metric-unit" : "(null)"}\n'
    )
    (done,) = land(warehouse, tmp_path / "p.json")
    assert rows(warehouse, f"{UNITS} OFFSET 2") == [
        ("insn per cycle (cpu_core)", 1.5, "insn/cycle"),
        ("insn per cycle (cpu_atom)", 0.8, "insn/cycle"),
    ]
    assert done.left_out == "1 metric (perf wrote (null) for the name)"
