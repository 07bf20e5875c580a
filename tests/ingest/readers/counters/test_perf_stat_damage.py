"""perf stat: what is damaged, or written in another manner, is refused with its place."""

from __future__ import annotations

import pytest

from ingest.base import Head
from ingest.readers.counters.perf_stat.reader import PerfStat
from tests.helpers.support import shared

HEADER = " Performance counter stats for './mini':\n\n"
FOOTER = "\n       4.319927156 seconds time elapsed\n\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5,,faults,9,100.00,,\n1427,36,msec,clock,9,100,00,0,3,x\n", "decimal commas"),
        (f"{HEADER}   1.429,58 msec task-clock\n{FOOTER}", "locale-formatted"),
        (f"{HEADER}   1.429      faults\n{FOOTER}", "locale-formatted"),
        (f"{HEADER}   1.42,9      faults\n       4,3 seconds time elapsed\n", "locale-formatted"),
        (f"{HEADER}   1 429      faults\n{FOOTER}", "locale-formatted"),
    ],
)
def test_locale_formatted_numbers_are_refused(refused, text, message):
    error = refused(text, reader="perf-stat")
    assert message in error.problem
    assert "LC_ALL=C" in error.hint


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("5,,faults,9,100.00,,\n5,,fau\n", "line 2", "'5,,fau' is no line of counts"),
        ("5,,faults,9,100.00,,\n6,,cycles,9,100.00,0.5", "line 2", "has no end"),
        ("5,,faults,9,100.00,,\n-6,,cycles,9,100.00,,\n", "line 2", "is no line of counts"),
        ("5,,faults,9,100.00,,\nhello\n", "line 2", "'hello' is no line of counts"),
        ("# started on a machine\n\n,,,,\n", "line 3", "',,,,' is a row of metrics without any"),
        ("5,,faults,9,100.01,,\n", "line 1", "counted for more than all the time"),
        ("18446744073709551616,,x,9,100.00,,\n", "line 1", "beyond 64 bits"),
        ("CPU4294967296,1,,x,9,100.00,,\n", "line 1", "processor 4294967296"),
        ("sh-99999999999999999999,1,,x,9,100.00,,\n", "line 1", "thread 99999999999999999999"),
        ("99999999999.000000000,1,,x,9,100.00,,\n", "line 1", "time 99999999999000000000"),
        ("0.2000000001,1,,x,9,100.00,,\n", "line 1", "is no line of counts"),
        (
            "0.200000000,1,,x,9,100.00,,\n0.100000000,1,,x,9,100.00,,\n",
            "line 2",
            "the time goes back",
        ),
        ("1,,x,9,100.00,,\n0.100000000,1,,x,9,100.00,,\n", "line 2", "follows counts without time"),
        ("# started on Sat Nov 41 01:48:53 2026\n\n1,,x,9,100.00,,\n", "line 1", "is no date"),
        ("# started on Sat Nov 21 01:48:53 2026\n\n", "end of the file", "no counts"),
        ("a,b,c\n1,2,3\n", "line 1", "'a,b,c' is no line of counts"),
    ],
)
def test_damaged_separated_counts_are_refused_with_their_line(refused, text, where, message):
    error = refused(text, reader="perf-stat")
    assert error.where == where
    assert message in error.problem
    assert error.expected


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ('{"counter-value" : "1.0", "unit" : "", "ev', "line 1", "is no JSON object"),
        ('{"counter-value" : "1.0", "event" : "x"}{"a" : 1}\n', "line 1", "is no JSON object"),
        ('{"counter-value" : "1.0", "event" : 7}\n', "line 1", "of an unexpected kind"),
        ('{"counter-value" : "1,5", "event" : "x"}\n', "line 1", "neither an event"),
        ('{"counter-value" : "16,472", "event" : "x"}\n', "line 1", "neither an event"),
        ('{"counter-value" : "-1.5", "event" : "x"}\n', "line 1", "neither an event"),
        ('{"counter-value" : "1.5"}\n', "line 1", "neither an event"),
        ('{"thread" : "sh", "counter-value" : "1", "event" : "x"}\n', "line 1", "neither"),
        ('{"interval" : -0.5, "counter-value" : "1", "event" : "x"}\n', "line 1", "interval -0.5"),
        ('{"interval" : 1e99, "counter-value" : "1", "event" : "x"}\n', "line 1", "interval 1e+99"),
        ('{"pcnt-running" : 1e3, "counter-value" : "1", "event" : "x"}\n', "line 1", "all the"),
        ('{"variance" : -1, "counter-value" : "1", "event" : "x"}\n', "line 1", "negative"),
        ('{"counter-value" : "1", "event" : "x"}\n[1]\n', "line 2", "'[1]' is no JSON"),
    ],
)
def test_damaged_json_is_refused_with_its_line(refused, text, where, message):
    error = refused(text, reader="perf-stat")
    assert error.where == where
    assert message in error.problem


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        (f"{HEADER}     3      faults\n", "end of the file", "the end is missing"),
        (f"{HEADER}     3      faults\n\n   4.31 seconds ti\n", "end of the file", "the end is"),
        (f"{HEADER}     3      faults\n{FOOTER}  1.3 seconds us", "line 7", "has no end"),
        (f"{HEADER}     x      faults\n{FOOTER}", "line 3", "is no line of counts"),
        (f"{HEADER}\n{FOOTER}", "end of the file", "no counts"),
        (f"{HEADER[:-5]}\n\n     3      faults\n{FOOTER}", "line 1", "is cut off"),
    ],
)
def test_damaged_text_is_refused_with_its_place(refused, text, where, message):
    error = refused(text, reader="perf-stat")
    assert error.where == where
    assert message in error.problem


@pytest.mark.parametrize(
    "text",
    [
        "",
        "time,value\n1.5,2\n",
        "1.5,2.5,3\n",
        '{"counts": 3}\n',
        "run_id,event,value\nr,cycles,3\n",
        "mini  9051  3896.435521:    5000000 cpu-clock: \n",
        "# started on a whim\n",
        ".a{content:url('data:d=\"M9-1 5.5 3 1.5v1H7.5C5.75 24 5 23.25 5 21.5V16h1zm7-11v1l\"')}",
        "\0\1\2",
    ],
)
def test_other_files_are_not_claimed(tmp_path, text):
    assert not PerfStat().sniff(Head(text.encode(), tmp_path / "perf-stat.csv"))


def test_perf_script_is_not_claimed():
    path = shared("pmu/perf_stat_vm/perf_script_mini.txt")
    assert not PerfStat().sniff(Head(path.read_bytes(), path))


@pytest.mark.parametrize(("length", "is_one"), [(15, True), (1 << 14, False)])
def test_no_separators_are_looked_for_in_a_line_longer_than_any_of_perf(tmp_path, length, is_one):
    line = f"{'m' * length}-42,1786,,cycles,1000,100.00,,\n"
    head = Head(line.encode(), tmp_path / "perf-stat.csv")
    assert PerfStat().sniff(head) is is_one
