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
        ("triad", 1, "PWR_PKG_ENERGY", 0.0, None),
        ("triad", 1, "Runtime (RDTSC)", 0.252, "s"),
        ("triad", 1, "Clock", 2394.0057, "MHz"),
        ("triad", 1, "CPI", None, None),
    ]
    sql = "SELECT threads, tags['cpu_clock'] FROM runs"
    assert rows(warehouse, sql) == [(2, "2.39 GHz")]


def test_without_regions_and_again(warehouse, tmp_path):
    text = TEXT.replace("Region triad, ", "").replace("HWThread", "Core")
    (tmp_path / "l.txt").write_text(text * 2)
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
        (TEXT.split(ROW)[0], "the rows of a table to its last border"),
        (TEXT.replace(ROW, ROW.replace("|        nan |", "|")), "a row of 3 fields"),
        (TEXT.replace(ROW, "hello\n"), "output of the program came between"),
        (TEXT.replace("0.5000 |", "0,5000 |"), "CPI is '0,5000'"),
        (TEXT.replace("Region triad, Group 1: MEM_DP\n", ""), "a line `Group 1: NAME`"),
    ],
)
def test_what_is_refused(refusal, text, message):
    assert message in refusal(text.encode(), "l.txt", reader="likwid")
