"""Nsight Compute: numbers with the separators of other languages are never off by 1000."""

from __future__ import annotations

import pytest

from tests.helpers.support import land, rows
from warehouse.errors import InputError

HEAD = '"ID","Process ID","Process Name","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'


def table(*metrics):
    lines = (f'"0","7","app","k","{name}","{unit}","{value}"\n' for name, unit, value in metrics)
    return HEAD + "".join(lines)


@pytest.mark.parametrize(
    ("metrics", "values"),
    [
        # A count is whole: a comma in it separates thousands.
        ([("smsp__inst_executed.sum", "inst", "65,536")], [65536.0]),
        ([("Duration", "usecond", "1,234"), ("Occupancy", "%", "12.34")], [0.001234, 12.34]),
        ([("Duration", "msecond", "1.234"), ("Waves Per SM", "", "0.5")], [0.001234, 0.5]),
        ([("Cycles", "cycle", "1,234,567"), ("Duration", "second", "1.234")], [1234567, 1.234]),
        ([("dram__bytes.sum", "Kbyte", "1.234"), ("Duration", "second", "7.5")], [1234.0, 7.5]),
    ],
)  # fmt: skip
def test_other_numbers_show_the_separators(metrics, values, warehouse, tmp_path):
    (tmp_path / "n.csv").write_text(table(*metrics))
    land(warehouse, tmp_path / "n.csv")
    assert rows(warehouse, "SELECT value FROM pmu_samples ORDER BY rowid") == [(v,) for v in values]


@pytest.mark.parametrize(
    ("metrics", "problem"),
    [
        ([("Elapsed Cycles", "cycle", "1.234"), ("Duration", "usecond", "12")], "no other number"),
        ([("Duration", "usecond", "1,234")], "no other number"),
        ([("smsp__inst_executed.sum", "inst", "65.536")], "the count"),
        ([("Duration", "usecond", "0,512")], "'0,512'"),
        ([("Duration", "usecond", "1.234"), ("Throughput", "%", "12,34")], "'12,34'"),
    ],
)
def test_numbers_of_other_languages_are_refused(metrics, problem, warehouse, tmp_path):
    (tmp_path / "n.csv").write_text(table(*metrics))
    with pytest.raises(InputError, match=problem):
        land(warehouse, tmp_path / "n.csv")


def test_a_throughput_in_per_cent_and_one_in_bytes_are_two_events(warehouse, tmp_path):
    twice = [("Memory Throughput", "%", "92.10"), ("Memory Throughput", "Gbyte/s", "812.50")]
    (tmp_path / "n.csv").write_text(table(*twice))
    land(warehouse, tmp_path / "n.csv")
    assert rows(warehouse, "SELECT event, value FROM counter_summary ORDER BY value") == [
        ("Memory Throughput [%]", 92.1),
        ("Memory Throughput", 812.5e9),
    ]


TEXT = """\
[7] app@127.0.0.1
  k(int) (1, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 8.0
    Section: Empty
    ---------- ------- -----
    ---------- ------- -----

    Section: Speed
    ---------- ------- -----
    Duration   usecond 12.45
    Cycles       cycle 1.234
    ---------- ------- -----
"""


def test_tables_for_people_have_the_same_numbers(warehouse, tmp_path):
    (tmp_path / "n.txt").write_text(TEXT.replace("1.234", "1,234"))
    land(warehouse, tmp_path / "n.txt")
    query = "SELECT region, event, value, unit FROM pmu_samples ORDER BY rowid"
    assert rows(warehouse, query) == [
        ("k(int)", "Duration", pytest.approx(12.45e-6), "second"),
        ("k(int)", "Cycles", 1234.0, "cycle"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("    Cycles       cycle 1.234\n    ---------- ------- -----\n", "", "the last table is"),
        ("    Duration   usecond 12.45\n", "    Duration   usecond\n", "'Duration   usecond' was"),
    ],
)
def test_damaged_tables_for_people(warehouse, tmp_path, old, new, message):
    assert old in TEXT
    (tmp_path / "n.txt").write_text(TEXT.replace(old, new))
    with pytest.raises(InputError, match=message):
        land(warehouse, tmp_path / "n.txt")


def test_lines_without_the_fields_of_rules_and_what_rules_estimate(warehouse, tmp_path):
    head = HEAD.rstrip() + (
        ',"Rule Name","Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup"\n'
    )
    of = '"0","7","app","k(int, int)",'
    lines = [
        f'{of}"Occupancy","%","12.5",',
        f'{of}"Cycles","cycle","1,234",',
        f'{of}"","","","CPIStall","OPT","Stalls, of ""long"" kind","global","14.89"',
        f'{of}"","","","CPIStall","OPT","again","global","12"',
        f'{of}"","","","SOLBottleneck","INF","nothing to gain","",""',
    ]
    file = tmp_path / "n.csv"
    file.write_text(head + "".join(f"{line}\n" for line in lines))
    land(warehouse, file)
    assert rows(warehouse, "SELECT region, sample, event, value FROM pmu_samples ORDER BY 3") == [
        ("k(int, int)", 0, "CPIStall, estimated speedup (global)", 14.89),
        ("k(int, int)", 0, "Cycles", 1234),
        ("k(int, int)", 0, "Occupancy", 12.5),
    ]
    assert rows(warehouse, "SELECT left_out, app FROM sources, runs") == [
        ("1 rule (without an estimated speedup)", "app")
    ]
    file.write_text(head + f"{lines[0]}\n{of}cut\n")
    with pytest.raises(InputError, match="does not have"):
        land(warehouse, file, replace=True)
