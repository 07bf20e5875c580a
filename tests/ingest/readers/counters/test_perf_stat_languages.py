"""perf stat in languages with decimal commas: recorded by perf 6.1 in German and French."""

from __future__ import annotations

import pytest

from tests.helpers.support import rows
from warehouse.errors import InputError

GERMAN = """\
# started on Sun Nov 22 23:49:55 2026


 Performance counter stats for './faults 1,5' (3 runs):

          1.221,72 msec task-clock                       #    0,586 CPUs utilized            ( +-  1,24% )
        10.310.053      page-faults                      #   45,379 K/sec                    ( +-  0,01% )
               100      cycles                           #    1,234 GHz                      (62,50%)
   <not supported>      branches

            0,3784 +- 0,0141 seconds time elapsed  ( +-  3,72% )
"""  # noqa: E501
FRENCH = """\

 Performance counter stats for 'system wide':

S0        2           1 754,08 msec cpu-clock                        #    1,995 CPUs utilized
S0        2             14 427      page-faults                      #   19,132 K/sec

       0,377978150 seconds time elapsed
"""
INTERVALS = """\
#           time             counts unit events
     0.101069627             10.299      faults
     0.205980698                 16      faults
"""
SEPARATED = """\
1225,24;msec;task-clock;225241115;100,00;0;CPUs utilized
10312;;cycles;225241115;100,00;3;GHz
"""
OBJECTS = """\
{"counter-value" : "225,514432", "unit" : "msec", "event" : "task-clock", \
"event-runtime" : 225514432, "pcnt-running" : 100,00, "metric-value" : 0,504830, \
"metric-unit" : "CPUs utilized"}
{"counter-value" : "10312,000000", "unit" : "", "event" : "cycles", \
"event-runtime" : 225514432, "pcnt-running" : 62,50, "metric-value" : 1,726564, \
"metric-unit" : "GHz"}
"""
COUNTS = "SELECT event, value, unit, running, deviation FROM pmu_samples ORDER BY rowid"


def test_text_in_german(landed, warehouse):
    assert landed(GERMAN, COUNTS) == [
        ("task-clock", 1221.72, "msec", 1.0, 0.0124),
        ("page-faults", 10310053.0, None, 1.0, 0.0001),
        ("cycles", 100.0, None, 0.625, None),
        ("branches", None, None, None, None),
        ("cycles frequency", 1.234, "GHz", None, None),
    ]
    facts = "SELECT tags['command'], wall_seconds FROM runs"
    assert rows(warehouse, facts) == [("./faults 1,5", 0.3784)]


@pytest.mark.parametrize("blank", ["\u202f", "\u00a0"])
def test_text_in_french(landed, blank):
    text = FRENCH.replace("1 754", f"1{blank}754").replace("14 427", f"14{blank}427")
    found = landed(text, COUNTS)
    assert [row[:2] for row in found] == [("cpu-clock", 1754.08), ("page-faults", 14427.0)]


def test_intervals_have_points_in_their_time_and_between_thousands(landed):
    query = "SELECT t_end, value FROM pmu_samples ORDER BY rowid"
    assert landed(INTERVALS, query) == [(101069627, 10299), (205980698, 16)]


def test_separated_counts_land_without_the_metrics_that_perf_cut_at_the_comma(landed, warehouse):
    assert landed(SEPARATED, COUNTS) == [
        ("task-clock", 1225.24, "msec", 1.0, None),
        ("cycles", 10312.0, None, 1.0, None),
    ]
    left_out = rows(warehouse, "SELECT left_out FROM sources")[0][0]
    assert "2 metrics (perf lost the decimals after the comma)" in str(left_out)


def test_objects_with_decimal_commas(landed):
    assert landed(OBJECTS, COUNTS) == [
        ("task-clock", 225.514432, "msec", 1.0, None),
        ("cycles", 10312.0, None, 0.625, None),
        ("cycles frequency", 1.726564, "GHz", None, None),
    ]


def test_metrics_that_all_lost_their_decimals_are_refused(landed):
    with pytest.raises(InputError, match="decimal commas"):
        landed("GHz;insn per cycle;\n3;2;\n", COUNTS)
