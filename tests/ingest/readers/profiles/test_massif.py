"""massif: memory in use is averaged, never added up, and trees have the bytes of their paths."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from apps.reports.runs import run_report
from tests.helpers.support import land, rows
from tests.ingest.cases.massif import SAMPLE

TEXT = SAMPLE.read_text()
TREE = """\
n2: 1000000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 n2: 900000 0x109201: grow (g.c:6)
  n0: 500000 0x109248: main (g.c:7)
  n1: 300000 0x109300: step<fn() -> i32> (g.c:9)
   n0: 300000 0x109248: main (in /home/user/heat)
 n0: 100000 in 12 places, all below massif's threshold (1.00%)
"""


def test_memory_in_use_is_averaged_and_instructions_are_added_up(warehouse):
    land(warehouse, SAMPLE)
    found = dict(rows(warehouse, "SELECT event, value FROM counter_summary"))
    assert found["instructions"] == 471673.0
    assert 0 < found["mem_heap"] < 1000000.0


def test_call_paths_of_the_peak(warehouse, tmp_path):
    begin = TEXT.index("heap_tree=peak\n") + len("heap_tree=peak\n")
    end = TEXT.index("#-", begin)
    (tmp_path / "m.out").write_text(TEXT[:begin] + TREE + TEXT[end:])
    (landed,) = land(warehouse, tmp_path / "m.out")
    sql = "SELECT region, value FROM pmu_samples WHERE event = 'peak bytes' ORDER BY ALL"
    # 100,000 bytes of grow have callers below the threshold.
    assert rows(warehouse, sql) == [
        ("(below threshold)", 100000.0),
        ("grow", 100000.0),
        ("main->grow", 500000.0),
        ("main->step<fn() → i32>->grow", 300000.0),
    ]
    assert landed.left_out == "3 trees (call paths are those of the peak)"
    costs = "SELECT function, cost, unit FROM function_costs ORDER BY cost DESC LIMIT 1"
    assert rows(warehouse, costs) == [("grow", 500000.0, "bytes")]
    report = run_report(warehouse, landed.runs[0])
    # Heaps are not counted to find out what the cores wait for.
    assert "grow takes 90 % of all peak bytes (900 kB)" in report and "Unknown" not in report


@pytest.mark.usefixtures("analyses")
def test_bytes_of_a_heap_are_no_history_of_instructions(warehouse):
    facts = {"app": "heat", "started_at": datetime(2026, 1, 1, tzinfo=UTC)}
    land(warehouse, SAMPLE, facts=facts)
    land(warehouse, SAMPLE.parents[1] / "callgrind-calls" / "calls.callgrind", facts=facts)
    sql = "SELECT unit, points FROM metric_series WHERE metric = 'functions:cost' ORDER BY unit"
    assert rows(warehouse, sql) == [("bytes", 1), ("instructions", 1)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXT.replace("  n0: 1000000 0x109248: main (g.c:7)\n", ""), "all callers of a node"),
        (TEXT.replace("  n0: 1000000", "  n0: 2000000"), "of no more bytes"),
        (TEXT.replace("mem_heap_B=150000\n", ""), "the end of a snapshot"),
        (TEXT.replace("time=153621", "time=1"), "a time from 137273 on"),
        (TEXT.replace("time_unit: i", "time_unit: weeks"), "time_unit i, ms or B"),
        (TEXT.split("#")[0], "the end of the file"),
    ],
)
def test_what_is_refused(refusal, text, message):
    assert message in refusal(text.encode(), "m.out", reader="massif")
