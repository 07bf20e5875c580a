"""Tables of perf stat --metric-only and --topdown, written by the source of perf and its manual."""

from __future__ import annotations

import pytest

from tests.helpers.support import rows

ONLY = """\
# started on Sun Nov 22 14:46:06 2026


 Performance counter stats for './a.out':

          cycles GHz       insn per cycle branch-misses of all branches
                 3.1                 2.15                         0.50%

       0.259499106 seconds time elapsed

       0.201903000 seconds user
"""
TOPDOWN = """\

 Performance counter stats for 'system wide':

                                    retiring      bad speculation       frontend bound
S0-D0-C0           2                23.8%                11.6%                28.3%
S0-D0-C1           2                16.2%                15.7%                36.5%

       1.000579956 seconds time elapsed
"""
INTERVALS = """\
#           time      %  tma_retiring %  tma_backend_bound
     1.001141351                 11.5                 34.9
     2.006141972                 13.4                 -0.1
"""


TABLE = "SELECT region, sample, t_end, event, value, unit FROM pmu_samples ORDER BY rowid"


def test_a_value_has_the_name_above_it(landed, warehouse):
    assert landed(ONLY, TABLE) == [
        (None, 0, None, "cycles frequency", 3.1, "GHz"),
        (None, 0, None, "insn per cycle", 2.15, "insn/cycle"),
        (None, 0, None, "branch-misses of all branches", 0.5, "%"),
    ]
    assert rows(warehouse, "SELECT app, wall_seconds FROM runs") == [("a.out", 0.259499106)]


def test_topdown_of_each_core(landed):
    found = landed(TOPDOWN, TABLE)
    assert found[0] == ("S0-D0-C0", 0, None, "retiring", 23.8, "%")
    assert found[5] == ("S0-D0-C1", 0, None, "frontend bound", 36.5, "%")
    assert len(found) == 6


def test_intervals(landed):
    assert landed(INTERVALS, TABLE) == [
        (None, 0, 1001141351, "tma_retiring", 11.5, "%"),
        (None, 0, 1001141351, "tma_backend_bound", 34.9, "%"),
        (None, 1, 2006141972, "tma_retiring", 13.4, "%"),
        # the other is what is left after shares counted at other times
    ]


# Separated and in JSON: of perf 6.16's source, and of its test stat+csv_output.sh.
SEPARATED = """\
# started on Sun Nov 22 14:46:06 2026

GHz,insn per cycle,branch-misses of all branches,
3.10,2.15,0.50,
"""
SEPARATED_INTERVALS = """\
 time,socket,cpus,CPUs utilized,%  tma_retiring,
     1.001141351,S0,2,1.991,11.5,
     1.001141351,S1,2,,34.9,
     2.006141972,S0,2,1.993,13.4,
"""
OBJECTS = """\
{"interval" : 1.001141351, "cpu" : "0", "GHz" : "3.10", "insn per cycle" : "2.15"}
{"interval" : 1.001141351, "cpu" : "1", "GHz" : "", "insn per cycle" : "1.15"}
"""


VERBOSE = """\
# started on Sun Nov 22 18:46:57 2026

Using CPUID AuthenticAMD-25-1-1
task-clock: 3136406 3136406 3136406
page-faults: 1042 3136406 3136406

 Performance counter stats for './a.out':

              3.14 msec task-clock                       #    0.512 CPUs utilized
             1,042      page-faults                      #  332.227 K/sec

       0.006124572 seconds time elapsed
"""


def test_what_v_prints_before_is_no_count(landed):
    assert landed(VERBOSE, TABLE) == [
        (None, 0, None, "task-clock", 3.14, "msec"),
        (None, 0, None, "page-faults", 1042.0, None),
    ]


def test_separated_metrics(landed):
    assert landed(SEPARATED, TABLE) == [
        (None, 0, None, "cycles frequency", 3.1, "GHz"),
        (None, 0, None, "insn per cycle", 2.15, "insn/cycle"),
        (None, 0, None, "branch-misses of all branches", 0.5, "%"),
    ]


def test_separated_metrics_of_sockets_over_time(landed):
    assert landed(SEPARATED_INTERVALS, TABLE) == [
        ("S0", 0, 1001141351, "tma_retiring", 11.5, "%"),
        ("S1", 0, 1001141351, "tma_retiring", 34.9, "%"),
        ("S0", 1, 2006141972, "tma_retiring", 13.4, "%"),
    ]


def test_metrics_as_objects(landed, warehouse):
    assert landed(OBJECTS, TABLE) == [
        (None, 0, 1001141351, "cycles frequency", 3.1, "GHz"),
        (None, 0, 1001141351, "insn per cycle", 2.15, "insn/cycle"),
        (None, 0, 1001141351, "insn per cycle", 1.15, "insn/cycle"),
    ]
    assert rows(warehouse, "SELECT cpu FROM pmu_samples ORDER BY rowid") == [(0,), (0,), (1,)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # A value is missing, so that the next would have two names.
        (INTERVALS.replace("11.5", "    "), "are not below the names of metrics"),
        (ONLY.replace("2.15", "    "), "are not below the names of metrics"),
        (ONLY.replace("0.50%", "0.50%  0.1"), "are not below the names of metrics"),
        (SEPARATED.replace("0.50,", "0.50,0.1,"), "is no line of counts"),
        (SEPARATED + "3.10,2.15,\n", "'3.10,2.15,' is no row of metrics"),
        (OBJECTS + "{1}\n", "'{1}' is no such object"),
    ],
)
def test_what_is_refused(refusal, text, message):
    assert message in refusal(text.encode(), "p.txt")
