"""Darshan's text in the forms that are not its default; that is in the contract suite."""

from __future__ import annotations

from tests.helpers.support import land, rows

HEADER = """\
# darshan log version: 3.21
# exe: ./ior -a POSIX
# jobid: 4242
# start_time: 1490000000
# nprocs: 64
# run time: 11

# **********************************************************
# POSIX module data
# **********************************************************
"""
TOTAL = """\
total_POSIX_OPENS: 128
total_POSIX_BYTES_WRITTEN: 1073741824
total_POSIX_F_WRITE_TIME: 12.345000
total_POSIX_F_OPEN_START_TIMESTAMP: 0.5
"""
PERF = """
# performance
# -----------
# total_bytes: 1073741824
#
# agg_perf_by_cumul: 829.82 # MiB/s
# agg_perf_by_slowest: 789.100000 # MiB/s
"""


def test_totals_are_counters_of_no_file_and_rates_are_metrics(warehouse, tmp_path):
    (tmp_path / "a.darshan.txt").write_text(HEADER + TOTAL + PERF)
    land(warehouse, tmp_path / "a.darshan.txt")
    query = "SELECT region, event, value, unit FROM pmu_samples ORDER BY rowid"
    assert rows(warehouse, query) == [
        (None, "POSIX_OPENS", 128.0, None),
        (None, "POSIX_BYTES_WRITTEN", 1073741824.0, "bytes"),
        (None, "POSIX_F_WRITE_TIME", 12.345, "s"),
    ]
    query = "SELECT metric, value, unit, better FROM metrics ORDER BY rowid"
    assert rows(warehouse, query) == [
        ("POSIX total_bytes", 1073741824.0, "bytes", None),
        ("POSIX agg_perf_by_cumul", 829.82, "MiB/s", "higher"),
        ("POSIX agg_perf_by_slowest", 789.1, "MiB/s", "higher"),
    ]
    assert rows(warehouse, "SELECT app, ranks, wall_seconds FROM runs") == [("ior", 64, 11.0)]


def test_totals_are_left_where_the_files_have_them(warehouse, tmp_path):
    line = "POSIX\t0\t123\tPOSIX_OPENS\t128\t/out\t/\text4\n"
    (tmp_path / "a.darshan.txt").write_text(HEADER + line + TOTAL)
    land(warehouse, tmp_path / "a.darshan.txt")
    assert rows(warehouse, "SELECT region, value FROM pmu_samples") == [("/out", 128.0)]


def test_logs_of_two_jobs_in_a_file_are_refused(refusal):
    text = HEADER + TOTAL + HEADER.replace("jobid: 4242", "jobid: 77") + TOTAL
    assert "the jobid is '77'" in refusal(text.encode(), "a.darshan.txt", reader="darshan")
