"""sysstat and vmstat: forms, times, and what is of the time before."""

from __future__ import annotations

import json

import pytest

from ingest.readers.systems.sysstat.samples import SINCE_BOOT
from tests.helpers.support import land, rows
from tests.ingest.cases.sysstat import FOLDER
from warehouse.errors import InputError

TITLE = "Linux 6.1.0 (node1) \t11/23/26 \t_x86_64_\t(2 CPU)\n\n"


@pytest.mark.parametrize("name", ["sadf.csv", "sadf.json"])
def test_what_sadf_writes(warehouse, name):
    land(warehouse, FOLDER / name)
    found = rows(
        warehouse,
        "SELECT cpu, t_start, value, unit FROM pmu_samples WHERE event LIKE '%user' ORDER BY rowid",
    )
    assert found == [(None, 0, 91.09, "%"), (None, 1_000_000_000, 89.45, "%")]
    query = "SELECT machine, CAST(started_at AT TIME ZONE 'UTC' AS VARCHAR) FROM runs"
    assert rows(warehouse, query) == [("vm", "2026-11-23 12:53:30")]
    devices = "SELECT DISTINCT region FROM pmu_samples WHERE region IS NOT NULL"
    assert rows(warehouse, devices) == [("lo" if name == "sadf.csv" else "vda",)]


def test_memory_in_use_is_averaged_and_vmstats_first_line_is_of_the_time_before(warehouse):
    (landed,) = land(warehouse, FOLDER / "vmstat.txt")
    assert landed.left_out == f"1 line ({SINCE_BOOT})"
    query = (
        "SELECT event, value, unit FROM counter_summary "
        "WHERE event IN ('memory.free', 'procs.r', 'system.cs', 'cpu.us') ORDER BY event"
    )
    assert rows(warehouse, query) == [
        ("cpu.us", 90, "%"),
        ("memory.free", 15432412, None),
        ("procs.r", 7, None),
        ("system.cs", 5190.5, "1/s"),
    ]


def test_iostats_first_report_is_of_the_time_before(warehouse):
    (landed,) = land(warehouse, FOLDER / "iostat.json")
    assert landed.left_out == f"1 report ({SINCE_BOOT})"
    query = "SELECT region, value, unit FROM pmu_samples WHERE event = 'disk.kB_wrtn/s'"
    assert rows(warehouse, query) == [("vda", 17232, "kB/s")]


def test_seconds_since_1970(warehouse, tmp_path):
    path = tmp_path / "pidstat.txt"
    rows_of = "".join(f"{1795440959 + n}  0  777  {n}.00  0  my app\n" for n in range(2))
    path.write_text(f"{TITLE}# Time  UID  PID  %usr  CPU  Command\n{rows_of}")
    land(warehouse, path)
    assert rows(warehouse, "SELECT thread, region, t_start, value FROM pmu_samples") == [
        (777, "my app", 0, 0),
        (777, "my app", 1_000_000_000, 1),
    ]
    query = "SELECT CAST(started_at AT TIME ZONE 'UTC' AS VARCHAR) FROM runs"
    assert rows(warehouse, query) == [("2026-11-23 13:35:59",)]


def test_processes_have_the_sum_of_their_shares(warehouse, tmp_path):
    heading = "UID PID %usr %CPU %MEM RSS CPU Command\n"
    path = tmp_path / "pidstat.txt"
    # What is not listed was idle.
    path.write_text(
        f"{TITLE}10:00:00 {heading}10:00:01 0 7 80.00 90.00 5.00 40 0 a\n"
        "10:00:01 0 8 50.00 50.00 3.00 20 1 b\n"
        f"\n10:00:01 {heading}10:00:02 0 7 100.00 100.00 5.00 40 0 a\n"
    )
    land(warehouse, path)
    query = "SELECT event, value, unit FROM counter_summary ORDER BY event"
    assert rows(warehouse, query) == [
        ("%CPU", 120, "% CPU"),
        ("%MEM", pytest.approx((5 + 3 / 2) / 1.5), "%"),
        ("%usr", 115, "% CPU"),
        ("RSS", 50, "kB"),
    ]


def test_processes_in_json(warehouse, tmp_path):
    task = {"uid": 0, "pid": 1234567, "usr": 5.5, "cpu": 1, "command": "app"}
    moment = {"timestamp": "10:00:01", "task": [task]}
    path = tmp_path / "pidstat.json"
    path.write_text(json.dumps({"sysstat": {"hosts": [{"statistics": [moment]}]}}))
    land(warehouse, path)
    query = "SELECT cpu, thread, region, event, value, unit FROM pmu_samples"
    assert rows(warehouse, query) == [(None, 1234567, "app", "task.usr", 5.5, "% CPU")]


def test_times_of_other_languages_and_of_the_next_day(warehouse, tmp_path):
    path = tmp_path / "sar.txt"
    heading = "PM CPU %user %idle\n"
    path.write_text(
        f"{TITLE}11:59:58 {heading}11:59:59 PM all 5.00 95.00\n12:00:01 AM all 6.00 94.00\n"
    )
    land(warehouse, path)
    query = "SELECT t_start, value FROM pmu_samples WHERE event = '%user' ORDER BY sample"
    assert rows(warehouse, query) == [(0, 5), (2_000_000_000, 6)]


def test_a_second_vmstat_begins_with_the_time_before_and_a_screens_heading_does_not(
    warehouse, tmp_path
):
    heading, names, *lines = (FOLDER / "vmstat.txt").read_text().splitlines(keepends=True)
    path = tmp_path / "vmstat.txt"
    again = lines[2].replace("12:53:33", "12:54:33")
    path.write_text("".join((heading, names, *lines, heading, names, lines[0], again)))
    (landed,) = land(warehouse, path)
    assert landed.left_out == f"2 lines ({SINCE_BOOT})"
    query = (
        "SELECT t_start // 1_000_000_000 FROM pmu_samples WHERE event = 'cpu.us' ORDER BY sample"
    )
    assert rows(warehouse, query) == [(0,), (1,), (61,)]
    path.write_text("".join((heading, names, *lines[:1], *lines[1:2] * 20, heading, names, again)))
    (landed,) = land(warehouse, path)
    assert landed.left_out == f"1 line ({SINCE_BOOT})"


def test_times_of_several_days_and_of_tables_one_after_the_other(warehouse, tmp_path):
    path = tmp_path / "sar.txt"
    days = "".join(f"{hour}:00:00 all {n}.00\n" for n, hour in enumerate((10, 22, 10, 22)))
    tables = f"10:00:00 CPU %user\n{days}10:00:00 proc/s cswch/s\n10:00:00 1.00 2.00\n"
    path.write_text(f"{TITLE}{tables}{TITLE}23:00:00 DEV tps\n23:00:00 vda 7.00\n")
    land(warehouse, path)
    query = "SELECT event, t_start // 3600_000_000_000 FROM pmu_samples ORDER BY rowid"
    user = [("%user", 12 * n) for n in range(4)]
    assert rows(warehouse, query) == [*user, ("proc/s", 0), ("cswch/s", 0), ("tps", 13)]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            f"{TITLE}10:00:00 CPU %user\n10:00:01 all 5.00\n{TITLE.replace('node1', 'node2')}",
            "another machine",
        ),
        (
            "Linux 6.1 (vm) 11/23/26 _x86_64_ (4 CPU)\n10:00:00 CPU %user\n10:00:01 all 5.00\n"
            "Linux 6.1 (vm) 11/24/26 _x86_64_ (4 CPU)\n",
            "another day",
        ),
        (f"{TITLE}10:00:00 CPU %user %idle\n10:00:01 all 5,00 95,00\n", "decimal point"),
        (f"{TITLE}10:00:00 CPU %user %idle\n10:00:01 all 5.00\n", "there are 2 values"),
        (
            "procs -mémoire- -échange- -io- -système- -cpu-\n r b swpd libre us\n1 0 0 9 5\n",
            "'libre' is not known",
        ),
        ("procs -memory- -swap- -io- -system- -cpu-\n r b us\n 1 0 5\n", "there is one line"),
        ('{"sysstat": {"hosts": [{"statistics": [{"cpu-load": []}]}]}}', "'timestamp'"),
    ],
)
def test_what_is_not_right(warehouse, tmp_path, text, problem):
    path = tmp_path / "sar.txt"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        land(warehouse, path)
    assert problem in str(error.value)
