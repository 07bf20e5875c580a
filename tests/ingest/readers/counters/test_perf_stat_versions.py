"""What older versions of Linux perf stat wrote, by its source: tools/perf/builtin-stat.c."""

from __future__ import annotations

import pytest

from tests.helpers.support import land, rows
from warehouse.errors import InputError

LINUX_2_6 = """
 Performance counter stats for './matmul 512':

     1203.405210  task-clock-msecs         #      0.998 CPUs
              12  context-switches         #      0.000 M/sec
      3201112341  cycles                   #   2660.045 M/sec
      5100123121  instructions             #      1.593 IPC
         2003121  branch-misses            #      0.489 %

    1.205711101  seconds time elapsed

"""
LINUX_3 = """
 Performance counter stats for './a.out' (5 runs):

       1203.405210 task-clock (msec)         #    0.998 CPUs utilized            ( +-  0.31% )
     3,201,112,341 cycles                    #    2.660 GHz                      ( +-  0.12% ) [83.22%]
       901,112,341 stalled-cycles-backend    #   28.15% backend  cycles idle     ( +-  0.41% ) [66.81%]
     5,100,123,121 instructions              #    1.59  insns per cycle
                                             #    0.24  stalled cycles per insn  ( +-  0.01% ) [83.41%]

       1.205711101 seconds time elapsed                                          ( +-  0.30% )

"""  # noqa: E501
LINUX_4_CORES = """
 Performance counter stats for 'system wide':

S0-C0           2        2000.121231      task-clock (msec)         #    2.000 CPUs utilized
S0-C0           2       121,211,121      cycles                    #    0.061 GHz
S0-C1           2        2000.131231      task-clock (msec)         #    2.000 CPUs utilized
S0-C1           2       101,211,121      cycles                    #    0.051 GHz

       1.000123123 seconds time elapsed

"""
SEPARATED_3 = """\
# started on Tue Mar  4 10:11:12 2014

1432.101213,task-clock,0.31%
3620131,cycles,1.20%
<not counted>,instructions
"""
HYBRID = """
 Performance counter stats for './stream':

     3,201,112,341      cpu_core/cycles/          #    2.660 GHz                      (75.11%)
           TopdownL1 (cpu_core)                 #     29.8 %  tma_backend_bound
                                                  #     32.6 %  tma_retiring             (75.11%)
           TopdownL1 (cpu_atom)                 #     12.1 %  tma_retiring

       1.205711101 seconds time elapsed

"""
LEVEL_2 = """
 Performance counter stats for './stream':

   168,170,925,140      slots                     #    5.986 G/sec
     9,443,278,685      topdown-heavy-ops         #      5.6% heavy operations
    58,818,830,452      topdown-mem-bound         #     35.0% memory bound

       1.205711101 seconds time elapsed

       1.105711000 seconds user
"""
NOTES = """
# without its header
$ perf stat -e page-faults find /usr/include
177      page-faults

       0.107765408 seconds time elapsed

       0.007765408 seconds user
"""
COUNTS = "SELECT event, value, unit, running, deviation FROM pmu_samples ORDER BY rowid"
TOTALS = "SELECT event, value, unit FROM counter_summary ORDER BY event"


def landed(con, folder, text, name="p.txt"):
    (folder / name).write_text(text)
    land(con, folder / name)


def test_linux_2_6(warehouse, tmp_path):
    landed(warehouse, tmp_path, LINUX_2_6)
    assert rows(warehouse, TOTALS) == [
        ("branch-misses", 2003121.0, None),
        ("branch-misses of all branches", 0.489, "%"),
        ("context-switches", 12.0, None),
        ("cycles", 3201112341.0, None),
        ("insns per cycle", 1.593, "insns/cycle"),
        ("instructions", 5100123121.0, None),
        ("task-clock", 1203.40521, "msec"),
    ]


def test_linux_3_writes_units_behind_names_and_shares_behind_second_metrics(warehouse, tmp_path):
    landed(warehouse, tmp_path, LINUX_3)
    assert rows(warehouse, COUNTS) == [
        ("task-clock", 1203.40521, "msec", 1.0, 0.0031),
        ("cycles", 3201112341.0, None, 0.8322, 0.0012),
        ("stalled-cycles-backend", 901112341.0, None, 0.6681, 0.0041),
        ("instructions", 5100123121.0, None, 0.8341, 0.0001),
        ("cycles frequency", 2.66, "GHz", None, None),
        ("backend cycles idle", 28.15, "%", None, None),
        ("insns per cycle", 1.59, "insns/cycle", None, None),
        ("stalled cycles per insn", 0.24, "cycles/insn", None, None),
    ]


def test_shares_by_the_sign_of_their_numbers(warehouse, tmp_path):
    landed(warehouse, tmp_path, LEVEL_2)
    separated = "9443278685,,topdown-heavy-ops,1000,100.00,5.6,heavy operations\n"
    landed(warehouse, tmp_path, separated, "p.csv")
    shares = "SELECT event, value, unit FROM pmu_samples WHERE unit IS NOT NULL ORDER BY rowid"
    assert rows(warehouse, shares) == [
        ("heavy operations", 5.6, "%"),
        ("memory bound", 35.0, "%"),
        ("heavy operations", 5.6, "%"),
    ]


def test_the_times_of_counts_without_a_header_are_not_those_of_the_execution_before(
    warehouse, tmp_path
):
    landed(warehouse, tmp_path, LEVEL_2 + NOTES)
    assert rows(warehouse, "SELECT wall_seconds, tags['user_seconds'] FROM runs") == [
        (1.205711101, "1.105711000")
    ]


def test_clock_frequencies_of_cores_are_averaged_not_added_up(warehouse, tmp_path):
    landed(warehouse, tmp_path, LINUX_4_CORES)
    assert rows(warehouse, TOTALS) == [
        ("cycles", 222422242.0, None),
        ("cycles frequency", pytest.approx(0.056), "GHz"),
        ("task-clock", pytest.approx(4000.252462), "msec"),
    ]
    assert rows(
        warehouse, "SELECT count(per_cycle) FROM pmu_per_cycle WHERE event LIKE '% frequency'"
    ) == [(0,)]


def test_separated_by_linux_3(warehouse, tmp_path):
    landed(warehouse, tmp_path, SEPARATED_3, "p.csv")
    assert rows(warehouse, COUNTS) == [
        ("task-clock", 1432.101213, "msec", None, 0.0031),
        ("cycles", 3620131.0, None, None, 0.012),
        ("instructions", None, None, None, None),
    ]


def test_all_metrics_of_a_group_have_its_core(warehouse, tmp_path):
    landed(warehouse, tmp_path, HYBRID)
    found = rows(warehouse, f"{COUNTS} OFFSET 2")
    assert [(event, value) for event, value, *_ in found] == [
        ("tma_backend_bound (cpu_core)", 29.8),
        ("tma_retiring (cpu_core)", 32.6),
        ("tma_retiring (cpu_atom)", 12.1),
    ]


def test_objects_of_metrics_without_counters(warehouse, tmp_path):
    text = '{}\n{"metric-value" : ""}{"metric-value" : ""}\n'
    with pytest.raises(InputError, match="no metric has a value"):
        landed(warehouse, tmp_path, text, "p.json")


def test_separated_with_decimal_commas_in_neighbouring_columns(warehouse, tmp_path):
    text = "1432,10;msec;task-clock;1432101213;100,00;0,794;CPUs utilized\n"
    landed(warehouse, tmp_path, text, "p.csv")
    assert rows(warehouse, COUNTS) == [("task-clock", 1432.1, "msec", 1.0, None)]
