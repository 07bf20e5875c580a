"""LIKWID's text: tables of counters and metrics land, those of sums and calls do not."""

from __future__ import annotations

import pytest

from tests.helpers.support import land, rows
from tests.ingest.cases.likwid import SAMPLE

TEXT = SAMPLE.with_name("regions.txt").read_text()
ROW = "|          CPI         |     0.5000 |        nan |\n"


def test_events_and_metrics_of_each_hardware_thread(warehouse):
    land(warehouse, SAMPLE.with_name("regions.txt"))
    sql = "SELECT region, cpu, event, value, unit FROM pmu_samples WHERE cpu = 1 ORDER BY rowid"
    assert rows(warehouse, sql) == [
        ("triad", 1, "INSTR_RETIRED_ANY", 1210000.0, None),
        ("triad", 1, "CPU_CLK_UNHALTED_CORE", 610000.0, None),
        ("triad", 1, "PWR_PKG_ENERGY", 0.0, "J"),
        ("triad", 1, "Runtime (RDTSC)", 0.252, "s"),
        ("triad", 1, "Clock", 2394.0057, "MHz"),
        ("triad", 1, "CPI", None, None),
    ]
    sql = "SELECT threads, tags['clock'] FROM runs"
    assert rows(warehouse, sql) == [(2, "2.39 GHz")]


def test_without_regions_and_again(warehouse, tmp_path):
    text = TEXT.replace("Region triad, ", "").replace("HWThread", "Core")
    (tmp_path / "l.txt").write_text(text + text[text.index("Group 1") :])
    land(warehouse, tmp_path / "l.txt")
    sql = "SELECT region, sample, count(*) FROM pmu_samples GROUP BY ALL ORDER BY ALL"
    assert rows(warehouse, sql) == [(None, 0, 12), (None, 1, 12)]


def test_gpus_are_no_hardware_threads(warehouse, tmp_path):
    (tmp_path / "l.txt").write_text(TEXT.replace("HWThread ", "     GPU "))
    land(warehouse, tmp_path / "l.txt")
    sql = "SELECT threads, cpu, count(*) FROM pmu_samples JOIN runs USING (run_id) GROUP BY ALL"
    assert rows(warehouse, f"{sql} ORDER BY ALL") == [(None, 0, 6), (None, 1, 6)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXT * 2, "group 1 is counted again"),
        (TEXT.split(ROW)[0], "the rows of a table to its last border"),
        (TEXT.replace(ROW, ROW.replace("|        nan |", "|")), "a row of 3 fields"),
        (TEXT.replace(ROW, "hello\n"), "output of the program came between"),
        (TEXT.replace("0.5000 |", "0,5000 |"), "CPI is '0,5000'"),
        (TEXT.replace("Region triad, Group 1: MEM_DP\n", ""), "a line `Group 1: NAME`"),
    ],
)
def test_what_is_refused(refusal, text, message):
    assert message in refusal(text.encode(), "l.txt", reader="likwid")


TOPDOWN = """TABLE,Region {region},Group {group} Raw,TMA,4
Event,Counter,HWThread 0,
INSTR_RETIRED_ANY,FIXC0,400,
CPU_CLK_UNHALTED_CORE,FIXC1,{cycles},
RETIRING,TMA0,0.25,
TEMP_CORE,TMP0,{group}0,
TABLE,Region {region},Group {group} Metric,TMA,5
Metric,HWThread 0,
Runtime (RDTSC) [s],{seconds},
Retiring [%],25,
Front End [%],10,
Speculation [%],5,
Back End [%],60,
"""
MEMORY = """TABLE,Region solve,Group 2 Raw,MEM_DP,6
Event,Counter,HWThread 0,HWThread 1
INSTR_RETIRED_ANY,FIXC0,100,100
CPU_CLK_UNHALTED_CORE,FIXC1,200,200
FP_ARITH_INST_RETIRED_256B_PACKED_DOUBLE,PMC0,50,50
DTLB_LOAD_MISSES_CAUSES_A_WALK,PMC1,4,2
CAS_COUNT_RD,MBOX0C0,3,0
CAS_COUNT_RD,MBOX1C0,5,0
TABLE,Region solve,Group 2 Metric,MEM_DP,2
Metric,HWThread 0,HWThread 1
Runtime (RDTSC) [s],0.5,0.5
Clock [MHz],3000,3000
"""


@pytest.mark.usefixtures("analyses")
def test_shares_of_slots_are_top_down_and_count_by_the_length_of_regions(warehouse, tmp_path):
    init = TOPDOWN.format(region="init", group=1, cycles=100, seconds=1)
    solve = TOPDOWN.format(region="solve", group=1, cycles=200, seconds=3)
    (tmp_path / "l.csv").write_text(init + solve.replace("%],60", "%],80").replace("%],25", "%],5"))
    land(warehouse, tmp_path / "l.csv")
    sql = "SELECT region, category, round(share, 3) FROM topdown ORDER BY region"
    assert rows(warehouse, sql) == [("init", "backend_bound", 0.6), ("solve", "backend_bound", 0.8)]
    sql = "SELECT event, value, unit FROM counter_summary WHERE unit IS NOT NULL ORDER BY event"
    assert rows(warehouse, sql) == [
        *(("Back End", 75, "%"), ("Front End", 10, "%"), ("RETIRING:TMA0", 0.25, "ratio")),
        *(("Retiring", 10, "%"), ("Runtime (RDTSC)", 4, "s"), ("Speculation", 5, "%")),
        ("TEMP_CORE", 10, "C"),
    ]


def test_groups_of_events_are_samples_of_their_own_and_counters_of_one_event_add_up(
    warehouse, tmp_path
):
    (tmp_path / "l.csv").write_text(
        TOPDOWN.format(region="solve", group=1, cycles=100, seconds=0.25) + MEMORY
    )
    (landed,) = land(warehouse, tmp_path / "l.csv")
    assert landed.repeats is None
    sql = """
        SELECT sample, cpu, event, value, cycles, seconds
        FROM pmu_per_cycle
        JOIN pmu_samples USING (run_id, sample, cpu, event, value)
        WHERE regexp_matches(event, 'INSTR|CAS|DTLB') AND cpu = 0
        ORDER BY ALL
    """
    assert rows(warehouse, sql) == [
        (0, 0, "INSTR_RETIRED_ANY", 400, 100, 0.25),
        (1, 0, "CAS_COUNT_RD", 8, 200, 0.5),
        (1, 0, "DTLB_LOAD_MISSES_CAUSES_A_WALK", 4, 200, 0.5),
        (1, 0, "INSTR_RETIRED_ANY", 100, 200, 0.5),
    ]
    sql = "SELECT flops, bytes, seconds FROM roofline"
    assert rows(warehouse, sql) == [(400, 512, 0.5)]
