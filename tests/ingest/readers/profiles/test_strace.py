"""Tables of strace and ltrace beyond the sample of the contract."""

from __future__ import annotations

from tests.helpers.support import land, rows

TABLE = """\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 75,00    1,500003           1         3         1 read
 25,00    0,500000           0         2           write
------ ----------- ----------- --------- --------- ----------------
100,00    2,000003           0         5         1 total
"""


def test_seconds_may_have_a_decimal_comma(warehouse, tmp_path):
    (tmp_path / "strace.txt").write_text(TABLE)
    land(warehouse, tmp_path / "strace.txt")
    assert rows(warehouse, "SELECT function, seconds, calls FROM fn_timings ORDER BY rowid") == [
        ("read", 1.500003, 3),
        ("write", 0.5, 2),
    ]


def test_a_total_of_calls_without_errors(warehouse, tmp_path):
    table = TABLE.replace("         1 read", "           read")
    (tmp_path / "strace.txt").write_text(table.replace("         1 total", "           total"))
    land(warehouse, tmp_path / "strace.txt")
    assert rows(warehouse, "SELECT sum(calls) FROM fn_timings") == [(5,)]


def test_times_below_what_the_kernel_counts_by_are_unknown(warehouse, tmp_path):
    table = TABLE.replace("1,500003", "0,000000").replace("0,500000", "0,000000")
    (tmp_path / "strace.txt").write_text(table)
    (done,) = land(warehouse, tmp_path / "strace.txt")
    assert rows(warehouse, "SELECT seconds, calls FROM fn_timings") == [(None, 3), (None, 2)]
    assert done.left_out.startswith("2 times of calls (all are too short to be counted")
